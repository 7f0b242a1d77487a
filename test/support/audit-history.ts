import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import type { Kysely } from 'kysely';
import { type Audit, openAudit } from '../../src/audit/audit.ts';
import type { ChainAnchor, LinkName } from '../../src/audit/chain/chain-link.ts';
import { readMemory } from '../../src/audit/chain/chain-memory.ts';
import type { Database } from '../../src/platform/database/database.ts';
import type { Tables } from '../../src/platform/database/tables.ts';
import { makeRecord } from './audit-records.ts';
import { openTestDatabase, type TestBackend, type TestPlace } from './databases.ts';
import { until } from './until.ts';

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const RETENTION_DAYS = 3;

export type Step =
  | { readonly do: 'append'; readonly count: number; readonly who: number }
  /** The clock advances, and the gateway sweeps. */
  | { readonly do: 'pass'; readonly hours: number; readonly who: number }
  | { readonly do: 'restart' | 'crash'; readonly who: number }
  | { readonly do: 'backup' }
  | { readonly do: 'restore'; readonly which: number };

const who = fc.nat({ max: 1 });
const oneOf = <T extends string>(name: T) => fc.constant(name);

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        do: oneOf('append'),
        count: fc.integer({ min: 1, max: 12 }),
        who,
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({ do: oneOf('pass'), hours: fc.integer({ min: 1, max: 40 }), who }),
    },
    { weight: 1, arbitrary: fc.record({ do: oneOf('restart'), who }) },
    { weight: 1, arbitrary: fc.record({ do: oneOf('crash'), who }) },
    { weight: 1, arbitrary: fc.record({ do: oneOf('backup') }) },
    { weight: 1, arbitrary: fc.record({ do: oneOf('restore'), which: fc.nat() }) },
  ),
  { minLength: 5, maxLength: 20 },
);

/** The tables that `pg_dump` would save, or that an attacker may put back. */
const TABLES = ['audit_records', 'audit_links', 'audit_sweeps'] as const;
type Dump = ReadonlyMap<(typeof TABLES)[number], readonly object[]>;

interface Saved {
  readonly dir: string;
  readonly dump: Dump | undefined;
}

/** An audit log on one embedded gateway, or on two that share PostgreSQL, with every anchor that was logged. */
export interface AuditHistory {
  readonly anchors: LinkName[];
  readonly errors: unknown[];
  nowMs: number;
  /** The tables that `audit verify` reads. Valid while the gateways are closed. */
  db(): Kysely<Tables>;
  run(step: Step): Promise<void>;
  append(who: number, records: readonly ReturnType<typeof makeRecord>[]): Promise<void>;
  open(): Promise<void>;
  close(): Promise<void>;
  /** Resolves once the gateways remember the ends of their chains. */
  settle(): Promise<void>;
  /** Ends without a last anchor, as if killed. */
  kill(): Promise<void>;
  dump(): Promise<Dump>;
  putBack(dump: Dump): Promise<void>;
  remove(): Promise<void>;
}

interface Gateway {
  readonly dataDir: string;
  audit: Audit | undefined;
}

export async function startHistory(backend: TestBackend): Promise<AuditHistory> {
  const place = await backend.makePlace();
  const database = await openTestDatabase(place);
  const names = backend.name === 'embedded' ? ['a'] : ['a', 'b'];
  const gateways = names.map((name): Gateway => {
    const dataDir = join(place.dataDir, name);
    mkdirSync(dataDir);
    return { dataDir, audit: undefined };
  });
  return createHistory(place, database, gateways);
}

