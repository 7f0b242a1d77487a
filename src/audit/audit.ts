import type { Database } from '../database/database.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Closeable } from '../kernel/closeable.ts';
import { type AuditFile, openAuditFile } from './audit-file.ts';
import { createAuditLedger } from './audit-ledger.ts';
import { createAuditOutbox } from './audit-outbox.ts';
import type { AuditLedger } from './audit-record.ts';
import { createAuditRetention } from './audit-retention.ts';
import { createAuditShipper } from './audit-shipper.ts';
import { type AuditStore, createAuditStore } from './audit-store.ts';

const SHIP_INTERVAL_MS = 200;
const READ_WAITS_MS = 1000;
const CLOSE_WAITS_MS = 5000;

export interface AuditDeps {
  readonly dataDir: string;
  /** Migrated already. */
  readonly database: Database;
  readonly clock: Clock;
  /** AUDIT_FSYNC. */
  readonly fsync: boolean;
  /** AUDIT_RETENTION_DAYS; 0 = never. */
  readonly retentionDays: number;
  /** AUDIT_OUTBOX_MAX_RECORDS. */
  readonly maxOutboxRecords: number;
  /** Told when records could not be shipped or old ones not be deleted; may be called often while a database is away. */
  readonly onFault: (error: unknown) => void;
  /** Told once why records cannot be written, and once, with null, when they can again. */
  readonly onDegraded?: (reason: string | null) => void;
}

/** The audit log of one gateway. `close` commits, and ships what it can within 5 seconds; the rest waits for the next start. */
export interface Audit extends Closeable {
  readonly ledger: AuditLedger;
  readonly store: AuditStore;
}

/** Opens the audit log: `audit.db` alone, or as the outbox of PostgreSQL. Throws StartupError. */
export async function openAudit(deps: AuditDeps): Promise<Audit> {
  const file = await openAuditFile(deps);
  return deps.database.backend === 'embedded' ? embedded(deps, file) : onPostgres(deps, file);
}

function embedded(deps: AuditDeps, file: AuditFile): Audit {
  const ledger = createAuditLedger({ file, clock: deps.clock, onDegraded: deps.onDegraded });
  const retention = createAuditRetention({ ...deps, db: file.db, onDeleted: file.giveBackSpace });
  return {
    ledger,
    store: createAuditStore({ db: file.db }),
    close: async () => {
      await retention.close();
      await ledger.close();
      await file.close();
    },
  };
}

function onPostgres(deps: AuditDeps, file: AuditFile): Audit {
  const { db } = deps.database;
  const outbox = createAuditOutbox({ file, maxRecords: deps.maxOutboxRecords });
  const ledger = createAuditLedger({
    file,
    clock: deps.clock,
    outbox,
    onDegraded: deps.onDegraded,
  });
  const shipper = createAuditShipper({
    outbox,
    db,
    intervalMs: SHIP_INTERVAL_MS,
    onFault: deps.onFault,
  });
  const retention = createAuditRetention({ ...deps, db });
  return {
    ledger,
    store: createAuditStore({ db, beforeRead: () => shipper.drain(READ_WAITS_MS) }),
    close: async () => {
      await retention.close();
      await ledger.close();
      await shipper.drain(CLOSE_WAITS_MS);
      await shipper.close();
      await file.close();
    },
  };
}

/** Only reads, for a command that runs beside a gateway or without one. Throws StartupError. */
export async function openAuditReader(deps: {
  readonly dataDir: string;
  readonly database: Database;
}): Promise<{ readonly store: AuditStore } & Closeable> {
  if (deps.database.backend === 'postgres') {
    return { store: createAuditStore({ db: deps.database.db }), close: async () => undefined };
  }
  const file = await openAuditFile({ dataDir: deps.dataDir, fsync: false });
  return { store: createAuditStore({ db: file.db }), close: file.close };
}
