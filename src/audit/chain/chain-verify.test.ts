import fc from 'fast-check';
import type { Kysely } from 'kysely';
import { afterEach, expect, it } from 'vitest';
import {
  type AuditHistory,
  DAY_MS,
  RETENTION_DAYS,
  runSteps,
  type Step,
  startHistory,
  steps,
} from '../../../test/support/audit-history.ts';
import { makeRecord } from '../../../test/support/audit-records.ts';
import { describeStores } from '../../../test/support/databases.ts';
import {
  allLinks,
  type Forgery,
  forgeries,
  linksWithRecords,
  pick,
  writeLinks,
} from '../../../test/support/forgeries.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { toRow } from '../record/audit-row.ts';
import { hashLink, type LinkName } from './chain-link.ts';
import { idsOf } from './chain-reader.ts';
import { type VerifyReport, verifyChain } from './chain-verify.ts';

const verify = (db: Kysely<Tables>, anchors: readonly LinkName[] = []): Promise<VerifyReport> =>
  verifyChain({ db, anchors, settleMs: 0 });

/** AUDIT_HISTORIES=3000 runs as many histories, and every forgery in twenty, which takes half an hour. */
const histories = Number(process.env['AUDIT_HISTORIES'] ?? 0);
/** The same histories in every run of the suite; new ones where many are run. */
const seed = histories ? Date.now() : 20_261_123;

