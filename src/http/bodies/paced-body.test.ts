import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pacedBody } from './paced-body.ts';

const PIECE = 64 * 1024;

describe('a paced body', () => {
  it('contains its parts unchanged', async () => {
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

  it('yields to other work, however many bodies are sent', async () => {
    let pieces = 0;
    let most = 0;
    const bodies = Array.from({ length: 100 }, () => pacedBody([Buffer.alloc(10 * PIECE)]));
    for (const body of bodies) body.on('data', () => pieces++);
    for (let before = 0; pieces < 1000; before = pieces) {
      await nextTurn();
      most = Math.max(most, pieces - before);
    }
    // One turn of the test may include two turns of the pacer.
    expect(most).toBeLessThanOrEqual(2 * 4);
  });
});
