import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeRecord } from '../../../test/support/audit-records.ts';
import { describeStores, type TestPlace } from '../../../test/support/databases.ts';
import { type CountedAudit, openCountedAudit } from '../../../test/support/statistics.ts';
import { MAX_FAILURES } from '../../audit/reading/audit-store.ts';
import type { AuditRecord } from '../../audit/record/audit-record.ts';
import { createFailingTools, MAX_FAILING, MIN_CALLS } from './failing-tools.ts';

/** 12:00:30 in Seoul. */
const NOW = Date.UTC(2026, 10, 21, 3, 0, 30);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TOOL = '@acme.parcels.list';

const refused: Partial<AuditRecord> = {
  outcome: 'upstream_error',
  cause: 'operator_key',
  upstream: { method: 'GET', url: 'https://example.com/', status: 401 },
};
const error = (code: string, cause: AuditRecord['cause']): Partial<AuditRecord> => ({
  outcome: 'error',
  error: { code, message: 'It failed.' },
  cause,
});

describeStores('the tools that fail', (backend) => {
  let place: TestPlace;
  let counted: CountedAudit;

  beforeEach(async () => {
    place = await backend.makePlace();
    counted = await openCountedAudit(place, NOW);
  });
  afterEach(async () => {
    expect(counted.errors).toEqual([]);
    await counted.close();
    await place.remove();
  });

  const call = (minutesAgo: number, change: Partial<AuditRecord> = {}) =>
    makeRecord({ toolId: TOOL, ...change }, NOW - minutesAgo * MINUTE);
  const failingAfter = async (...records: AuditRecord[]) => {
    await counted.append(records);
    await counted.counted();
    const { failures } = counted.audit.store;
    const { lastGood } = counted.statistics;
    const find = createFailingTools({ failures, lastGood, clock: { now: () => NOW } });
    return [...(await find('ten_a')).values()];
  };

  it('are those whose last calls all failed, since the first of these', async () => {
    const failing = await failingAfter(
      call(200),
      call(90, refused),
      ...[80, 60, 40].map((ago) => call(ago, refused)),
      call(70, { toolId: 'other.tool' }),
    );
    expect(failing).toEqual([
      {
        toolId: TOOL,
        sinceMs: NOW - 90 * MINUTE,
        calls: 4,
        cause: 'operator_key',
        status: 401,
        code: null,
      },
    ]);
  });

  it('work again with the first good call', async () => {
    const failed = [50, 40, 30].map((ago) => call(ago, refused));
    expect(await failingAfter(...failed, call(1, { cacheStatus: 'HIT' }))).toEqual([]);
  });

  it('fail again only with as many calls after the good one', async () => {
    const before = [50, 40, 30].map((ago) => call(ago, refused));
    expect(await failingAfter(...before, call(20), call(10, refused), call(9, refused))).toEqual(
      [],
    );
    expect(await failingAfter(call(8, refused))).toMatchObject([
      { calls: MIN_CALLS, sinceMs: NOW - 10 * MINUTE },
    ]);
  });

  it('are not those whose callers make mistakes, or meet a gateway that fails', async () => {
    const kinds: Partial<AuditRecord>[] = [
      error('invalid_arguments', 'arguments'),
      { outcome: 'upstream_error', cause: 'arguments' },
      error('overloaded', null),
    ];
    expect(
      await failingAfter(
        ...kinds.flatMap((kind, at) =>
          [3, 2, 1].map((ago) => call(ago, { ...kind, toolId: `tool.${at}` })),
        ),
      ),
    ).toEqual([]);
  });

  it('have the cause of the last call', async () => {
    const calls = [call(3, refused), call(2, refused), call(1, error('quota_exhausted', 'quota'))];
    expect(await failingAfter(...calls)).toMatchObject([
      { cause: 'quota', code: 'quota_exhausted' },
    ]);
  });

  it('are those of the tenant and of the last 24 hours only', async () => {
    const elsewhere = [3, 2, 1].map((ago) => call(ago, { ...refused, tenantId: 'ten_b' }));
    const long = [3, 2, 1].map((hours) => call(24 * 60 + hours, refused));
    expect(await failingAfter(...elsewhere, ...long, call(5, refused))).toEqual([]);
  });
});

it('are found among a bounded number of failures and tools, and kept for a moment', async () => {
  let reads = 0;
  const asked: number[] = [];
  const find = createFailingTools({
    failures: async () => {
      reads++;
      return Array.from({ length: MAX_FAILURES }, (_, at) => ({
        audit_id: `aud_${at}`,
        timestamp_ms: NOW - at,
        tool_id: `tool.${at % 200}`,
        upstream_status: 500,
        error_code: null,
        cause: 'upstream' as const,
      }));
    },
    lastGood: async (_, toolIds) => {
      asked.push(toolIds.length);
      return new Map([['tool.0', NOW - HOUR]]);
    },
    clock: { now: () => NOW },
  });
  expect((await find('ten_a')).size).toBe(MAX_FAILING);
  await find('ten_a');
  expect([reads, asked]).toEqual([1, [MAX_FAILING]]);
  await find('ten_b');
  expect(reads).toBe(2);
});

it('are read again after a failure to read them', async () => {
  let reads = 0;
  const find = createFailingTools({
    failures: async () => {
      reads++;
      throw new Error('away');
    },
    lastGood: async () => new Map(),
    clock: { now: () => NOW },
  });
  for (let round = 0; round < 2; round++) await expect(find('ten_a')).rejects.toThrow('away');
  expect(reads).toBe(2);
});