function createHistory(
  place: TestPlace,
  database: Database,
  gateways: readonly Gateway[],
): AuditHistory {
  const isEmbedded = database.backend === 'embedded';
  const backups: Saved[][] = [];
  let saves = 0;
  let reader: { db: Kysely<Tables>; close: () => Promise<void> } | undefined;

  const openOne = async (gateway: Gateway): Promise<void> => {
    gateway.audit = await openAudit({
      dataDir: gateway.dataDir,
      database,
      clock: { now: () => history.nowMs },
      fsync: false,
      retentionDays: RETENTION_DAYS,
      maxOutboxRecords: 1_000_000,
      onError: (error) => history.errors.push(error),
      onAnchor: ({ origin, seq, hash }: ChainAnchor) => history.anchors.push({ origin, seq, hash }),
      onForeign: (last) => history.anchors.push(last),
    });
  };
  const closeOne = async (gateway: Gateway): Promise<void> => {
    await gateway.audit?.close();
    gateway.audit = undefined;
  };
  const auditOf = (number: number): Audit => {
    const { audit } = gateways[number % gateways.length] ?? {};
    if (!audit) throw new Error('The gateway is closed.');
    return audit;
  };
  const auditDb = async (): Promise<Kysely<Tables>> => {
    if (!isEmbedded) return database.db;
    const { openExistingAuditFile } = await import('../../src/audit/record/audit-file.ts');
    reader ??= await openExistingAuditFile(gateways[0]?.dataDir ?? '');
    return reader.db;
  };
  const closeReader = async (): Promise<void> => {
    await reader?.close();
    reader = undefined;
  };

  /** What `backup` and `pg_dump` save, with what the gateway remembers if it is to continue as after a crash. */
  const save = async (gateway: Gateway, withMemory: boolean): Promise<Saved> => {
    const dir = join(place.dataDir, `saved-${saves++}`);
    mkdirSync(dir);
    const file = new DatabaseSync(join(gateway.dataDir, 'audit.db'));
    file.prepare('VACUUM INTO ?').run(join(dir, 'audit.db'));
    file.close();
    const memory = join(gateway.dataDir, 'audit.chain');
    if (withMemory && existsSync(memory)) copyFileSync(memory, join(dir, 'audit.chain'));
    return { dir, dump: isEmbedded ? undefined : await history.dump() };
  };
  /** Waits until PostgreSQL has every link. */
  const shipped = async (some: readonly Gateway[]): Promise<void> => {
    for (const { dataDir } of isEmbedded ? [] : some) {
      await until(async () => {
        const links = await database.db.selectFrom('audit_links').select('hash').execute();
        return links.some(({ hash }) => hash === newestHash(dataDir));
      });
    }
  };
  const restoreFiles = (gateway: Gateway, { dir }: Saved): void => {
    rmSync(gateway.dataDir, { recursive: true });
    mkdirSync(gateway.dataDir);
    for (const name of ['audit.db', 'audit.chain']) {
      const from = join(dir, name);
      if (existsSync(from)) copyFileSync(from, join(gateway.dataDir, name));
    }
  };

  /** As after `kill -9`: what the gateway does when it is closed has not happened. */
  const crash = async (gateway: Gateway): Promise<void> => {
    // The tables are put back as they were at the crash, so the other gateway must not write meanwhile.
    for (const { audit } of gateways) {
      await until(() => audit === undefined || audit.ledger.stats().outbox === 0);
      await audit?.retention.sweep();
    }
    await shipped(gateways.filter((other) => other !== gateway && other.audit));
    const logged = history.anchors.length;
    const saved = await save(gateway, true);
    await closeOne(gateway);
    history.anchors.length = logged;
    restoreFiles(gateway, saved);
    if (saved.dump) await history.putBack(saved.dump);
  };

  const history: AuditHistory = {
    anchors: [],
    errors: [],
    nowMs: Date.now() - 60 * DAY_MS,
    db: () => {
      if (isEmbedded && !reader) throw new Error('The history is not closed.');
      return reader?.db ?? database.db;
    },
    append: async (number, records) => {
      await Promise.all(records.map((record) => auditOf(number).ledger.append(record)));
    },
    run: async (step) => {
      if (step.do === 'append') await appendSome(step.who, step.count);
      if (step.do === 'pass') {
        history.nowMs += step.hours * HOUR_MS;
        await appendSome(step.who, 1);
        await auditOf(step.who).retention.sweep();
      }
      if (step.do === 'restart' || step.do === 'crash') {
        const gateway = gateways[step.who % gateways.length];
        if (!gateway) return;
        await (step.do === 'crash' ? crash(gateway) : closeOne(gateway));
        await openOne(gateway);
      }
      if (step.do === 'backup') {
        const saved: Saved[] = [];
        for (const gateway of gateways) saved.push(await save(gateway, false));
        backups.push(saved);
      }
      if (step.do === 'restore') await restore(step.which);
    },
    open: async () => {
      await closeReader();
      for (const gateway of gateways) await openOne(gateway);
    },
    close: async () => {
      for (const gateway of gateways) await closeOne(gateway);
      await auditDb();
    },
    settle: async () => {
      for (const { dataDir } of gateways) {
        await until(() => readMemory(dataDir)?.hash === newestHash(dataDir));
      }
    },
    kill: async () => {
      // On PostgreSQL, links that are not shipped yet are only in DATA_DIR, which `audit verify` does not read.
      await shipped(gateways);
      for (const gateway of gateways) await crash(gateway);
      await auditDb();
    },
    dump: async () => {
      const db = await auditDb();
      const dump = new Map<(typeof TABLES)[number], object[]>();
      for (const table of TABLES) dump.set(table, await db.selectFrom(table).selectAll().execute());
      if (gateways[0]?.audit) await closeReader();
      return dump;
    },
    putBack: async (dump) => {
      const db = await auditDb();
      for (const table of TABLES) {
        await db.deleteFrom(table).execute();
        for (const row of dump.get(table) ?? []) {
          await db
            .insertInto(table)
            .values(row as never)
            .execute();
        }
      }
    },
    remove: async () => {
      for (const gateway of gateways) await closeOne(gateway);
      await closeReader();
      await database.close();
      await place.remove();
    },
  };

  const appendSome = (number: number, count: number): Promise<void> =>
    history.append(
      number,
      // The oldest call of a commit started long before the newest.
      Array.from({ length: count }, (_, i) => makeRecord({}, history.nowMs - i * 1000)),
    );

  const restore = async (which: number): Promise<void> => {
    const saved = backups[which % backups.length];
    if (!saved) return;
    for (const gateway of gateways) await closeOne(gateway);
    for (const [index, gateway] of gateways.entries()) {
      const part = saved[index];
      if (part) restoreFiles(gateway, part);
    }
    const dump = saved.at(-1)?.dump;
    if (dump) await history.putBack(dump);
    for (const gateway of gateways) await openOne(gateway);
  };

  return history;
}

function newestHash(dataDir: string): string {
  const file = new DatabaseSync(join(dataDir, 'audit.db'));
  const newest = file.prepare('SELECT hash FROM audit_links ORDER BY rowid DESC LIMIT 1').get();
  file.close();
  return String(newest?.['hash']);
}

/** Runs the steps between a first and a last append. */
export async function runSteps(history: AuditHistory, plan: readonly Step[]): Promise<void> {
  await history.open();
  await history.run({ do: 'append', count: 3, who: 0 });
  for (const step of plan) await history.run(step);
  await history.run({ do: 'append', count: 5, who: 0 });
  history.nowMs += 1000;
  await history.run({ do: 'append', count: 4, who: 1 });
}