describeStores('the hash chain of the audit log', (backend) => {
  const isEmbedded = backend.name === 'embedded';
  let history: AuditHistory | undefined;

  afterEach(async () => {
    await history?.remove();
    history = undefined;
  });

  /** Runs a history, closes it, and passes it to `use`. */
  const withHistory = async (
    plan: readonly Step[],
    use: (history: AuditHistory) => Promise<void>,
    end: 'close' | 'kill' = 'close',
  ): Promise<void> => {
    await history?.remove();
    history = await startHistory(backend);
    await runSteps(history, plan);
    await history[end]();
    expect(history.errors).toEqual([]);
    await use(history);
  };

  it(
    'is intact after every lawful history, by all anchors that were logged and without any',
    async () => {
      const end = fc.constantFrom('close' as const, 'kill' as const);
      await fc.assert(
        fc.asyncProperty(steps, end, async (plan, how) => {
          await withHistory(
            plan,
            async ({ db, anchors }) => {
              for (const given of [anchors, []]) {
                expect(await verify(db(), given)).toMatchObject({
                  intact: true,
                  findings: [],
                  unchainedRecords: 0,
                });
              }
            },
            how,
          );
        }),
        { seed, numRuns: histories || (isEmbedded ? 15 : 3) },
      );
    },
    histories ? 36_000_000 : 600_000,
  );

  it.each(Object.entries(forgeries))(
    'reports that an attacker %s',
    async (_, forge: Forgery) => {
      await fc.assert(
        fc.asyncProperty(steps, fc.nat(), async (plan, at) => {
          await withHistory(plan, async (made) => {
            const { db, anchors } = made;
            const kinds = await forge(made, at);
            const report = await verify(db(), anchors);
            expect(report.intact).toBe(false);
            expect(Object.keys(report.counts)).toEqual(expect.arrayContaining([...kinds]));
            // The gateway continues, and anchors what it finds.
            await made.open();
            await made.run({ do: 'append', count: 2, who: 0 });
            await made.close();
            expect((await verify(db(), anchors)).intact).toBe(false);
          });
        }),
        { seed, numRuns: Math.ceil(histories / 150) || 1 },
      );
    },
    600_000,
  );

  it('names the oldest record concerned', async () => {
    await withHistory([], async ({ db, anchors }) => {
      const [first, second] = (await linksWithRecords(db())).flatMap(idsOf);
      await db()
        .deleteFrom('audit_records')
        .where('audit_id', 'in', [String(second)])
        .execute();
      await db()
        .updateTable('audit_records')
        .set({ tool: 'other' })
        .where('audit_id', '=', String(first))
        .execute();
      const report = await verify(db(), anchors);
      expect([first, second]).toContain(report.firstRecord);
      expect(report.findings.map(({ auditId }) => auditId)).toContain(report.firstRecord);
    });
  });

  it('finds with a restart that the end was removed after the last anchor', async () => {
    history = await startHistory(backend);
    const { db, anchors } = history;
    await runSteps(history, []);
    await history.settle();
    await history.kill();
    const last = pick(await linksWithRecords(db()), -1);
    await db().deleteFrom('audit_links').where('hash', '=', last.hash).execute();
    await db().deleteFrom('audit_records').where('audit_id', 'in', idsOf(last)).execute();
    expect((await verify(db(), anchors)).intact).toBe(true);
    await history.open();
    await history.close();
    // On PostgreSQL, the gateway has its newest link in DATA_DIR, and ships it again.
    const kind = isEmbedded ? 'truncated' : 'deleted';
    expect((await verify(db(), anchors)).counts).toHaveProperty(kind);
  });

  it('does not let a forged `audit_sweeps` delete records before their time', async () => {
    await withHistory([{ do: 'pass', hours: 30, who: 0 }], async (made) => {
      const { db, anchors } = made;
      const count = async () =>
        (await db().selectFrom('audit_records').selectAll().execute()).length;
      const before = await count();
      const ahead = made.nowMs + 1000 * DAY_MS;
      const forged = { swept_before_ms: ahead, stepped_at_ms: ahead, approved_before_ms: ahead };
      await db().updateTable('audit_sweeps').set(forged).execute();
      await made.open();
      await made.run({ do: 'pass', hours: 1, who: 0 });
      await made.close();
      expect(await count()).toBe(before + 1);
      expect(await verify(db(), anchors)).toMatchObject({ intact: true });
    });
  });

  it('does not report an unknown chain unless there are anchors', async () => {
    await withHistory([{ do: 'backup' }, { do: 'restore', which: 0 }], async ({ db, anchors }) => {
      const newest = anchors.at(-1)?.origin;
      expect(await verify(db())).toMatchObject({ intact: true });
      const others = anchors.filter(({ origin }) => origin !== newest);
      expect(await verify(db(), others)).toMatchObject({ counts: { unknown: 1 } });
      expect(await verify(db(), anchors)).toMatchObject({ intact: true });
    });
  });

  it('keeps something of the newest thousand chains that ended', async () => {
    await withHistory([], async (made) => {
      const old = made.nowMs - 30 * DAY_MS;
      const rows = Array.from({ length: 1010 }, (_, i) => ({
        origin: `org_${String(i).padStart(16, '0')}`,
        seq: 0,
        kind: 'start' as const,
        made_at_ms: old,
        record_count: 0,
        records_total: 0,
        detail: '',
        records_hash: '',
        prev_hash: '',
      }));
      for (let i = 0; i < rows.length; i += 505) {
        await made
          .db()
          .insertInto('audit_links')
          .values(rows.slice(i, i + 505).map((row) => ({ ...row, hash: hashLink(row) })))
          .execute();
      }
      await made.open();
      await made.run({ do: 'pass', hours: 1, who: 0 });
      await made.close();
      const { origins } = await verify(made.db());
      expect(origins).toHaveLength(1000);
      expect(origins[0]?.origin).not.toBe(rows[0]?.origin);
    });
  });

  it('reports records from before it started as unchecked, or as inserted if there are anchors', async () => {
    await withHistory([], async ({ db, anchors, nowMs }) => {
      const row = toRow(makeRecord({}, nowMs - DAY_MS));
      await db().insertInto('audit_records').values(row).execute();
      expect(await verify(db())).toMatchObject({ intact: true, unchainedRecords: 1 });
      expect(await verify(db(), anchors)).toMatchObject({ counts: { inserted: 1 } });
      const beganMs = nowMs - 60_000;
      expect(await verifyChain({ db: db(), anchors, beganMs, settleMs: 0 })).toMatchObject({
        intact: true,
        unchainedRecords: 1,
      });
    });
  });

  it('accepts the absence of a record that is a dead letter', async () => {
    await withHistory([], async ({ db }) => {
      const auditId = pick(idsOf(pick(await linksWithRecords(db()), 0)), 0);
      await db().deleteFrom('audit_records').where('audit_id', '=', auditId).execute();
      const deadLetters = async () => new Set([auditId]);
      const report = await verifyChain({ db: db(), deadLetters, settleMs: 0 });
      expect(report.intact).toBe(true);
      expect(report.origins.reduce((sum, origin) => sum + origin.deadLettered, 0)).toBe(1);
    });
  });

  it('accepts what earlier versions swept', async () => {
    await withHistory([], async (made) => {
      const { db, nowMs } = made;
      await db().deleteFrom('audit_links').execute();
      await db().deleteFrom('audit_records').execute();
      const beforeMs = nowMs - RETENTION_DAYS * DAY_MS;
      const [gone, swept, kept] = [-1, -1, 1].map((ms) => toRow(makeRecord({}, beforeMs + ms)));
      if (!gone || !swept || !kept) throw new Error('There are three.');
      await db().insertInto('audit_records').values([gone, swept, kept]).execute();
      const origin = 'org_ffffffffffffffff';
      const old = { made_at_ms: beforeMs };
      const links = { [origin]: { seq: 1, hash: '' } };
      await writeLinks(
        made,
        [
          { ...old, kind: 'records', detail: gone.audit_id },
          { ...old, kind: 'records', detail: `${swept.audit_id} ${kept.audit_id}` },
          { kind: 'sweep', detail: JSON.stringify({ beforeMs, links }) },
        ],
        { origin },
      );
      await db().deleteFrom('audit_links').where('seq', '=', 1).execute();
      const ids = [gone.audit_id, swept.audit_id];
      await db().deleteFrom('audit_records').where('audit_id', 'in', ids).execute();
      const anchors = (await allLinks(db())).slice(-1);
      for (const given of [anchors, []]) {
        expect(await verify(db(), given)).toMatchObject({
          findings: [],
          origins: [{ sweptRecords: 1 }],
        });
      }
    });
  });
});
