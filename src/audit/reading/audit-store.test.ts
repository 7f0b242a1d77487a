import { afterEach, beforeEach, expect, it } from 'vitest';
import { asStored, makeRecord } from '../../../test/support/audit-records.ts';
import {
  describeStores,
  openTestDatabase,
  type TestPlace,
} from '../../../test/support/databases.ts';
import { until } from '../../../test/support/until.ts';
import type { Database } from '../../platform/database/database.ts';
import type { AuditRecordsTable } from '../../platform/database/tables.ts';
import { type Audit, openAudit, openAuditReader } from '../audit.ts';
import { createBatchWriter } from '../ledger/audit-batch.ts';
import { openAuditFile } from '../record/audit-file.ts';
import type { AuditRecord, StoredAuditRecord } from '../record/audit-record.ts';
import { toRow } from '../record/audit-row.ts';
import type { AuditFilter } from './audit-filter.ts';
import type { AuditListRequest } from './audit-store.ts';
import { encodeExport } from './encode-export.ts';

const NOW = 1_764_000_000_000;

describeStores('the audit store', (backend) => {
  let place: TestPlace;
  let database: Database;
  let audit: Audit;

  beforeEach(async () => {
    place = await backend.makePlace();
    database = await openTestDatabase(place);
    audit = await openAudit({
      dataDir: place.dataDir,
      database,
      clock: { now: () => NOW },
      fsync: false,
      retentionDays: 0,
      maxOutboxRecords: 1_000_000,
      onError: () => undefined,
    });
  });
  afterEach(async () => {
    await audit.close();
    await database.close();
    await place.remove();
  });

  const append = async (records: readonly AuditRecord[]) => {
    await Promise.all(records.map((record) => audit.ledger.append(record)));
  };
  /** Writes rows as an older version did, without caps. */
  const writeDirectly = async (rows: readonly AuditRecordsTable[]) => {
    if (backend.name === 'postgres') {
      for (const row of rows) await database.db.insertInto('audit_records').values(row).execute();
      return;
    }
    const file = await openAuditFile({ dataDir: place.dataDir, fsync: false });
    createBatchWriter(file.writer)(rows.map((row) => ({ row })));
    await file.close();
  };
  const idsOf = (records: readonly { readonly auditId: string }[]) =>
    records.map((record) => record.auditId);
  const list = (filter: Partial<AuditListRequest> = {}) =>
    audit.store.list({ tenantId: 'ten_a', limit: 100, ...filter });

  it('returns a record as it was appended, at once', async () => {
    const records = [
      makeRecord({ clientName: 'claude', clientIp: '2001:db8::1' }),
      makeRecord({
        outcome: 'error',
        error: { code: 'upstream_timeout', message: '늦음' },
        upstream: { method: 'GET', url: null, status: null },
        cacheStatus: null,
        publicData: null,
        upstreamMs: null,
        responseBytes: 5_000_000_000,
      }),
    ];
    await append(records);
    for (const record of records) {
      expect(await audit.store.get('ten_a', record.auditId)).toEqual(asStored(record));
    }
  });

  it('shows a tenant only its own records', async () => {
    const [mine, other] = [makeRecord(), makeRecord({ tenantId: 'ten_b' })];
    await append([mine, other]);
    expect(idsOf((await list()).records)).toEqual([mine.auditId]);
    expect(await audit.store.get('ten_a', other.auditId)).toBeUndefined();
  });

  it('pages through all records, newest first, including those of the same millisecond', async () => {
    const records = Array.from({ length: 25 }, (_, i) => makeRecord({}, NOW + Math.floor(i / 10)));
    await append(records);
    const seen: StoredAuditRecord[] = [];
    let cursor: string | undefined;
    do {
      const page = await list({ limit: 7, cursor });
      seen.push(...page.records);
      cursor = page.nextCursor ?? undefined;
      // Records that arrive meanwhile are newer than all pages that follow.
      await append([makeRecord({}, NOW + 1000)]);
    } while (cursor !== undefined);
    expect(new Set(idsOf(seen))).toEqual(new Set(idsOf(records)));
    expect(seen).toHaveLength(25);
    const timestamps = seen.map((record) => record.timestamp);
    expect(timestamps).toEqual(timestamps.toSorted((a, b) => b.localeCompare(a)));
  });

  it('has no next cursor on the last page', async () => {
    await append([makeRecord(), makeRecord()]);
    expect((await list({ limit: 2 })).nextCursor).toBeNull();
    expect((await list({ limit: 1 })).nextCursor).not.toBeNull();
  });

  it('filters by tool, outcome and time', async () => {
    const ok = makeRecord({ tool: 'a' }, NOW);
    const failed = makeRecord({ tool: 'a', outcome: 'error' }, NOW + 1);
    const refused = makeRecord({ tool: 'b', outcome: 'upstream_error' }, NOW + 2);
    await append([ok, failed, refused]);
    const found = async (filter: Partial<AuditListRequest>) => idsOf((await list(filter)).records);
    expect(await found({ tool: 'a' })).toEqual([failed.auditId, ok.auditId]);
    expect(await found({ outcome: 'ok' })).toEqual([ok.auditId]);
    expect(await found({ outcome: 'error' })).toEqual([failed.auditId]);
    expect(await found({ outcome: 'upstream_error', tool: 'a' })).toEqual([]);
    expect(await found({ fromMs: NOW + 1 })).toEqual([refused.auditId, failed.auditId]);
    expect(await found({ fromMs: NOW, toMs: NOW + 1 })).toEqual([ok.auditId]);
  });

  it('limits a page by its bytes but includes at least one record, also for rows of older versions', async () => {
    const url = `https://example.com/?q=${'x'.repeat(400_000)}`;
    const rows = Array.from({ length: 7 }, (_, i) => ({
      ...toRow(makeRecord({}, NOW + i)),
      upstream_url: i === 3 ? url.repeat(6) : url,
    }));
    await writeDirectly(rows);
    const sizes: number[] = [];
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list({ cursor });
      sizes.push(page.records.length);
      seen.push(...idsOf(page.records));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(rows.map((row) => row.audit_id).reverse());
    expect(sizes).toEqual([3, 1, 3]);
    const lines = await exported(audit, { tenantId: null });
    expect(lines.map((line) => JSON.parse(line).auditId)).toEqual(rows.map((row) => row.audit_id));
  });

  it('finds nothing for values that no record can contain', async () => {
    await append([makeRecord()]);
    expect((await list({ tool: 'a\0b' })).records).toEqual([]);
    for (const auditId of ['', 'a\0b', "aud_'", `aud_${'x'.repeat(10_000)}`]) {
      expect(await audit.store.get('ten_a', auditId)).toBeUndefined();
    }
  });

  it.each(['', 'x', 'aud_1', Buffer.from('1.aud_x;drop').toString('base64url')])(
    'refuses the cursor "%s"',
    async (cursor) => {
      await expect(list({ cursor })).rejects.toMatchObject({ code: 'invalid_request' });
    },
  );

  it('exports records as lines of JSON, oldest first, also from another process', async () => {
    const records = Array.from({ length: 1100 }, (_, i) => makeRecord({}, NOW + i));
    await append([...records, makeRecord({ tenantId: 'ten_b' }, NOW)]);
    await until(() => audit.ledger.stats().outbox === 0);
    const reader = await openAuditReader({ dataDir: place.dataDir, database });
    const lines = await exported(reader, {
      tenantId: 'ten_a',
      fromMs: NOW + 5,
      toMs: NOW + 1050,
    });
    expect(lines.map((line) => JSON.parse(line))).toEqual(records.slice(5, 1050).map(asStored));
    expect(await exported(reader, { tenantId: null })).toHaveLength(1101);
    await reader.close();
  });
});

async function exported({ store }: Pick<Audit, 'store'>, filter: AuditFilter): Promise<string[]> {
  const chunks = await Array.fromAsync(encodeExport(store.pages(filter), 'ndjson'));
  const text = Buffer.concat(chunks).toString();
  expect(text.endsWith('\n')).toBe(true);
  return text.trimEnd().split('\n');
}
