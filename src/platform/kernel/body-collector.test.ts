import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BodyCollector } from './body-collector.ts';
import { SMALL_BYTES } from './byte-budget.ts';

const MAX_BYTES = 20_000;
const collectorOf = (expectedBytes: number, take = (_bytes: number) => true) =>
  new BodyCollector({
    maxBytes: MAX_BYTES,
    expectedBytes,
    memory: { take, give: () => undefined },
  });

const chunk = fc.uint8Array({ maxLength: 6000 }).map((bytes) => Buffer.from(bytes));

describe('a collected body', () => {
  it('contains the chunks in order, or is refused over the limit, whatever was announced', () => {
    fc.assert(
      fc.property(fc.array(chunk), fc.nat(MAX_BYTES), (chunks, announced) => {
        const collector = collectorOf(announced);
        const whole = Buffer.concat(chunks);
        const isTaken = chunks.every((part) => collector.add(part) === null);
        expect(isTaken).toBe(whole.length <= MAX_BYTES);
        if (isTaken) expect(collector.finish().equals(whole)).toBe(true);
      }),
    );
  });

  it('holds little more memory than its length', () => {
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 5 }), fc.nat(2 * MAX_BYTES), (chunks, announced) => {
        const collector = collectorOf(announced);
        for (const part of chunks) collector.add(part);
        const body = collector.finish();
        expect(body.buffer.byteLength).toBeLessThanOrEqual(2 * body.length + 4096);
      }),
    );
  });

  it('is not copied if it arrived as one chunk that fills its buffer', () => {
    const only = Buffer.allocUnsafeSlow(10_000);
    const collector = collectorOf(10_000);
    collector.add(only);
    expect(collector.finish().buffer).toBe(only.buffer);
  });

  it('releases the large read buffer of which it is a small slice', () => {
    const collector = collectorOf(0);
    collector.add(Buffer.allocUnsafeSlow(64 * 1024).subarray(100, 200));
    expect(collector.finish().buffer.byteLength).toBe(100);
  });

  it('allocates exactly the announced length if that is true', () => {
    const collector = collectorOf(5000);
    for (let i = 0; i < 5; i++) collector.add(Buffer.alloc(1000));
    expect(collector.finish().buffer.byteLength).toBe(5000);
  });

  it('charges the budget for what it allocates once it is no longer small, and never twice', () => {
    fc.assert(
      fc.property(fc.array(chunk), (chunks) => {
        let takenBytes = 0;
        const collector = collectorOf(0, (bytes) => {
          takenBytes += bytes;
          return true;
        });
        for (const part of chunks) collector.add(part);
        const { length } = collector.whole();
        expect(takenBytes).toBeLessThanOrEqual(MAX_BYTES);
        if (length > SMALL_BYTES) expect(takenBytes).toBeGreaterThanOrEqual(length);
      }),
    );
  });

  it('accepts only a small first part when the budget has no room', () => {
    const collector = collectorOf(0, () => false);
    expect(collector.add(Buffer.alloc(SMALL_BYTES))).toBeNull();
    expect(collector.add(Buffer.alloc(1))).toBe('over_budget');
  });

  it('returns the memory that it has outgrown, and all of it once it is refused, without a collection', () => {
    const chunks = Array.from({ length: 300 }, () => Buffer.alloc(64 * 1024));
    const collector = new BodyCollector({
      maxBytes: 32 * 1024 * 1024,
      expectedBytes: 0,
      memory: { take: () => true, give: () => undefined },
    });
    const { arrayBuffers: before } = process.memoryUsage();
    for (const part of chunks) collector.add(part);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThanOrEqual(33 * 1024 * 1024);
    collector.discard();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024);
  });
});
