import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeRecord } from '../../../test/support/audit-records.ts';
import { describeStores } from '../../../test/support/databases.ts';
import { openTestAudit, type TestAudit } from '../../../test/support/open-test-audit.ts';
import { ADVICE, type Cause } from '../../platform/kernel/cause.ts';
import { AUDIT_FILE_NAME } from '../record/audit-file.ts';
import type { AuditRecord } from '../record/audit-record.ts';
import { CALL_CAUSES, callCause, failureOrigin, ORIGIN_FILTERS } from '../record/failure-origin.ts';
import { type AuditFilter, matching, OUTCOMES } from './audit-filter.ts';

const NOW = 1_764_000_000_000;

const failed = (code: string): Partial<AuditRecord> => ({
  outcome: 'error',
  error: { code, message: 'It failed.' },
  upstream: { method: 'GET', url: null, status: null },
  cacheStatus: null,
});
const responded = (status: number): Partial<AuditRecord> => ({
  outcome: 'upstream_error',
  upstream: { method: 'GET', url: null, status },
});

const sentTo = (url: string): Partial<AuditRecord> => ({
  upstream: { method: 'GET', url, status: 200 },
});

/** Each record differs from the first by one thing at least. */
const RECORDS: readonly AuditRecord[] = [
  {},
  { tool: 'other' },
  failed('upstream_timeout'),
  { ...failed('invalid_arguments'), tool: 'other' },
  responded(404),
  { ...responded(503), apiKeyId: 'key_b' },
  { apiKeyId: 'person_b', clientName: 'Claude-Code/2.1' },
  {
    clientName: '100%_sure\\',
    cacheStatus: 'HIT' as const,
    ...sentTo('https://api.example.com:8443/a?x=https://other.example.com/'),
  },
  { requestId: 'req_b', clientName: 'cursor', ...sentTo('http://api.example.com:8443/') },
  { tenantId: 'ten_b' },
].map((change, index) => makeRecord(change, NOW + index));

/** Filters with the numbers of the records that they find, newest first. */
const CASES: readonly [string, Partial<AuditFilter>, number[]][] = [
  ['nothing', {}, [8, 7, 6, 5, 4, 3, 2, 1, 0]],
  ['a tool', { tool: 'other' }, [3, 1]],
  ['an outcome', { outcome: 'upstream_error' }, [5, 4]],
  ['success', { outcome: 'ok' }, [8, 7, 6, 1, 0]],
  ['success of a tool', { outcome: 'ok', tool: 'other' }, [1]],
  ['a cause', { error: 'upstream_timeout' }, [2]],
  ['a cause and an outcome', { error: 'upstream_timeout', outcome: 'ok' }, []],
  ['a cause of a tool', { error: 'invalid_arguments', tool: 'other' }, [3]],
  ['an upstream', { upstreamHost: 'API.example.com:8443' }, [8, 7]],
  ['part of an upstream', { upstreamHost: 'example.com:8443' }, []],
  ['a host within an address', { upstreamHost: 'other.example.com' }, []],
  ['an upstream with wildcards', { upstreamHost: 'api_example.com:8443' }, []],
  ['a class of status', { upstreamClass: 4 }, [4]],
  ['another class of status', { upstreamClass: 5 }, [5]],
  ['a key', { apiKeyId: 'key_b' }, [5]],
  ['a person', { apiKeyId: 'person_b' }, [6]],
  ['part of a client, in any case', { client: 'claude-CODE' }, [6]],
  ['a client with wildcards', { client: '%_SURE\\' }, [7]],
  ['a wildcard, which is not one', { client: 'c%r' }, []],
  ['a cache status', { cacheStatus: 'HIT' }, [7]],
  ['a request', { requestId: 'req_b' }, [8]],
  ['a time', { fromMs: NOW + 2, toMs: NOW + 4 }, [3, 2]],
  ['a time and a client', { client: 'c', fromMs: NOW + 7 }, [8]],
  [
    'text with NUL',
    { client: 'a\0', requestId: 'b\0', apiKeyId: '\0', error: '\0', upstreamHost: '\0' },
    [],
  ],
];

const CODES = [null, 'invalid_arguments', 'cancelled', 'overloaded', 'internal'];

