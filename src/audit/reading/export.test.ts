import { afterAll, beforeAll, expect, it } from 'vitest';
import { asStored, makeRecord } from '../../../test/support/audit-records.ts';
import { describeStores } from '../../../test/support/databases.ts';
import { openTestAudit, type TestAudit } from '../../../test/support/open-test-audit.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { type AuditReader, openAuditReader } from '../audit.ts';
import { type AuditQueries, createAuditQueries } from './audit-search.ts';
import { exportPages } from './audit-store.ts';
import { encodeExport } from './encode-export.ts';

const NOW = 1_764_000_000_000;
const RECORDS = Array.from({ length: 1001 }, (_, n) =>
  makeRecord({ tool: n % 2 === 0 ? 'even' : 'odd' }, NOW + Math.floor(n / 3)),
);

describeStores('an export', (backend) => {
  let log: TestAudit;
  let reader: AuditReader;
  beforeAll(async () => {
    log = await openTestAudit(backend);
    await log.append([...RECORDS, makeRecord({ tenantId: 'ten_b' }, NOW)]);
    reader = await openAuditReader(log);
  });
  afterAll(async () => {
    await reader.close();
    await log.close();
  });

  /** Counts the queries, and fails the one with this number as a busy thread does. */
  const counted = (busyAt?: number) => {
    const queries = createAuditQueries(reader.db);
    const counts = { queries: 0 };
    const run: AuditQueries['run'] = async (query) => {
      if (++counts.queries === busyAt) throw new GatewayError('overloaded');
      return queries.run(query);
    };
    return { counts, queries: { ...queries, run } };
  };
  const text = async (format: 'csv' | 'ndjson', filter = {}) =>
    Buffer.concat(
      await Array.fromAsync(
        encodeExport(log.audit.store.pages({ tenantId: 'ten_a', ...filter }), format),
      ),
    ).toString();

  it('has every record of the tenant once, oldest first, as lines of JSON', async () => {
    const lines = (await text('ndjson')).trimEnd().split('\n');
    const expected = RECORDS.toSorted((a, b) =>
      a.timestampMs === b.timestampMs
        ? a.auditId.localeCompare(b.auditId)
        : a.timestampMs - b.timestampMs,
    );
    expect(lines.map((line) => JSON.parse(line))).toEqual(expected.map(asStored));
  });

  it('has one line per record after the heading as CSV', async () => {
    const lines = (await text('csv', { tool: 'even' })).trimEnd().split('\r\n');
    expect(lines).toHaveLength(502);
    expect(lines[0]).toMatch(/^\uFEFFauditId,timestamp,/);
  });

  it('is the heading alone if no record matches', async () => {
    expect(await text('csv', { tool: 'none' })).toMatch(/^\uFEFF[\w,]+\r\n$/);
    expect(await text('ndjson', { tool: 'none' })).toBe('');
  });

  it('reads a page only when the one before was taken, and no more once it is ended', async () => {
    const { counts, queries } = counted();
    const pages = exportPages(queries, { tenantId: 'ten_a' });
    const first = await pages.next();
    expect(first.value).toHaveLength(200);
    const before = counts.queries;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(counts.queries).toBe(before);
    await pages.return();
    expect((await pages.next()).done).toBe(true);
    expect(counts.queries).toBe(before);
  });

  it('continues after the search thread was busy', async () => {
    const { queries } = counted(2);
    const pages = await Array.fromAsync(exportPages(queries, { tenantId: 'ten_a' }));
    expect(pages.flat()).toHaveLength(RECORDS.length);
  });
});
