import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BodyCollector } from './body-collector.ts';

const MAX_BYTES = 20_000;
const chunk = fc.uint8Array({ maxLength: 6000 }).map((bytes) => Buffer.from(bytes));

describe('a collected body', () => {
  it('is the chunks in order, or refused over the limit, whatever was announced', () => {
    fc.assert(
      fc.property(fc.array(chunk), fc.nat(MAX_BYTES), (chunks, announced) => {
        const collector = new BodyCollector(MAX_BYTES, announced);
        const whole = Buffer.concat(chunks);
        const isTaken = chunks.every((part) => collector.add(part));
        expect(isTaken).toBe(whole.length <= MAX_BYTES);
        if (isTaken) expect(collector.finish().equals(whole)).toBe(true);
      }),
    );
  });

  it('holds little more memory than its length', () => {
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 5 }), fc.nat(2 * MAX_BYTES), (chunks, announced) => {
        const collector = new BodyCollector(MAX_BYTES, announced);
        for (const part of chunks) collector.add(part);
        const body = collector.finish();
        expect(body.buffer.byteLength).toBeLessThanOrEqual(2 * body.length + 4096);
      }),
    );
  });

  it('is not copied if it came in one chunk of a buffer of its own', () => {
    const only = Buffer.allocUnsafeSlow(10_000);
    const collector = new BodyCollector(MAX_BYTES, 10_000);
    collector.add(only);
    expect(collector.finish().buffer).toBe(only.buffer);
  });

  it('lets go of a large read buffer it is a small slice of', () => {
    const collector = new BodyCollector(MAX_BYTES, 0);
    collector.add(Buffer.allocUnsafeSlow(64 * 1024).subarray(100, 200));
    expect(collector.finish().buffer.byteLength).toBe(100);
  });

  it('takes the space announced, no more, if that is true', () => {
    const collector = new BodyCollector(MAX_BYTES, 5000);
    for (let i = 0; i < 5; i++) collector.add(Buffer.alloc(1000));
    expect(collector.finish().buffer.byteLength).toBe(5000);
  });
});