/** Every outcome with every code and cause, as no record could have some of them. */
const ENDINGS: readonly AuditRecord[] = OUTCOMES.flatMap((outcome) =>
  (outcome === 'ok' ? [null] : CODES).flatMap((code) =>
    ([null, ...(Object.keys(ADVICE) as Cause[])] as const)
      .filter((cause) => outcome !== 'ok' || cause === null || cause === 'no_data')
      .map((cause) => ({ outcome, cause, error: code === null ? null : { code, message: '' } })),
  ),
).map((ending, index) => makeRecord({ ...ending, tenantId: 'ten_endings' }, NOW + index));

describeStores('a filter of the audit log', (backend) => {
  let log: TestAudit;
  beforeAll(async () => {
    log = await openTestAudit(backend);
    await log.append([...RECORDS, ...ENDINGS]);
  });
  afterAll(() => log.close());

  const idsOf = (numbers: readonly number[]) => numbers.map((number) => RECORDS[number]?.auditId);

  it.each(CASES)('finds %s', async (_, narrowed, expected) => {
    const filter = { tenantId: 'ten_a', ...narrowed };
    const { records, nextCursor } = await log.audit.store.list({ ...filter, limit: 100 });
    expect(records.map(({ auditId }) => auditId)).toEqual(idsOf(expected));
    expect(nextCursor).toBeNull();
  });

  it.each(CASES)('exports %s, oldest first', async (_, narrowed, expected) => {
    const pages = await Array.fromAsync(log.audit.store.pages({ tenantId: 'ten_a', ...narrowed }));
    expect(pages.flat().map(({ auditId }) => auditId)).toEqual(idsOf(expected.toReversed()));
  });

  const findEndings = async (filter: Partial<AuditFilter>) => {
    const { records } = await log.audit.store.list({
      ...{ tenantId: 'ten_endings', limit: 500, ...filter },
    });
    return records.map(({ auditId }) => auditId).toReversed();
  };
  const endingsWhere = (holds: (...ending: Parameters<typeof failureOrigin>) => boolean) =>
    ENDINGS.filter(({ outcome, error, cause }) => holds(outcome, error?.code ?? null, cause)).map(
      ({ auditId }) => auditId,
    );

  it.each(ORIGIN_FILTERS)(
    'finds failures of the origin %s as the statistics count them',
    async (origin) => {
      const expected = endingsWhere((...ending) => {
        const found = failureOrigin(...ending);
        return origin === 'failed' ? found !== null : found === origin;
      });
      expect(expected).not.toEqual([]);
      expect(await findEndings({ origin })).toEqual(expected);
    },
  );

  it.each(CALL_CAUSES)('finds calls with the cause %s as pages name it', async (cause) => {
    const expected = endingsWhere((...ending) => callCause(...ending) === cause);
    expect(expected).not.toEqual([]);
    expect(await findEndings({ cause })).toEqual(expected);
  });

  it
    .runIf(backend.name === 'embedded')
    .each([{ origin: 'failed' }, { origin: 'caller' }, { cause: 'quota' }] as const)(
    'reads the index of failures for %j',
    (narrowed) => {
      const records = log.database.db.selectFrom('audit_records').select('audit_id');
      const query = matching(records, { tenantId: 'ten_a', ...narrowed }).where(
        'timestamp_ms',
        '>',
        1,
      );
      const { sql, parameters } = query.orderBy('timestamp_ms', 'desc').compile();
      using file = new DatabaseSync(join(log.dataDir, AUDIT_FILE_NAME), { readOnly: true });
      const plan = file.prepare(`explain query plan ${sql}`).all(...(parameters as string[]));
      expect(String(plan[0]?.['detail'])).toMatch(/COVERING INDEX audit_records_failed/);
    },
  );

  it('finds the records of all tenants for the command line', async () => {
    const all = await log.audit.store.list({ tenantId: null, limit: 500 });
    expect(all.records).toHaveLength(RECORDS.length + ENDINGS.length);
    const some = await log.audit.store.list({
      tenantId: null,
      limit: 100,
      error: 'upstream_timeout',
    });
    expect(some.records.map(({ auditId }) => auditId)).toEqual(idsOf([2]));
  });

  it('does not find a record of another tenant by its id', async () => {
    expect(await log.audit.store.get('ten_a', RECORDS[9]?.auditId ?? '')).toBeUndefined();
    expect(await log.audit.store.get('ten_b', RECORDS[9]?.auditId ?? '')).toBeDefined();
  });
});
