import { join } from 'node:path';
import type { Kysely } from 'kysely';
import type { Database } from '../platform/database/database.ts';
import type { DiskReserve } from '../platform/database/disk-reserve.ts';
import type { AuditRecordsTable, Tables } from '../platform/database/tables.ts';
import type { Clock } from '../platform/kernel/clock.ts';
import type { Closeable } from '../platform/kernel/closeable.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { createChainAnchors } from './chain/chain-anchors.ts';
import type { ChainAnchor, LinkName } from './chain/chain-link.ts';
import { findStart } from './chain/chain-memory.ts';
import { createChainShipper } from './chain/chain-shipper.ts';
import { type ChainWriter, type ChainWriterDeps, createChainWriter } from './chain/chain-writer.ts';
import { createAuditLedger } from './ledger/audit-ledger.ts';
import { createAuditSearch } from './reading/audit-search.ts';
import { type AuditStore, createAuditStore } from './reading/audit-store.ts';
import {
  AUDIT_FILE_NAME,
  type AuditFile,
  hasAuditFile,
  openAuditFile,
  openExistingAuditFile,
} from './record/audit-file.ts';
import type { AuditLedger } from './record/audit-record.ts';
import {
  type AuditRetention,
  createAuditRetention,
  type RetentionNotice,
} from './retention/audit-retention.ts';
import { scheduleSweeps } from './retention/sweep-schedule.ts';
import {
  createAuditShipping,
  NOTHING_SHIPPED,
  type ShippingWatch,
} from './shipping/audit-shipping.ts';
import { readDeadRecords } from './shipping/dead-letters.ts';

const SHIP_LINKS_INTERVAL_MS = 1000;
const SEARCH_BOUNDS = { maxWaiting: 32, timeoutMs: 10_000, idleMs: 30_000 };

export interface AuditDeps extends ShippingWatch {
  readonly dataDir: string;
  /** Must already be migrated. */
  readonly database: Database;
  readonly clock: Clock;
  /** AUDIT_FSYNC. */
  readonly fsync: boolean;
  /** AUDIT_RETENTION_DAYS; 0 = records are never deleted. */
  readonly retentionDays: number;
  /** AUDIT_OUTBOX_MAX_RECORDS. */
  readonly maxOutboxRecords: number;
  /** Disk space reserved for the records of calls in progress. */
  readonly disk?: DiskReserve;
  /** Called after every commit of an embedded log with its rows and the row id of the last one. Must not throw. */
  readonly onCommitted?: (rows: readonly AuditRecordsTable[], lastRowId: number) => void;
  /** Called once with the reason when records can no longer be written, and once with null when they can again. */
  readonly onDegraded?: (reason: string | null) => void;
  /** Called for every sweep, for one that was refused, and when clocks differ. */
  readonly onRetention?: (notice: RetentionNotice) => void;
  /** Called with every anchor of the hash chain, to store it outside the database. */
  readonly onAnchor?: (anchor: ChainAnchor) => void;
  /** Called with the last link of this gateway's chain if the database does not have it, or others follow it. */
  readonly onForeign?: (last: LinkName) => void;
  /** Called when another gateway has continued this one's chain: DATA_DIR was copied or restored. */
  readonly onForked?: (origin: string) => void;
}

/** The audit log of one gateway. `close` commits, and ships what it can within 5 seconds. The rest is shipped after the next start. */
export interface Audit extends Closeable {
  readonly ledger: AuditLedger;
  readonly store: AuditStore;
  readonly retention: Pick<AuditRetention, 'sweep' | 'stats'>;
}

/** Opens the audit log: `audit.db` alone, or as the outbox of PostgreSQL. Throws StartupError. */
export async function openAudit(deps: AuditDeps): Promise<Audit> {
  const file = await openAuditFile(deps);
  const open = deps.database.backend === 'embedded' ? openEmbedded : openOnPostgres;
  return await open(deps, file).catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
}

/** On a full disk, the chain is opened by the first record that has space. */
async function openChain(
  deps: Omit<AuditDeps, 'onAnchor'> & Pick<ChainWriterDeps, 'onAnchor'>,
  file: AuditFile,
  db: Kysely<Tables>,
): Promise<ChainWriter> {
  const chain = createChainWriter({ ...deps, file, start: await findStart(file, db) });
  try {
    chain.open();
  } catch (error) {
    chain.undo();
    deps.onError(error);
  }
  return chain;
}

