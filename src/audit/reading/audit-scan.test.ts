import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeRecord } from '../../../test/support/audit-records.ts';
import { describeStores } from '../../../test/support/databases.ts';
import { openTestAudit, type TestAudit } from '../../../test/support/open-test-audit.ts';

const NOW = 1_764_000_000_000;
const COUNT = 25_000;

describeStores('a filter that finds one of many records', (backend) => {
  let log: TestAudit;
  const filter = { tenantId: 'ten_a', client: 'rare' };
  const oldest = makeRecord({ clientName: 'rare' }, NOW);
  const newest = makeRecord({ clientName: 'rare' }, NOW + COUNT + 1);

  beforeAll(async () => {
    log = await openTestAudit(backend);
    const others = Array.from({ length: COUNT }, (_, n) => makeRecord({}, NOW + 1 + n));
    await log.append([oldest, ...others, newest]);
  });
  afterAll(() => log.close());

  it('reads all of them for a page, which is whole', async () => {
    const first = await log.audit.store.list({ ...filter, limit: 1 });
    expect(first.records.map(({ auditId }) => auditId)).toEqual([newest.auditId]);
    const cursor = first.nextCursor ?? undefined;
    const second = await log.audit.store.list({ ...filter, limit: 1, cursor });
    expect(second).toMatchObject({ records: [{ auditId: oldest.auditId }], nextCursor: null });
  });

  it('exports both, examining so many at a time', async () => {
    const pages = await Array.fromAsync(log.audit.store.pages(filter));
    const found = pages.map((page) => page.map(({ auditId }) => auditId));
    expect(found).toEqual([[oldest.auditId], [newest.auditId]]);
  });
});
