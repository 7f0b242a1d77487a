import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { coarseSpans, STEP_MS, startOf } from './steps.ts';

/** Midnight in Seoul. */
const MIDNIGHT = Date.UTC(2026, 10, 20, 15);
const { minute, hour, day } = STEP_MS;

describe('a time in the fewest steps', () => {
  it('has its whole days as days', () => {
    const [fromMs, toMs] = [MIDNIGHT - 3 * hour, MIDNIGHT + 2 * day + hour];
    expect(coarseSpans({ step: 'hour', fromMs, toMs })).toEqual([
      { step: 'hour', fromMs, toMs: MIDNIGHT },
      { step: 'day', fromMs: MIDNIGHT, toMs: MIDNIGHT + 2 * day },
      { step: 'hour', fromMs: MIDNIGHT + 2 * day, toMs },
    ]);
  });

  it('has the whole hours of minutes as hours', () => {
    const [fromMs, toMs] = [MIDNIGHT + hour, MIDNIGHT + 2 * hour + 5 * minute];
    expect(coarseSpans({ step: 'minute', fromMs, toMs })).toEqual([
      { step: 'hour', fromMs, toMs: MIDNIGHT + 2 * hour },
      { step: 'minute', fromMs: MIDNIGHT + 2 * hour, toMs },
    ]);
  });

  it('stays as it is if it is too short', () => {
    const span = { step: 'hour', fromMs: MIDNIGHT + hour, toMs: MIDNIGHT + 23 * hour } as const;
    expect(coarseSpans(span)).toEqual([span]);
  });

  it('is covered once, in order, by steps that begin where theirs do', () => {
    const minutes = fc.integer({ min: 0, max: 60 * 24 * 20 });
    fc.assert(
      fc.property(minutes, fc.integer({ min: 1, max: 60 * 24 * 20 }), (start, length) => {
        const fromMs = MIDNIGHT + start * minute;
        const toMs = fromMs + length * minute;
        const spans = coarseSpans({ step: 'minute', fromMs, toMs });
        expect(spans[0]?.fromMs).toBe(fromMs);
        expect(spans.at(-1)?.toMs).toBe(toMs);
        for (const [at, span] of spans.entries()) {
          expect(span.fromMs).toBeLessThan(span.toMs);
          expect(startOf(span.step, span.fromMs)).toBe(span.fromMs);
          expect(startOf(span.step, span.toMs)).toBe(span.toMs);
          if (at > 0) expect(spans[at - 1]?.toMs).toBe(span.fromMs);
        }
      }),
    );
  });
});
