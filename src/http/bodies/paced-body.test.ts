import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pacedBody } from './paced-body.ts';

const PIECE = 64 * 1024;

describe('a paced body', () => {
  it('is the same as its parts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 3 * PIECE }), { maxLength: 6 }),
        async (lengths) => {
          const parts = lengths.map((length, n) => Buffer.alloc(length, n + 1));
          const pieces = await pacedBody(parts).toArray();
          expect(Buffer.concat(pieces).equals(Buffer.concat(parts))).toBe(true);
          expect(pieces.every(({ length }) => length <= PIECE)).toBe(true);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('lets others in between, however many there are', async () => {
    let pieces = 0;
    let most = 0;
    const bodies = Array.from({ length: 100 }, () => pacedBody([Buffer.alloc(10 * PIECE)]));
    for (const body of bodies) body.on('data', () => pieces++);
    for (let before = 0; pieces < 1000; before = pieces) {
      await nextTurn();
      most = Math.max(most, pieces - before);
    }
    // A turn of the test may see two of the pacer's.
    expect(most).toBeLessThanOrEqual(2 * 4);
  });
});
