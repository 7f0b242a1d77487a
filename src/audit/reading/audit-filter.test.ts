import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeRecord } from '../../../test/support/audit-records.ts';
import { describeStores } from '../../../test/support/databases.ts';
import { openTestAudit, type TestAudit } from '../../../test/support/open-test-audit.ts';
import type { AuditRecord } from '../record/audit-record.ts';
import type { AuditFilter } from './audit-filter.ts';

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

describeStores('a filter of the audit log', (backend) => {
  let log: TestAudit;
  beforeAll(async () => {
    log = await openTestAudit(backend);
    await log.append(RECORDS);
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

  it('finds the records of all tenants for the command line', async () => {
    const all = await log.audit.store.list({ tenantId: null, limit: 100 });
    expect(all.records).toHaveLength(RECORDS.length);
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
