import fc from 'fast-check';
import type { Kysely } from 'kysely';
import { expect, it } from 'vitest';
import { makeRecord } from '../../../test/support/audit-records.ts';
import {
  describeStores,
  openTestDatabase,
  type TestBackend,
  type TestPlace,
} from '../../../test/support/databases.ts';
import type { AuditRecordsTable, Tables } from '../../platform/database/tables.ts';
import { type Audit, openAudit, openAuditReader } from '../audit.ts';
import { toRow } from '../record/audit-row.ts';
import type { FindingKind } from './chain-findings.ts';
import {
  type ChainAnchor,
  type ChainLink,
  hashLink,
  hashRecords,
  serialiseRecord,
} from './chain-link.ts';
import { idsOf, readRecords } from './chain-reader.ts';
import { type VerifyReport, verifyChain } from './chain-verify.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RETENTION_DAYS = 3;

/** An audit log of several days, with the anchors that its gateway logged. */
interface World {
  readonly place: TestPlace;
  readonly anchors: ChainAnchor[];
  nowMs: number;
  audit: Audit;
}

type Step = { readonly do: 'append'; readonly count: number } | { readonly do: 'restart' } | Pass;
interface Pass {
  readonly do: 'pass';
  readonly hours: number;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('append' as const),
        count: fc.integer({ min: 1, max: 12 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('pass' as const),
        hours: fc.integer({ min: 1, max: 40 }),
      }),
    },
  ),
  { minLength: 5, maxLength: 20 },
);

/** Runs a gateway's audit log through the steps, closes it and passes it to `use`. */
async function withLog(
  backend: TestBackend,
  plan: readonly Step[],
  use: (db: Kysely<Tables>, world: World) => Promise<void>,
): Promise<void> {
  const place = await backend.makePlace();
  const database = await openTestDatabase(place);
  const anchors: ChainAnchor[] = [];
  const errors: unknown[] = [];
  const state = { nowMs: Date.now() - 60 * DAY_MS };
  const open = () =>
    openAudit({
      dataDir: place.dataDir,
      database,
      clock: { now: () => state.nowMs },
      fsync: false,
      retentionDays: RETENTION_DAYS,
      maxOutboxRecords: 1_000_000,
      onError: (error) => errors.push(error),
      onAnchor: (anchor) => anchors.push(anchor),
    });
  const world = { place, anchors, nowMs: 0, audit: await open() };
  const append = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, i) =>
        // The oldest call of a commit started long before the newest.
        world.audit.ledger.append(makeRecord({}, state.nowMs - i * 1000)),
      ),
    );
  try {
    await append(3);
    for (const step of plan) {
      if (step.do === 'append') await append(step.count);
      if (step.do === 'pass') {
        state.nowMs += step.hours * HOUR_MS;
        await append(1);
        await world.audit.retention.sweep();
      }
      if (step.do === 'restart') {
        await world.audit.close();
        world.audit = await open();
      }
    }
    await append(5);
    state.nowMs += 1000;
    await append(4);
    // A restart can interrupt a sweep. Records that it announced but did not delete may lawfully be missing.
    await world.audit.retention.sweep();
  } finally {
    await world.audit.close();
  }
  world.nowMs = state.nowMs;
  expect(errors).toEqual([]);
  const reader = await openAuditReader({ dataDir: place.dataDir, database });
  try {
    await use(reader.db, world);
  } finally {
    await reader.close();
    await database.close();
    await place.remove();
  }
}

const verify = (db: Kysely<Tables>, anchors: readonly ChainAnchor[] = []): Promise<VerifyReport> =>
  verifyChain({ db, anchors, settleMs: 0 });

const allLinks = (db: Kysely<Tables>): Promise<ChainLink[]> =>
  db.selectFrom('audit_links').selectAll().orderBy('seq').execute();

