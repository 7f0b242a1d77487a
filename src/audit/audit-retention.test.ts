import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { makeRecord } from '../../test/support/audit-records.ts';
import { describeStores, openTestDatabase, type TestPlace } from '../../test/support/databases.ts';
import type { Database } from '../database/database.ts';
import { type Audit, openAudit } from './audit.ts';

const NOW = 1_764_000_000_000;
const DAY_MS = 86_400_000;

describeStores('audit retention', (backend) => {
  let place: TestPlace;
  let database: Database;

  beforeEach(async () => {
    place = await backend.makePlace();
    database = await openTestDatabase(place);
  });
  afterEach(async () => {
    await database.close();
    await place.remove();
  });

  const open = (retentionDays: number): Promise<Audit> =>
    openAudit({
      dataDir: place.dataDir,
      database,
      clock: { now: () => NOW },
      fsync: false,
      retentionDays,
      maxOutboxRecords: 1_000_000,
      onFault: () => undefined,
    });
  const append = async (audit: Audit, count: number, atMs: number, text = '') => {
    const change = { arguments: { text } };
    await Promise.all(
      Array.from({ length: count }, (_, i) => audit.ledger.append(makeRecord(change, atMs + i))),
    );
  };
  const count = async (audit: Audit) =>
    (await audit.store.list({ tenantId: 'ten_a', limit: 10_000 })).records.length;

  it('deletes at the start what is older than the days given', async () => {
    const before = await open(0);
    await append(before, 1300, NOW - 31 * DAY_MS);
    await append(before, 10, NOW - 29 * DAY_MS);
    expect(await count(before)).toBe(1310);
    await before.close();
    const after = await open(30);
    await vi.waitFor(async () => expect(await count(after)).toBe(10), { timeout: 5000 });
    await after.close();
  });

  it('gives the disk space back', async () => {
    const before = await open(0);
    await append(before, 2000, NOW - 31 * DAY_MS, 'x'.repeat(8000));
    await before.close();
    const size = () => statSync(join(place.dataDir, 'audit.db')).size;
    const full = size();
    const after = await open(30);
    await vi.waitFor(async () => expect(await count(after)).toBe(0), { timeout: 5000 });
    await after.close();
    if (backend.name === 'embedded') expect(size()).toBeLessThan(full * 0.8);
  });
});
