import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import type pino from 'pino';
import type { Database } from '../platform/database/database.ts';
import { runQuery } from '../platform/database/database-error.ts';
import type { Tables } from '../platform/database/tables.ts';
import {
  type Closeable,
  type ClosingStack,
  createClosingStack,
} from '../platform/kernel/closing.ts';
import { commandLine, createOutageLog } from '../platform/kernel/log-lines.ts';
import { systemClock } from '../platform/kernel/time.ts';
import { type AuditLedgerDeps, createAuditLedger } from './ledger/audit-ledger.ts';
import { createAuditSearch } from './reading/audit-search.ts';
import { type AuditStore, createAuditStore } from './reading/audit-store.ts';
import {
  AUDIT_FILE_NAME,
  type AuditFile,
  type AuditFileOptions,
  openAuditFile,
  openExistingAuditFile,
} from './record/audit-file.ts';
import type { AuditLedger } from './record/audit-record.ts';
import {
  type AuditRetention,
  type AuditRetentionDeps,
  createAuditRetention,
} from './retention/audit-retention.ts';
import { formatAnchor } from './seals/seal.ts';
import { createSealer, type Sealer, type SealerDeps } from './seals/sealer.ts';
import {
  type AuditShippingDeps,
  createAuditShipping,
  NOTHING_SHIPPED,
  type ShippingWatch,
} from './shipping/audit-shipping.ts';

export interface AuditDeps
  extends AuditFileOptions,
    ShippingWatch,
    Pick<AuditLedgerDeps, 'clock' | 'disk' | 'onCommitted' | 'onDegraded'>,
    Pick<SealerDeps, 'onAnchor'>,
    Pick<AuditShippingDeps, 'maxOutboxRecords'>,
    Pick<AuditRetentionDeps, 'retentionDays' | 'onSwept'> {
  /** Must already be migrated. */
  readonly database: Database;
  /** Has the other gateways on the database ship what waits there. */
  readonly shipElsewhere?: (() => Promise<unknown>) | undefined;
}

/** The audit log of one gateway. `close` commits, and ships what it can within 5 seconds. The rest is shipped after the next start. */
export interface Audit extends Closeable {
  readonly ledger: AuditLedger;
  readonly store: AuditStore;
  readonly retention: Pick<AuditRetention, 'sweep' | 'stats'>;
  /** Seals the records that the database has. */
  readonly seal: Sealer['seal'];
  /** Ships what waits, for at most a second. */
  readonly ship: () => Promise<unknown>;
  /** The migrations of `audit.db` that ran when it was opened. */
  readonly migrations: readonly string[];
}

/** Opens the audit log: `audit.db` alone, or as the outbox of PostgreSQL. Throws StartupError. */
export async function openAudit(deps: AuditDeps): Promise<Audit> {
  const parts = createClosingStack();
  const file = parts.add(await openAuditFile(deps));
  const open = deps.database.backend === 'embedded' ? openEmbedded : openOnPostgres;
  try {
    const { migrations } = file;
    return { ...(await open(deps, file, parts)), migrations, close: parts.close };
  } catch (error) {
    await parts.close();
    throw error;
  }
}

type OpenAudit = Omit<Audit, 'close' | 'migrations'>;

async function openEmbedded(
  deps: AuditDeps,
  file: AuditFile,
  parts: ClosingStack,
): Promise<OpenAudit> {
  const { db } = file;
  const now = clockOf(deps);
  const search = parts.add(createAuditSearch(join(deps.dataDir, AUDIT_FILE_NAME)));
  const sealer = parts.add(createSealer({ ...deps, db, now, hash: search.hash }));
  const ledger = parts.add(createAuditLedger({ ...deps, file }));
  const onDeleted = file.releaseSpace;
  return {
    ledger: { ...ledger, stats: () => ({ ...ledger.stats(), ...NOTHING_SHIPPED }) },
    store: createAuditStore({ db, search: search.run }),
    retention: parts.add(createAuditRetention({ ...deps, db, now, onDeleted })),
    seal: sealer.seal,
    ship: () => Promise.resolve(),
  };
}

