import { describe, expect, it } from 'vitest';
import { MAX_CELLS, MAX_OTHER_CELLS, OTHER } from './cells.ts';
import { createRefusals, type RefusalCell } from './refusals.ts';

const NOON_MS = Date.UTC(2026, 10, 21, 3);

const keyOf = (n: number, tenantId = 'ten_a') => ({ tenantId, apiKeyId: `key_${n}` });
const countOf = (cells: readonly RefusalCell[]) => cells.reduce((sum, { count }) => sum + count, 0);

describe('refused requests', () => {
  it('are counted by minute, key and reason, and handed over once', () => {
    let nowMs = NOON_MS;
    const refusals = createRefusals({ now: () => nowMs });
    refusals.count(keyOf(1), 'rate_limit');
    nowMs += 59_999;
    refusals.count(keyOf(1), 'rate_limit');
    refusals.count(keyOf(1), 'unknown_tool');
    nowMs += 1;
    refusals.count(keyOf(1), 'rate_limit');
    const cell = { tenantId: 'ten_a', apiKeyId: 'key_1', reason: 'rate_limit' };
    expect(refusals.take()).toEqual([
      { ...cell, minuteMs: NOON_MS, count: 2, lastMs: NOON_MS + 59_999 },
      { ...cell, minuteMs: NOON_MS, reason: 'unknown_tool', count: 1, lastMs: NOON_MS + 59_999 },
      { ...cell, minuteMs: NOON_MS + 60_000, count: 1, lastMs: NOON_MS + 60_000 },
    ]);
    expect(refusals.take()).toEqual([]);
    expect(refusals.totals()).toMatchObject({ rate_limit: 3, unknown_tool: 1, daily_limit: 0 });
  });

  it('can be put back', () => {
    const refusals = createRefusals({ now: () => NOON_MS });
    refusals.count(keyOf(1), 'rate_limit');
    const taken = refusals.take();
    refusals.count(keyOf(1), 'rate_limit');
    refusals.putBack(taken);
    expect(refusals.take()).toMatchObject([{ count: 2 }]);
    expect(refusals.totals()).toMatchObject({ rate_limit: 2 });
  });

  it('stay bounded with any number of keys and tenants', () => {
    const refusals = createRefusals({ now: () => NOON_MS });
    for (let n = 0; n < MAX_CELLS + 50; n++) refusals.count(keyOf(n), 'rate_limit');
    const taken = refusals.take();
    expect(taken).toHaveLength(MAX_CELLS + 1);
    expect(taken.at(-1)).toMatchObject({ tenantId: 'ten_a', apiKeyId: OTHER, count: 50 });
    refusals.putBack(taken);
    for (let n = 0; n < 2 * MAX_OTHER_CELLS; n++) {
      refusals.count(keyOf(n, `ten_${n}`), 'unknown_tool');
    }
    const all = refusals.take();
    expect(all).toHaveLength(MAX_CELLS + MAX_OTHER_CELLS);
    expect(countOf(all)).toBe(MAX_CELLS + 50 + MAX_OTHER_CELLS - 1);
  });
});