/** Links whose records are all stored. */
async function completeLinks(db: Kysely<Tables>): Promise<ChainLink[]> {
  const complete: ChainLink[] = [];
  for (const link of await allLinks(db)) {
    const ids = idsOf(link);
    if (ids.length > 0 && (await readRecords(db, ids)).size === ids.length) complete.push(link);
  }
  return complete;
}

const pick = <T>(list: readonly T[], at: number): T => {
  const chosen = list[at % list.length];
  if (chosen === undefined) throw new Error('The list is empty.');
  return chosen;
};

const setLink = (db: Kysely<Tables>, { origin, seq }: ChainLink, change: Partial<ChainLink>) =>
  db
    .updateTable('audit_links')
    .set(change)
    .where('origin', '=', origin)
    .where('seq', '=', seq)
    .execute();

const setRecord = (db: Kysely<Tables>, auditId: string, change: Record<string, unknown>) =>
  db.updateTable('audit_records').set(change).where('audit_id', '=', auditId).execute();

/** What an attacker with access to the database may do, and the finding that must report it. */
const TAMPERINGS: Readonly<
  Record<string, (db: Kysely<Tables>, at: number, world: World) => Promise<FindingKind>>
> = {
  'deletes a record': async (db, at) => {
    const auditId = pick(idsOf(pick(await completeLinks(db), at)), at);
    await db.deleteFrom('audit_records').where('audit_id', '=', auditId).execute();
    return 'deleted';
  },
  'deletes a link': async (db, at) => {
    const links = await allLinks(db);
    const { origin, seq } = pick(links.slice(0, -1), at);
    await db
      .deleteFrom('audit_links')
      .where('origin', '=', origin)
      .where('seq', '=', seq)
      .execute();
    return 'deleted';
  },
  'changes a column of a record': async (db, at) => {
    const auditId = pick(idsOf(pick(await completeLinks(db), at)), at);
    const changes = [
      { tenant_id: 'ten_other' },
      { arguments: '{}' },
      { client_name: '' },
      { duration_ms: 12.346 },
      { upstream_ms: null },
      { timestamp_ms: 1 },
    ];
    await setRecord(db, auditId, pick(changes, at));
    return 'altered';
  },
  'moves text from one column to another': async (db, at) => {
    const auditId = pick(idsOf(pick(await completeLinks(db), at)), at);
    await setRecord(db, auditId, { dialect: 'plai', client_name: 'n' });
    return 'altered';
  },
  'changes a link': async (db, at) => {
    await setLink(db, pick(await allLinks(db), at), { made_at_ms: at });
    return 'altered';
  },
  'changes a record and recomputes its link': async (db, at) => {
    const link = pick(await completeLinks(db), at);
    const ids = idsOf(link);
    await setRecord(db, pick(ids, at), { tool: 'other' });
    const rows = await readRecords(db, ids);
    const text = ids
      .flatMap((id) => rows.get(id) ?? [])
      .map(serialiseRecord)
      .join('');
    const recomputed = { ...link, records_hash: hashRecords(text) };
    await setLink(db, link, { records_hash: recomputed.records_hash, hash: hashLink(recomputed) });
    return 'altered';
  },
  'removes a record from its link and recomputes the link': async (db, at) => {
    const link = pick(await completeLinks(db), at);
    const ids = idsOf(link);
    const removed = pick(ids, at);
    await db.deleteFrom('audit_records').where('audit_id', '=', removed).execute();
    const recomputed = { ...link, detail: ids.filter((id) => id !== removed).join(' ') };
    await setLink(db, link, { detail: recomputed.detail, hash: hashLink(recomputed) });
    return 'altered';
  },
  'swaps two links': async (db, at) => {
    const links = await allLinks(db);
    const one = pick(links.slice(0, -1), at);
    const other = links[links.indexOf(one) + 1] ?? one;
    await setLink(db, one, { seq: -1 });
    await setLink(db, other, { seq: one.seq });
    await setLink(db, { ...one, seq: -1 }, { seq: other.seq });
    return 'reordered';
  },
  'swaps the contents of two records': async (db, at) => {
    // Records with the same timestamp differ only in their ids.
    const pairs: AuditRecordsTable[][] = [];
    for (const link of await completeLinks(db)) {
      const [first, ...others] = (await readRecords(db, idsOf(link))).values();
      const other = others.find((row) => row.timestamp_ms !== first?.timestamp_ms);
      if (first && other) pairs.push([first, other]);
    }
    const [a, b] = pick(pairs, at);
    if (!a || !b) throw new Error('No two records of a link differ.');
    await setRecord(db, a.audit_id, { ...b, audit_id: a.audit_id });
    await setRecord(db, b.audit_id, { ...a, audit_id: b.audit_id });
    return 'reordered';
  },
  'inserts a record': async (db, at, { nowMs }) => {
    await db
      .insertInto('audit_records')
      // Within the last second: a record from before the chain started could not be checked.
      .values(toRow(makeRecord({}, nowMs - (at % 1000))))
      .execute();
    return 'inserted';
  },
  'inserts a record with an id of a different form': async (db) => {
    await db
      .insertInto('audit_records')
      .values(toRow(makeRecord({ auditId: 'zzz' })))
      .execute();
    return 'inserted';
  },
  'removes the end of the chain': async (db) => {
    const newest = (await allLinks(db)).slice(-2);
    for (const link of newest) {
      await db.deleteFrom('audit_links').where('seq', '=', link.seq).execute();
      await db
        .deleteFrom('audit_records')
        .where('audit_id', 'in', ['', ...idsOf(link)])
        .execute();
    }
    return 'truncated';
  },
  'rewrites the whole chain': async (db) => {
    let prevHash: string | undefined;
    for (const link of await allLinks(db)) {
      const change = { made_at_ms: link.made_at_ms + 1, prev_hash: prevHash ?? link.prev_hash };
      prevHash = hashLink({ ...link, ...change });
      await setLink(db, link, { ...change, hash: prevHash });
    }
    return 'altered';
  },
};

