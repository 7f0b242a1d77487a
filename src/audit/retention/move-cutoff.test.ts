import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cutoff, DAY_MS, moveCutoff } from './audit-retention.ts';

const NOW = 1_764_000_000_000;
const RETENTION_MS = 90 * DAY_MS;
const WANTED = NOW - RETENTION_MS;

const move = (last: Cutoff | undefined, nowMs = NOW, oldestMs: number | null = null) =>
  moveCutoff(last, { nowMs, retentionMs: RETENTION_MS, oldestMs });

describe('the cut-off', () => {
  it('is at first as old as the retention, but never beyond the oldest record', () => {
    expect(move(undefined)).toEqual({ cutoff_ms: WANTED, moved_at_ms: NOW });
    const oldestMs = WANTED - 50 * DAY_MS;
    expect(move(undefined, NOW, oldestMs).cutoff_ms).toBe(oldestMs);
  });

  it('moves by at most two days, and not again within 24 hours', () => {
    const last = { cutoff_ms: WANTED - 10 * DAY_MS, moved_at_ms: NOW - DAY_MS };
    const oldestMs = last.cutoff_ms;
    expect(move(last, NOW - 1, oldestMs)).toBe(last);
    const next = move(last, NOW, oldestMs);
    expect(next).toEqual({ cutoff_ms: WANTED - 8 * DAY_MS, moved_at_ms: NOW });
    expect(move(next, NOW + DAY_MS - 1)).toBe(next);
    expect(move(next, NOW + DAY_MS, oldestMs).cutoff_ms).toBe(WANTED - 6 * DAY_MS);
  });

  it('reaches no record of today if the clock is far ahead', () => {
    const last = { cutoff_ms: WANTED, moved_at_ms: NOW };
    const ahead = move(last, NOW + 100 * DAY_MS, NOW);
    expect(ahead.cutoff_ms).toBe(WANTED + 2 * DAY_MS);
  });

  it('does not advance while the clock is behind its last move, and recovers when it is right again', () => {
    const last = { cutoff_ms: WANTED, moved_at_ms: NOW };
    const back = move(last, NOW - 400 * DAY_MS);
    expect(back.cutoff_ms).toBe(WANTED - 400 * DAY_MS);
    expect(move(back, NOW).cutoff_ms).toBe(WANTED - 398 * DAY_MS);
    const ahead = move(undefined, NOW + 3650 * DAY_MS);
    expect(move(ahead).cutoff_ms).toBe(WANTED);
  });

  it('costs at most two days of records for each day, whatever the clock says', () => {
    const look = fc.record({
      hours: fc.integer({ min: 0, max: 30 }),
      errorDays: fc.constantFrom(0, 0, 0, 1, 100, 3650, -1, -100),
    });
    fc.assert(
      fc.property(fc.array(look, { maxLength: 60 }), (looks) => {
        const oldestMs = NOW - 60 * DAY_MS;
        let reachedMs = oldestMs;
        let trueMs = NOW;
        let last: Cutoff | undefined;
        let moves = 0;
        for (const { hours, errorDays } of looks) {
          trueMs += (hours * DAY_MS) / 24;
          const nowMs = trueMs + errorDays * DAY_MS;
          const next = moveCutoff(last, { nowMs, retentionMs: RETENTION_MS, oldestMs: reachedMs });
          const isForward = !last || nowMs >= last.moved_at_ms + DAY_MS;
          if (next !== last && isForward) moves++;
          if (next !== last && !isForward)
            expect(next.cutoff_ms).toBeLessThanOrEqual(last?.cutoff_ms ?? 0);
          expect(next.cutoff_ms).toBeLessThanOrEqual(nowMs - RETENTION_MS);
          reachedMs = Math.max(reachedMs, next.cutoff_ms);
          last = next;
        }
        expect(reachedMs - oldestMs).toBeLessThanOrEqual(moves * 2 * DAY_MS);
      }),
    );
  });
});
