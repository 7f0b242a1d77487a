import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS, planSweep, type SweepFacts } from './audit-sweeps.ts';

const NOW = 1_764_000_000_000;
const RETENTION_MS = 90 * DAY_MS;

const plan = (facts: Partial<SweepFacts>) =>
  planSweep({
    clockMs: facts.nowMs ?? NOW,
    nowMs: NOW,
    retentionMs: RETENTION_MS,
    oldestMs: NOW - 200 * DAY_MS,
    swept_before_ms: null,
    stepped_at_ms: null,
    approved_before_ms: null,
    ...facts,
  });

describe('a sweep', () => {
  it('reaches the retention time if that is within a day of the last sweep', () => {
    const swept_before_ms = NOW - RETENTION_MS - DAY_MS;
    expect(plan({ swept_before_ms })).toEqual({ beforeMs: NOW - RETENTION_MS, isStep: false });
  });

  it('reaches the retention time if no older record exists', () => {
    expect(plan({ oldestMs: null })).toEqual({ beforeMs: NOW - RETENTION_MS, isStep: false });
    const oldestMs = NOW - RETENTION_MS - DAY_MS;
    expect(plan({ oldestMs, swept_before_ms: 0 }).beforeMs).toBe(NOW - RETENTION_MS);
  });

  it('otherwise reaches a day beyond the oldest record, and no further until a day later', () => {
    const first = plan({});
    expect(first).toEqual({ beforeMs: NOW - 199 * DAY_MS, isStep: true });
    const facts = { swept_before_ms: first.beforeMs, oldestMs: first.beforeMs, stepped_at_ms: NOW };
    const soon = plan({ ...facts, nowMs: NOW + DAY_MS - 1 });
    expect(soon).toEqual({ beforeMs: first.beforeMs, isStep: false });
    const later = plan({ ...facts, nowMs: NOW + DAY_MS });
    expect(later).toEqual({ beforeMs: first.beforeMs + DAY_MS, isStep: true });
  });

  it('continues if the clock was set back after the last step', () => {
    expect(plan({ stepped_at_ms: NOW + 100 * DAY_MS }).isStep).toBe(true);
  });

  it('reaches as far as an operator has approved', () => {
    const approved_before_ms = NOW - RETENTION_MS;
    expect(plan({ approved_before_ms }).beforeMs).toBe(approved_before_ms);
  });

  it('never goes back, nor more than a day beyond what was reached or approved', () => {
    const time = fc.integer({ min: NOW - 300 * DAY_MS, max: NOW + 300 * DAY_MS });
    const maybe = fc.option(time);
    fc.assert(
      fc.property(time, maybe, maybe, maybe, maybe, (nowMs, oldest, swept, stepped, approved) => {
        const { beforeMs } = plan({
          nowMs,
          oldestMs: oldest,
          swept_before_ms: swept,
          stepped_at_ms: stepped,
          approved_before_ms: approved,
        });
        expect(beforeMs).toBeGreaterThanOrEqual(swept ?? 0);
        const reached = Math.max(swept ?? 0, approved ?? 0, oldest ?? nowMs - RETENTION_MS);
        if (oldest !== null) expect(beforeMs).toBeLessThanOrEqual(reached + DAY_MS);
      }),
    );
  });
});