describeStores('the hash chain of the audit log', (backend) => {
  const numRuns = backend.name === 'embedded' ? 15 : 4;

  it('verifies as intact after any sequence of commits, sweeps and restarts', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (plan) => {
        await withLog(backend, plan, async (db, { anchors }) => {
          expect(await verify(db, anchors)).toMatchObject({
            intact: true,
            findings: [],
            unchainedRecords: 0,
          });
        });
      }),
      { numRuns },
    );
  });

  it.each(Object.entries(TAMPERINGS))('reports that an attacker %s', async (_, tamper) => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(), async (plan, at) => {
        await withLog(backend, plan, async (db, world) => {
          const kind = await tamper(db, at, world);
          const report = await verify(db, world.anchors);
          expect(report.intact).toBe(false);
          expect(report.counts).toHaveProperty(kind);
        });
      }),
      { numRuns: Math.ceil(numRuns / 5) },
    );
  });

  it('reports records from before it started as unchecked', async () => {
    const old: Step[] = [{ do: 'append', count: 2 }];
    await withLog(backend, old, async (db, { nowMs }) => {
      const row = toRow(makeRecord({}, nowMs - DAY_MS));
      await db.insertInto('audit_records').values(row).execute();
      expect(await verify(db)).toMatchObject({ intact: true, unchainedRecords: 1 });
    });
  });

  it('accepts the absence of a record that is a dead letter', async () => {
    await withLog(backend, [], async (db) => {
      const auditId = pick(idsOf(pick(await completeLinks(db), 0)), 0);
      await db.deleteFrom('audit_records').where('audit_id', '=', auditId).execute();
      const deadLetters = async () => new Set([auditId]);
      const report = await verifyChain({ db, deadLetters, settleMs: 0 });
      expect(report).toMatchObject({ intact: true, origins: [{ deadLettered: 1 }] });
    });
  });
});
