import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeRecord } from '../../test/support/audit-records.ts';
import { describeStores, postgres, type TestPlace } from '../../test/support/databases.ts';
import { type CountedAudit, openCountedAudit } from '../../test/support/statistics.ts';
import { AUDIT_FILE_NAME } from '../audit/record/audit-file.ts';
import type { AuditRecord } from '../audit/record/audit-record.ts';
import { toRow } from '../audit/record/audit-row.ts';
import { Secret } from '../platform/kernel/secret.ts';
import { openStatistics } from './open-statistics.ts';
import type { StatisticsQuery } from './read-series.ts';

/** 12:00 in Seoul. */
const NOW = Date.UTC(2026, 10, 21, 3);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const LAST_HOUR: StatisticsQuery = {
  tenantId: 'ten_a',
  fromMs: NOW - HOUR,
  toMs: NOW,
  by: 'none',
  top: 5,
};

const failed = (code: string, cause: AuditRecord['cause'] = null): Partial<AuditRecord> => ({
  outcome: 'error',
  cause,
  error: { code, message: 'It failed.' },
  cacheStatus: null,
  upstreamMs: null,
});

const UNUSED = { lastUsedAtMs: null, callsToday: 0, failuresToday: 0, refusedToday: 0 };

describeStores('statistics', (backend) => {
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

  const make = (change: Partial<AuditRecord>, beforeMs = MINUTE) =>
    makeRecord(change, NOW - beforeMs);
  const count = async (...records: AuditRecord[]) => {
    await counted.append(records);
    await counted.counted();
  };

  it('name the people who called tools of a tenant, last first', async () => {
    await count(
      make({ apiKeyId: 'person_a' }, 2 * MINUTE),
      make({ apiKeyId: 'person_b' }),
      make({ apiKeyId: 'key_a' }),
      make({ apiKeyId: 'person_c', tenantId: 'ten_b' }),
    );
    expect(await counted.statistics.people('ten_a')).toEqual(['person_b', 'person_a']);
  });

  it('count calls, failures by origin and the cache', async () => {
    await count(
      make({ cacheStatus: 'HIT', durationMs: 1 }),
      make({ cacheStatus: 'STALE', durationMs: 1 }),
      make({ cacheStatus: 'COALESCED', durationMs: 1 }),
      make({ cacheStatus: 'MISS', durationMs: 100 }),
      make({ cacheStatus: 'BYPASS', durationMs: 100 }),
      make({ cacheStatus: 'MISS', outcome: 'upstream_error', cause: 'not_approved' }),
      make(failed('invalid_arguments', 'arguments')),
      make(failed('upstream_timeout', 'network')),
      make(failed('upstream_circuit_open', 'upstream')),
      make(failed('internal')),
      make({ tenantId: 'ten_b' }),
    );
    const { all } = await counted.statistics.totals(LAST_HOUR);
    expect(all).toMatchObject({
      calls: 10,
      failures: { caller: 1, key: 1, upstream: 2, gateway: 1 },
      cache: { hit: 1, stale: 1, coalesced: 1, miss: 2, bypass: 1 },
      cacheRatio: 0.6,
      upstreamRequests: 4,
      responseBytes: 23_450,
      lastCallMs: NOW - MINUTE,
    });
    expect(Math.abs((all.p99Ms ?? 0) - 100)).toBeLessThan(20);
    const everyone = await counted.statistics.totals({
      ...LAST_HOUR,
      tenantId: null,
      by: 'tenant',
    });
    expect(everyone.all.calls).toBe(11);
    expect(everyone.groups.map(({ subject, figures }) => [subject, figures.calls])).toEqual([
      ['ten_a', 10],
      ['ten_b', 1],
    ]);
  });

  it('have a series for each of the largest groups, and one for the others', async () => {
    const of = (toolId: string, calls: number, beforeMs: number) =>
      Array.from({ length: calls }, () => make({ toolId }, beforeMs));
    await count(...of('a', 5, MINUTE), ...of('a', 1, 3 * MINUTE), ...of('b', 3, MINUTE));
    await count(...of('c', 2, 2 * MINUTE), ...of('d', 1, 2 * MINUTE));
    const series = await counted.statistics.series({ ...LAST_HOUR, by: 'tool', top: 2 });
    expect(series.step).toBe('minute');
    expect(series.timesMs).toHaveLength(60);
    const lines = series.groups.map(({ kind, subject, points }) => [
      kind,
      subject,
      points.calls.slice(-3),
    ]);
    expect(lines).toEqual([
      ['all', null, [1, 3, 8]],
      ['group', 'a', [1, 0, 5]],
      ['group', 'b', [0, 0, 3]],
      ['other', null, [0, 3, 0]],
    ]);
    expect(series.groups[3]?.points.p50Ms.slice(-3)).toEqual([null, expect.any(Number), null]);
    const chosen = await counted.statistics.series({ ...LAST_HOUR, by: 'tool', subjects: ['d'] });
    expect(chosen.groups.map(({ subject, figures }) => [subject, figures.calls])).toEqual([
      [null, 12],
      ['d', 1],
      [null, 11],
    ]);
    const upstreams = await counted.statistics.totals({ ...LAST_HOUR, by: 'upstream' });
    expect(upstreams.groups.map(({ subject }) => subject)).toEqual(['https://example.com']);
  });

  it('find the largest groups of a range over its whole days and the hours before and after', async () => {
    const of = (toolId: string, calls: number, beforeMs: number) =>
      Array.from({ length: calls }, () => make({ toolId }, beforeMs));
    await count(...of('days', 2, 2 * DAY), ...of('days', 2, 3 * DAY), ...of('today', 3, MINUTE));
    await count(...of('both', 3, 2 * DAY), ...of('both', 2, HOUR), ...of('first hour', 1, 5 * DAY));
    const range = { ...LAST_HOUR, fromMs: NOW - 5 * DAY, by: 'tool' } as const;
    const { groups } = await counted.statistics.totals({ ...range, top: 4 });
    expect(groups.map(({ subject, figures }) => [subject, figures.calls])).toEqual([
      ['both', 5],
      ['days', 4],
      ['today', 3],
      ['first hour', 1],
    ]);
    const later = await counted.statistics.totals({ ...range, fromMs: NOW - 2 * DAY - HOUR });
    expect(later.groups.map(({ subject }) => subject)).toEqual(['both', 'today', 'days']);
    const { step, groups: lines } = await counted.statistics.series({ ...range, top: 1 });
    expect([step, lines[1]?.subject]).toEqual(['hour', 'both']);
  });

  it('have minutes up to 6 hours, hours up to 14 days, then days that begin in Seoul', async () => {
    await count(make({}), make({}, 20 * HOUR), make({}, 3 * DAY), make({}, 40 * DAY));
    const seriesOf = (lengthMs: number) =>
      counted.statistics.series({ ...LAST_HOUR, fromMs: NOW - lengthMs });
    const shapeOf = async (lengthMs: number) => {
      const { step, timesMs, groups } = await seriesOf(lengthMs);
      return [step, timesMs.length, groups[0]?.figures.calls];
    };
    expect(await shapeOf(6 * HOUR)).toEqual(['minute', 360, 1]);
    expect(await shapeOf(DAY)).toEqual(['hour', 24, 2]);
    expect(await shapeOf(14 * DAY)).toEqual(['hour', 336, 3]);
    expect(await shapeOf(60 * DAY)).toEqual(['day', 61, 4]);
    const days = await seriesOf(60 * DAY);
    expect(new Date(days.timesMs.at(-1) ?? 0).toISOString()).toBe('2026-11-20T15:00:00.000Z');
    await expect(seriesOf(1001 * DAY)).rejects.toMatchObject({ code: 'invalid_arguments' });
  });

  it('know when a key was last used, and what it did today', async () => {
    await count(
      make({ apiKeyId: 'key_1' }),
      make({ apiKeyId: 'key_1', ...failed('forbidden') }, 11 * HOUR),
      make({ apiKeyId: 'key_1' }, 13 * HOUR),
      make({ apiKeyId: 'key_2' }, 5 * DAY),
      make({ apiKeyId: 'key_3', tenantId: 'ten_b' }),
    );
    expect(await counted.statistics.keyUsage('ten_a', ['key_3', 'key_2', 'key_1'])).toEqual([
      { apiKeyId: 'key_3', ...UNUSED },
      { apiKeyId: 'key_2', ...UNUSED, lastUsedAtMs: NOW - 5 * DAY },
      { apiKeyId: 'key_1', ...UNUSED, lastUsedAtMs: NOW - MINUTE, callsToday: 2, failuresToday: 1 },
    ]);
    expect(await counted.statistics.keyUsage('ten_a', [])).toEqual([]);
    const many = Array.from({ length: 2001 }, (_, n) => `key_${n}`);
    await expect(counted.statistics.keyUsage('ten_a', many)).rejects.toMatchObject({
      code: 'invalid_arguments',
    });
  });

  it('show the tools of a key and the keys of a tool, and no others that begin or end alike', async () => {
    await count(
      make({ apiKeyId: 'key_1', toolId: 'a' }),
      make({ apiKeyId: 'key_1', toolId: 'a', ...failed('upstream_timeout', 'network') }),
      make({ apiKeyId: 'key_1', toolId: 'b_a' }, 2 * HOUR),
      make({ apiKeyId: 'key_12', toolId: 'a' }),
      make({ apiKeyId: 'key%1', toolId: 'a' }, 3 * DAY),
      make({ apiKeyId: 'key_1', toolId: 'a', tenantId: 'ten_b' }),
    );
    const range = { ...LAST_HOUR, fromMs: NOW - 5 * DAY };
    const of = async (change: Partial<StatisticsQuery>) => {
      const { all, groups } = await counted.statistics.totals({ ...range, ...change });
      return [all.calls, ...groups.map(({ subject, figures }) => `${subject} ${figures.calls}`)];
    };
    const ofKey = { by: 'tool', of: { kind: 'key', id: 'key_1' } } as const;
    expect(await of(ofKey)).toEqual([3, 'a 2', 'b_a 1']);
    // A range of minutes is extended to its hours.
    expect(await of({ ...ofKey, fromMs: NOW - 10 * MINUTE })).toEqual([2, 'a 2']);
    expect(await of({ by: 'key', of: { kind: 'tool', id: 'a' } })).toEqual([
      4,
      'key_1 2',
      'key%1 1',
      'key_12 1',
    ]);
    const { groups } = await counted.statistics.totals({ ...range, ...ofKey });
    expect(groups[0]?.figures.failures).toMatchObject({ upstream: 1 });
  });

  it('count refused requests by key and reason, apart from calls', async () => {
    const { statistics } = counted;
    const key = (n: number, tenantId = 'ten_a') => ({ tenantId, apiKeyId: `key_${n}` });
    statistics.refused(key(1), 'rate_limit');
    statistics.refused(key(1), 'rate_limit');
    await statistics.flush();
    statistics.refused(key(1), 'rate_limit');
    statistics.refused(key(2), 'unknown_tool');
    statistics.refused(key(1, 'ten_b'), 'tool_not_allowed');
    await statistics.flush();
    // The minute that has begun is not in the hour before.
    const range = { tenantId: 'ten_a', fromMs: NOW - 59 * MINUTE, toMs: NOW + MINUTE };
    const found = await statistics.refusals(range);
    expect(found).toMatchObject({ step: 'minute', total: 4, reasons: [{ lastMs: NOW }, {}] });
    expect(found.reasons.map(({ reason, count: n, points }) => [reason, n, points.at(-1)])).toEqual(
      [
        ['rate_limit', 3, 3],
        ['unknown_tool', 1, 1],
      ],
    );
    expect(found.subjects).toEqual([
      { subject: 'key_1', count: 3 },
      { subject: 'key_2', count: 1 },
    ]);
    expect(await statistics.refusals({ ...range, apiKeyId: 'key_2' })).toMatchObject({
      total: 1,
      reasons: [{ reason: 'unknown_tool' }],
    });
    expect(await statistics.refusals({ ...range, tenantId: null })).toMatchObject({
      total: 5,
      subjects: [
        { subject: 'ten_a', count: 4 },
        { subject: 'ten_b', count: 1 },
      ],
    });
    expect(await statistics.keyUsage('ten_a', ['key_1', 'key_3'])).toEqual([
      { apiKeyId: 'key_1', ...UNUSED, refusedToday: 3 },
      { apiKeyId: 'key_3', ...UNUSED },
    ]);
    expect((await statistics.totals(LAST_HOUR)).all.calls).toBe(0);
  });

  it('have the use of today of every tenant', async () => {
    await count(
      make({}),
      make(failed('internal')),
      make({ tenantId: 'ten_b' }),
      make({ tenantId: 'ten_c' }, DAY),
    );
    counted.statistics.refused({ tenantId: 'ten_d', apiKeyId: 'key_1' }, 'rate_limit');
    await counted.statistics.flush();
    const none = { callsToday: 0, failuresToday: 0, refusedToday: 0 };
    expect(
      (await counted.statistics.tenantUsage()).toSorted((a, b) =>
        a.tenantId < b.tenantId ? -1 : 1,
      ),
    ).toEqual([
      { tenantId: 'ten_a', ...none, callsToday: 2, failuresToday: 1 },
      { tenantId: 'ten_b', ...none, callsToday: 1 },
      { tenantId: 'ten_d', ...none, refusedToday: 1 },
    ]);
  });

  it('name the tenants whose calls fail, however few, unless their callers are to blame', async () => {
    const refused = failed('upstream_unreachable', 'network');
    await count(
      ...Array.from({ length: 25 }, (_, at) => make({ tenantId: `ten_${at}` })),
      ...Array.from({ length: 25 }, (_, at) => make({ tenantId: `ten_${at}` })),
      make({ tenantId: 'ten_few', ...refused }),
      make({ tenantId: 'ten_most', ...failed('missing_secret', 'operator_key') }),
      make({ tenantId: 'ten_most', ...refused }, 20 * HOUR),
      make({ tenantId: 'ten_caller', ...failed('invalid_arguments', 'arguments') }),
      make({ tenantId: 'ten_earlier', ...refused }, 26 * HOUR),
    );
    expect(await counted.statistics.failingTenants(20)).toEqual(['ten_most', 'ten_few']);
    expect(await counted.statistics.failingTenants(1)).toEqual(['ten_most']);
  });

  it('summarise tools over the last 24 hours', async () => {
    await count(make({ toolId: 'a' }), make({ toolId: 'a' }, 20 * HOUR), make({ toolId: 'b' }));
    const summaries = await counted.statistics.toolSummary('ten_a', ['a', 'x']);
    expect(
      summaries.map(({ toolId, callsToday, lastDay }) => [toolId, callsToday, lastDay.calls]),
    ).toEqual([
      ['a', 1, 2],
      ['x', 0, 0],
    ]);
    expect(summaries[1]?.lastDay).toMatchObject({ p95Ms: null, cacheRatio: null });
  });

  it('count the calls of tools whose ids begin alike, over the last 24 hours', async () => {
    await count(
      make({ toolId: '@acme.books.list' }),
      make({ toolId: '@acme.books.read', ...failed('upstream_timeout') }, 20 * HOUR),
      make({ toolId: '@acme.books.read' }, 30 * HOUR),
      make({ toolId: '@acme.booksellers.list' }),
      make({ toolId: '@acme.books.list', tenantId: 'ten_b' }),
    );
    expect(await counted.statistics.prefixCalls('ten_a', ['@acme.books.', '@acme.none.'])).toEqual([
      { prefix: '@acme.books.', calls: 2, failures: 1 },
      { prefix: '@acme.none.', calls: 0, failures: 0 },
    ]);
    const many = Array.from({ length: 101 }, (_, n) => `@acme.${n}.`);
    await expect(counted.statistics.prefixCalls('ten_a', many)).rejects.toMatchObject({
      code: 'invalid_arguments',
    });
  });

  it('count a late record in the time of its call', async () => {
    await count(make({}));
    await count(make({}, 30 * MINUTE), make({}, 3 * DAY));
    const { groups } = await counted.statistics.series(LAST_HOUR);
    expect(groups[0]?.points.calls[30]).toBe(1);
    expect(groups[0]?.figures.calls).toBe(2);
    const week = await counted.statistics.totals({ ...LAST_HOUR, fromMs: NOW - 7 * DAY });
    expect(week.all.calls).toBe(3);
  });

  it('refuse to group one tenant by tenant, and more than 20 groups', async () => {
    const { statistics } = counted;
    await expect(statistics.series({ ...LAST_HOUR, by: 'tenant' })).rejects.toMatchObject({
      code: 'invalid_arguments',
    });
    const subjects = Array.from({ length: 21 }, (_, n) => `t${n}`);
    await expect(statistics.series({ ...LAST_HOUR, by: 'tool', subjects })).rejects.toMatchObject({
      code: 'invalid_arguments',
    });
    await count(...Array.from({ length: 25 }, (_, n) => make({ toolId: `tool-${n}` })));
    const { groups } = await statistics.totals({ ...LAST_HOUR, by: 'tool', top: 100 });
    expect(groups).toHaveLength(20);
  });

  /** Changes the tables of the database behind the gateway. */
  const change = async (statement: string): Promise<void> => {
    if (backend.name === 'postgres') {
      await sql.raw(statement).execute(counted.database.db);
      return;
    }
    const file = new DatabaseSync(join(place.dataDir, AUDIT_FILE_NAME));
    file.exec(statement);
    file.close();
  };

  it('keep what the database does not accept, and add it later', async () => {
    await count(make({}));
    await change('alter table statistics rename to away');
    await counted.append([make({ toolId: 'a' }), make({})]);
    await expect(counted.statistics.flush()).rejects.toMatchObject({ code: 'internal' });
    await counted.append([make({ toolId: 'a' })]);
    await expect(counted.statistics.flush()).rejects.toThrow();
    await change('alter table away rename to statistics');
    await counted.statistics.flush();
    await counted.statistics.flush();
    const { all, groups } = await counted.statistics.totals({ ...LAST_HOUR, by: 'tool' });
    expect([all.calls, groups[0]?.subject, groups[0]?.figures.calls]).toEqual([4, 'a', 2]);
  });

  it('write more combinations than one statement takes', async () => {
    await count(...Array.from({ length: 120 }, (_, n) => make({ toolId: `tool-${n}` }, HOUR)));
    const { all } = await counted.statistics.totals({ ...LAST_HOUR, fromMs: NOW - 2 * HOUR });
    expect(all.calls).toBe(120);
  });

  it('write what is counted when they close, in the order of a stop', async () => {
    await Promise.all([counted.append([make({}), make({})]), counted.close()]);
    counted = await openCountedAudit(place, NOW);
    expect((await counted.statistics.totals(LAST_HOUR)).all.calls).toBe(2);
  });

  it('lose only what was not written when the process is killed, and have no half of a write', async () => {
    const script = join(import.meta.dirname, '../../test/support/count-forever.ts');
    const url = place.databaseUrl ? [place.databaseUrl.reveal()] : [];
    let written = 0;
    for (const delayMs of [0, 7, 20]) {
      const child = spawn(process.execPath, [script, place.dataDir, ...url]);
      child.stdout.on('data', (dots: Buffer) => {
        written += dots.length;
      });
      await once(child.stdout, 'data');
      await sleep(delayMs);
      const ended = once(child, 'close');
      child.kill('SIGKILL');
      await ended;
    }
    const now = Date.now();
    const calls: number[] = [];
    for (const hours of [1, 24, 24 * 30]) {
      const range = { fromMs: now - hours * HOUR, toMs: now + MINUTE };
      const query = { ...LAST_HOUR, ...range, by: 'tool', subjects: ['tool-3'] } as const;
      const { all, groups } = await counted.statistics.totals(query);
      calls.push(all.calls);
      expect(groups[0]?.figures.calls).toBe(all.calls / 40);
    }
    expect(new Set(calls).size).toBe(1);
    expect(calls[0]).toBeGreaterThanOrEqual(40 * written);
    expect(calls[0]).toBeLessThanOrEqual(40 * (written + 3));
  });
});

it('end within seconds when the database does not respond, and report what is lost', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const errors: unknown[] = [];
  const statistics = openStatistics({
    databaseUrl: new Secret(`postgres://gateway@127.0.0.1:${port}/gateway`),
    dataDir: '',
    clock: { now: () => NOW },
    onError: (error) => errors.push(error),
  });
  statistics.count([toRow(makeRecord({}, NOW))]);
  const startedMs = performance.now();
  await statistics.close();
  expect(performance.now() - startedMs).toBeLessThan(4000);
  expect(errors).toHaveLength(1);
  silent.close();
});

it.runIf(postgres)('fail with the code of what the database refused, for the log', async () => {
  const place = await postgres?.makePlace();
  const url = new URL(place?.databaseUrl?.reveal() ?? '');
  url.pathname = '/no_such_database';
  const statistics = openStatistics({
    databaseUrl: new Secret(url.href),
    dataDir: place?.dataDir ?? '',
    clock: { now: () => NOW },
    onError: () => undefined,
  });
  await expect(statistics.people('ten_a')).rejects.toMatchObject({
    code: 'unavailable',
    cause: { code: '3D000' },
  });
  await statistics.close();
  await place?.remove();
});