async function openEmbedded(deps: AuditDeps, file: AuditFile): Promise<Audit> {
  const chain = await openChain(deps, file, file.db);
  const ledger = createAuditLedger({ ...deps, file, chain });
  const anchors = createChainAnchors({ ...deps, chain });
  const retention = createAuditRetention({
    ...deps,
    db: file.db,
    backend: 'embedded',
    chain,
    onDeleted: file.releaseSpace,
    onNotice: deps.onRetention,
  });
  const sweeps = startSweeps(deps, retention);
  const search = createAuditSearch({
    path: join(deps.dataDir, AUDIT_FILE_NAME),
    ...SEARCH_BOUNDS,
  });
  return {
    ledger: { ...ledger, stats: () => ({ ...ledger.stats(), ...NOTHING_SHIPPED }) },
    store: createAuditStore({ db: file.db, search: search.run }),
    retention,
    close: async () => {
      await search.close();
      await sweeps.close();
      await ledger.close();
      await anchors.close();
      await file.close();
    },
  };
}

async function openOnPostgres(deps: AuditDeps, file: AuditFile): Promise<Audit> {
  const { db } = deps.database;
  // An anchor is logged once PostgreSQL has its link, so that it can be verified at any time.
  const chain = await openChain({ ...deps, onAnchor: undefined }, file, db);
  const shipping = createAuditShipping({ ...deps, file, db });
  const ledger = createAuditLedger({
    ...deps,
    file,
    chain,
    outbox: shipping.outbox,
    onCommitted: undefined,
  });
  const anchors = createChainAnchors({ ...deps, chain });
  const links = createChainShipper({
    ...deps,
    file,
    chain,
    db,
    intervalMs: SHIP_LINKS_INTERVAL_MS,
  });
  const retention = createAuditRetention({
    ...deps,
    db,
    backend: 'postgres',
    chain,
    beforeDelete: async () => {
      // What a sweep deletes must be explained by its anchor, which follows the records before it.
      if (!(await shipping.drain())) throw new GatewayError('unavailable', NOT_SHIPPED);
      await links.ship();
    },
    onNotice: deps.onRetention,
  });
  const sweeps = startSweeps(deps, retention);
  return {
    ledger: { ...ledger, stats: () => shipping.addStats(ledger.stats()) },
    store: createAuditStore({ db, waiting: { db: file.db, shipped: shipping.shipped } }),
    retention,
    close: async () => {
      await sweeps.close();
      await ledger.close();
      await anchors.close();
      await shipping.close();
      if (shipping.outbox.count() === 0) await links.ship().catch(deps.onError);
      await links.close();
      await file.close();
    },
  };
}

const NOT_SHIPPED =
  'Retention deletes nothing while records wait for PostgreSQL; it tries again within an hour.';

const startSweeps = (deps: AuditDeps, retention: AuditRetention): Closeable =>
  deps.retentionDays > 0 ? scheduleSweeps(retention, deps.onError) : retention;

/** The audit log as a command reads it. */
export interface AuditReader extends Closeable {
  readonly store: AuditStore;
  readonly db: Kysely<Tables>;
  /** The ids of the dead letters of this gateway. */
  deadRecords(): Promise<ReadonlySet<string>>;
}

/** Opens the audit log for reading, whether or not a gateway is running. It must exist. Throws StartupError. */
export async function openAuditReader(deps: {
  readonly dataDir: string;
  readonly database: Database;
}): Promise<AuditReader> {
  if (deps.database.backend === 'postgres') {
    const { db } = deps.database;
    const deadRecords = async (): Promise<ReadonlySet<string>> => {
      if (!hasAuditFile(deps.dataDir)) return new Set();
      const file = await openExistingAuditFile(deps.dataDir);
      return readDeadRecords(file.db).finally(file.close);
    };
    return { db, deadRecords, store: createAuditStore({ db }), close: async () => undefined };
  }
  const { db, close } = await openExistingAuditFile(deps.dataDir);
  return { db, deadRecords: async () => new Set(), store: createAuditStore({ db }), close };
}
