import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeRecord } from '../../../test/support/audit-records.ts';
import { describeStores } from '../../../test/support/databases.ts';
import { openTestAudit, type TestAudit } from '../../../test/support/open-test-audit.ts';
import { type AuditReader, openAuditReader } from '../audit.ts';
import { type AuditQueries, createAuditQueries } from './audit-search.ts';
import { encodeCursor, listRecords } from './audit-store.ts';
import { readTimeline } from './audit-timeline.ts';

const NOW = 1_764_000_000_000;
const COUNT = 12_000;

describeStores('a search that takes too long', (backend) => {
  let log: TestAudit;
  let reader: AuditReader;
  let queries: AuditQueries;
  const oldest = makeRecord({ clientName: 'rare', tool: 'rare' }, NOW);
  const others = Array.from({ length: COUNT }, (_, n) => makeRecord({}, NOW + 1000 + n));

  beforeAll(async () => {
    log = await openTestAudit(backend);
    await log.append([oldest, ...others]);
    reader = await openAuditReader(log);
    queries = createAuditQueries(reader.db);
  });
  afterAll(async () => {
    await reader.close();
    await log.close();
  });

  it.each([{ client: 'rare' }, { tool: 'rare' }])(
    'ends early and continues with the cursor: %j',
    async (narrowed) => {
      const found: string[] = [];
      let pages = 0;
      let cursor: string | undefined;
      do {
        const options = { limit: 10, cursor, maxBytes: 1024 * 1024, maxMs: 0 };
        const filter = { tenantId: 'ten_a', ...narrowed };
        const { rows, next, isCutShort } = await listRecords(queries, filter, options);
        found.push(...rows.map((row) => row.audit_id));
        expect(isCutShort).toBe(next !== undefined);
        cursor = next && encodeCursor(next);
        pages++;
      } while (cursor !== undefined);
      expect(found).toEqual([oldest.auditId]);
      expect(pages).toBeGreaterThan(2);
    },
  );

  it('fills a page from as many steps as it needs', async () => {
    const options = { limit: 10, maxBytes: 1024 * 1024, maxMs: 60_000 };
    const filter = { tenantId: 'ten_a', client: 'rare' };
    const { rows, next } = await listRecords(queries, filter, options);
    expect(rows.map((row) => row.audit_id)).toEqual([oldest.auditId]);
    expect(next).toBeUndefined();
  });

  it('keeps the limits of a page over all its steps', async () => {
    const filter = { tenantId: 'ten_a', outcome: 'ok' as const };
    const big = await listRecords(queries, filter, { limit: 5000, maxBytes: 1e9, maxMs: 60_000 });
    expect(big.rows).toHaveLength(5000);
    const small = await listRecords(queries, filter, {
      limit: 5000,
      maxBytes: 50_000,
      maxMs: 60_000,
    });
    expect(small.rows.length).toBeGreaterThan(10);
    expect(small.rows.length).toBeLessThan(60);
    expect(small.next?.auditId).toBe(small.rows.at(-1)?.audit_id);
  });

  it('counts the newest records, and the rest on request', async () => {
    const filter = { tenantId: 'ten_a', apiKeyId: 'key_a' };
    const first = await readTimeline(queries, filter, { maxMs: 0 });
    expect(first.isPartial).toBe(true);
    const range = { fromMs: Date.parse(first.from ?? ''), toMs: Date.parse(first.to ?? '') };
    let sum = total(first);
    let back = first.countedBackTo;
    while (back !== null) {
      const beforeMs = Date.parse(back);
      const rest = await readTimeline(queries, { ...filter, ...range }, { maxMs: 0, beforeMs });
      expect(rest.bucketMs).toBe(first.bucketMs);
      expect(rest.buckets).toHaveLength(first.buckets.length);
      sum += total(rest);
      back = rest.countedBackTo;
    }
    expect(sum).toBe(COUNT + 1);
  });

  it('counts every record once, by index entries too', async () => {
    const timeline = await readTimeline(queries, { tenantId: 'ten_a' }, { maxMs: 60_000 });
    expect(timeline.isPartial).toBe(false);
    expect(total(timeline)).toBe(COUNT + 1);
    expect(timeline.buckets.length).toBeLessThanOrEqual(200);
  });
});

const total = ({ buckets }: Awaited<ReturnType<typeof readTimeline>>): number =>
  buckets.reduce(
    (sum, { ok, caller, upstream, gateway }) => sum + ok + caller + upstream + gateway,
    0,
  );