async function openOnPostgres(
  deps: AuditDeps,
  file: AuditFile,
  parts: ClosingStack,
): Promise<OpenAudit> {
  const { db } = deps.database;
  const now = clockOf(deps);
  const sealer = parts.add(createSealer({ ...deps, db, now }));
  const shipping = parts.add(createAuditShipping({ ...deps, file, db }));
  const { outbox, drain } = shipping;
  const ledger = parts.add(createAuditLedger({ ...deps, file, outbox }));
  return {
    ledger: { ...ledger, stats: () => shipping.addStats(ledger.stats()) },
    store: createAuditStore({ db, waiting: { ship: drain, shipElsewhere: deps.shipElsewhere } }),
    ship: drain,
    seal: sealer.seal,
    retention: parts.add(createAuditRetention({ ...deps, db, now })),
  };
}

/** The time of seals and of retention: on PostgreSQL the earlier of both clocks, because a fast one would delete too early. */
const clockOf =
  ({ clock, database: { backend, db } }: Pick<AuditDeps, 'clock' | 'database'>) =>
  async (): Promise<number> =>
    backend === 'embedded' ? clock.now() : Math.min(clock.now(), await readDatabaseClock(db));

async function readDatabaseClock(db: Kysely<Tables>): Promise<number> {
  const { rows } = await runQuery(() =>
    sql<{ ms: number }>`select (extract(epoch from now()) * 1000)::bigint as ms`.execute(db),
  );
  return rows[0]?.ms ?? Number.POSITIVE_INFINITY;
}

export type AuditReader = Awaited<ReturnType<typeof openAuditReader>>;

/** Opens the audit log for commands to read, whether or not a gateway is running. It must exist. Throws StartupError. */
export async function openAuditReader({
  dataDir,
  database,
}: Pick<AuditDeps, 'dataDir' | 'database'>) {
  const isServer = database.backend === 'postgres';
  const { db, close } = isServer
    ? { db: database.db, close: async () => undefined }
    : await openExistingAuditFile(dataDir);
  return {
    db,
    store: createAuditStore({ db }),
    /** The time up to which seals may have expired. */
    now: clockOf({ clock: systemClock, database }),
    close,
  };
}

/** The log lines of the ledger and of seals, of which the log is the copy outside the database. */
export function auditLogLines(
  logger: Pick<pino.Logger, 'info' | 'warn' | 'error'>,
): Pick<AuditDeps, 'onAnchor' | 'onDegraded'> {
  return {
    onDegraded: (reason) =>
      reason === null
        ? logger.warn('the audit log can be written again; calls are accepted')
        : logger.error({ reason }, 'the audit log cannot be written; calls are refused'),
    onAnchor: (newest) =>
      logger.info(
        { anchor: formatAnchor(newest) },
        `the audit log is anchored; to check it later, run: ${commandLine('audit verify --anchor <anchor>')}`,
      ),
  };
}

/** Log lines about records that do not reach PostgreSQL, each at most once a minute. */
export function shippingLog(
  logger: Pick<pino.Logger, 'info' | 'warn'>,
): Pick<AuditDeps, 'onWaiting' | 'onBuried'> {
  const late = createOutageLog(
    logger,
    'audit records have been waiting for PostgreSQL for over a minute; readiness is degraded',
  );
  const buried = createOutageLog(
    logger,
    `PostgreSQL refused audit records; to see them, run: ${commandLine('audit dead-letters')}`,
  );
  const dropped = createOutageLog(logger, 'the oldest dead letters of the audit log were dropped');
  return {
    onWaiting: (seconds) => late(new Error(`the oldest record has been waiting for ${seconds} s`)),
    // The server's reason is not logged: it may quote the record.
    onBuried: (_reason, { deadLetters, deadLettersDropped }) => {
      buried(new Error(`${deadLetters} dead letters so far`));
      if (deadLettersDropped > 0) dropped(new Error(`${deadLettersDropped} since start`));
    },
  };
}
