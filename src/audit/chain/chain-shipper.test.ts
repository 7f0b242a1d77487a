import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeRecord } from '../../../test/support/audit-records.ts';
import { openTestDatabase, postgres, type TestPlace } from '../../../test/support/databases.ts';
import type { Database } from '../../platform/database/database.ts';
import { type Audit, openAudit } from '../audit.ts';
import { verifyChain } from './chain-verify.ts';

describe.runIf(postgres)('shipping the hash chain to PostgreSQL', () => {
  let place: TestPlace;
  let database: Database;
  let errors: unknown[];
  let forked: string[];

  beforeEach(async () => {
    if (!postgres) throw new Error('needs PostgreSQL');
    place = await postgres.makePlace();
    database = await openTestDatabase(place);
    errors = [];
    forked = [];
  });
  afterEach(async () => {
    await database.close();
    await place.remove();
  });

  const open = (dataDir: string): Promise<Audit> =>
    openAudit({
      dataDir,
      database,
      clock: { now: Date.now },
      fsync: false,
      retentionDays: 0,
      maxOutboxRecords: 1_000_000,
      onError: (error) => errors.push(error),
      onForked: (origin) => forked.push(origin),
    });
  const append = async (audit: Audit, commits: number): Promise<void> => {
    for (let i = 0; i < commits; i++) {
      await Promise.all([makeRecord(), makeRecord()].map(audit.ledger.append));
    }
  };
  const verify = () => verifyChain({ db: database.db, settleMs: 0 });

  it('ships every link after its records, for several gateways at the same time', async () => {
    const dirs = ['a', 'b'].map((name) => join(place.dataDir, name));
    const audits = await Promise.all(dirs.map(open));
    await Promise.all(audits.map((audit) => append(audit, 300)));
    await vi.waitFor(
      async () => {
        const { origins } = await verify();
        expect(origins.map(({ records }) => records)).toEqual([600, 600]);
      },
      { timeout: 50_000 },
    );
    await Promise.all(audits.map((audit) => audit.close()));
    expect(await verify()).toMatchObject({ intact: true, unchainedRecords: 0 });
    expect(errors).toEqual([]);
  });

  it('starts a new chain if the chain of a restored DATA_DIR was continued elsewhere', async () => {
    const [dir, backup] = [join(place.dataDir, 'now'), join(place.dataDir, 'backup')];
    const first = await open(dir);
    await append(first, 5);
    await first.close();
    await cp(dir, backup, { recursive: true });
    const later = await open(dir);
    await append(later, 5);
    await later.close();

    const restored = await open(backup);
    await append(restored, 5);
    await restored.close();
    const again = await open(backup);
    await append(again, 2);
    await again.close();
    const report = await verify();
    expect(forked).toEqual([report.origins.find(({ records }) => records === 20)?.origin]);
    expect(errors).toEqual([]);
    expect(report.findings).toEqual([]);
    expect(report.origins.map(({ records }) => records).sort()).toEqual([14, 20]);
  });
});
