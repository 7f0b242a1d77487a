import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeRecord } from '../../test/support/audit-records.ts';
import type { AuditRecord } from '../audit/record/audit-record.ts';
import { toRow } from '../audit/record/audit-row.ts';
import { type Cell, createCells, MAX_CELLS, MAX_OTHER_CELLS, OTHER } from './cells.ts';

const NOON_MS = Date.UTC(2026, 10, 21, 3);

const rowOf = (change: Partial<AuditRecord> = {}, ms = NOON_MS) => toRow(makeRecord(change, ms));
const callsOf = (cells: readonly Cell[]): number =>
  cells.reduce((sum, { tally }) => sum + tally.calls, 0);
/** The number of calls by what they have in common. */
const placesOf = (cells: readonly Cell[]) =>
  new Map(cells.map(({ tally, ...place }) => [Object.values(place).join(' '), tally.calls]));

/** Counts one call of each of these tools. */
function countTools(cells: ReturnType<typeof createCells>, count: number, tenantId = 'ten_a') {
  const row = rowOf({ tenantId });
  for (let n = 0; n < count; n++) cells.add({ ...row, tool_id: `tool-${n}` });
}

describe('cells', () => {
  it('have the calls of one minute, tenant, key, tool and upstream', () => {
    const minute = fc.constantFrom(0, 1000, 59_999, 60_000, 120_000);
    const change = fc.record({
      tenantId: fc.constantFrom('ten_a', 'ten_b'),
      apiKeyId: fc.constantFrom('key_a', 'key_b'),
      toolId: fc.constantFrom('a', 'b'),
      upstream: fc.constantFrom(
        { method: 'GET', url: 'https://a.example/x', status: 200 },
        { method: 'GET', url: 'https://a.example?x', status: 200 },
        { method: 'GET', url: 'https://a.example.org/x', status: 200 },
        { method: 'GET', url: null, status: null },
      ),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(change, minute), { minLength: 1 }), (changes) => {
        const cells = createCells();
        const expected = new Map<string, number>();
        for (const [of, ms] of changes) {
          cells.add(rowOf(of, NOON_MS + ms));
          const origin = of.upstream.url?.match(/^https:..[a-z.]+/)?.[0] ?? '(none)';
          const minuteMs = NOON_MS + Math.floor(ms / 60_000) * 60_000;
          const place = [minuteMs, of.tenantId, of.apiKeyId, of.toolId, origin].join(' ');
          expected.set(place, (expected.get(place) ?? 0) + 1);
        }
        expect(placesOf(cells.take())).toEqual(expected);
      }),
    );
  });

  it('are handed over once, and can be put back', () => {
    const cells = createCells();
    cells.add(rowOf());
    const taken = cells.take();
    expect(cells.take()).toEqual([]);
    cells.add(rowOf());
    cells.add(rowOf({ toolId: 'b' }));
    cells.putBack(taken);
    expect(cells.take().map(({ tally }) => tally.calls)).toEqual([2, 1]);
  });

  it('are counted by minute and tenant beyond the bound, and no call is lost', () => {
    const cells = createCells();
    countTools(cells, MAX_CELLS);
    countTools(cells, 500, 'ten_b');
    cells.add(rowOf({}, NOON_MS + 60_000));
    const taken = cells.take();
    const others = taken.filter(({ toolId }) => toolId === OTHER);
    expect(taken).toHaveLength(MAX_CELLS + 2);
    expect(others).toMatchObject([
      { tenantId: 'ten_b', apiKeyId: OTHER, origin: OTHER, tally: { calls: 500 } },
      { tenantId: 'ten_a', minuteMs: NOON_MS + 60_000, tally: { calls: 1 } },
    ]);
    expect(callsOf(taken)).toBe(MAX_CELLS + 501);
  });

  it('stay bounded when they are put back, and with any number of tenants', () => {
    const cells = createCells();
    countTools(cells, MAX_CELLS);
    const taken = cells.take();
    countTools(cells, MAX_CELLS, 'ten_b');
    cells.putBack(taken);
    for (let n = 0; n < 2 * MAX_OTHER_CELLS; n++) cells.add(rowOf({ tenantId: `ten_${n}` }));
    const all = cells.take();
    expect(all).toHaveLength(MAX_CELLS + MAX_OTHER_CELLS);
    expect(callsOf(all)).toBe(2 * MAX_CELLS + MAX_OTHER_CELLS - 1);
  });

  it('have names that both databases store alike', () => {
    const cells = createCells();
    cells.add(rowOf({ toolId: `${'x'.repeat(400)}` }));
    cells.add(rowOf({ toolId: 'a\ud800' }));
    const [long, odd] = cells.take();
    expect(long?.toolId).toHaveLength(300);
    expect(odd?.toolId).toBe('a\ufffd');
  });
});
