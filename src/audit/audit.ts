import { join } from 'node:path';
import type { Kysely } from 'kysely';
import type { Database } from '../platform/database/database.ts';
import type { DiskReserve } from '../platform/database/disk-reserve.ts';
import type { Tables } from '../platform/database/tables.ts';
import type { Clock } from '../platform/kernel/clock.ts';
import type { Closeable } from '../platform/kernel/closeable.ts';
import { createChainAnchors } from './chain/chain-anchors.ts';
import type { ChainAnchor } from './chain/chain-link.ts';
import { createChainShipper } from './chain/chain-shipper.ts';
import { createChainWriter } from './chain/chain-writer.ts';
import { createAuditLedger } from './ledger/audit-ledger.ts';
import { createAuditSearch } from './reading/audit-search.ts';
import { type AuditStore, createAuditStore } from './reading/audit-store.ts';
import {
  AUDIT_FILE_NAME,
  type AuditFile,
  hasAuditFile,
  openAuditFile,
} from './record/audit-file.ts';
import type { AuditLedger } from './record/audit-record.ts';
import {
  type AuditRetention,
  createAuditRetention,
  type RetentionNotice,
} from './retention/audit-retention.ts';
import {
  createAuditShipping,
  NOTHING_SHIPPED,
  type ShippingWatch,
} from './shipping/audit-shipping.ts';
import { readDeadRecords } from './shipping/dead-letters.ts';

const SHIP_LINKS_INTERVAL_MS = 1000;

export interface AuditDeps extends ShippingWatch {
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
  /** Room for the records of calls under way when the disk fills up. */
  readonly disk?: DiskReserve;
  /** Told once why records cannot be written, and once, with null, when they can again. */
  readonly onDegraded?: (reason: string | null) => void;
  /** Told of every sweep, of one that was refused, and of clocks that differ. */
  readonly onRetention?: (notice: RetentionNotice) => void;
  /** Told of every anchor of the hash chain, to keep it outside the database. */
  readonly onAnchor?: (anchor: ChainAnchor) => void;
  /** Told when another gateway has continued this one's chain: its DATA_DIR was copied or restored. */
  readonly onForked?: (origin: string) => void;
  /** The monotonic clock; a test passes its own. */
  readonly elapsedMs?: () => number;
}

/** The audit log of one gateway. `close` commits, and ships what it can within 5 seconds; the rest waits for the next start. */
export interface Audit extends Closeable {
  readonly ledger: AuditLedger;
  readonly store: AuditStore;
  readonly retention: Pick<AuditRetention, 'sweep' | 'stats'>;
}

/** Opens the audit log: `audit.db` alone, or as the outbox of PostgreSQL. Throws StartupError. */
export async function openAudit(deps: AuditDeps): Promise<Audit> {
  const file = await openAuditFile(deps);
  return deps.database.backend === 'embedded' ? embedded(deps, file) : onPostgres(deps, file);
}

function embedded(deps: AuditDeps, file: AuditFile): Audit {
  const chain = createChainWriter({ ...deps, file });
  const ledger = createAuditLedger({ ...deps, file, chain });
  const anchors = createChainAnchors({ ...deps, chain });
  const retention = createAuditRetention({
    ...deps,
    db: file.db,
    backend: 'embedded',
    chain,
    onDeleted: file.giveBackSpace,
    onNotice: deps.onRetention,
  });
  const search = createAuditSearch({ path: join(deps.dataDir, AUDIT_FILE_NAME) });
  return {
    ledger: { ...ledger, stats: () => ({ ...ledger.stats(), ...NOTHING_SHIPPED }) },
    store: createAuditStore({ db: file.db, search: search.run }),
    retention,
    close: async () => {
      await search.close();
      await retention.close();
      await ledger.close();
      await anchors.close();
      await file.close();
    },
  };
}

function onPostgres(deps: AuditDeps, file: AuditFile): Audit {
  const { db } = deps.database;
  const shipping = createAuditShipping({ ...deps, file, db });
  const chain = createChainWriter({ ...deps, file });
  const ledger = createAuditLedger({ ...deps, file, chain, outbox: shipping.outbox });
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
      await shipping.drain();
      await links.ship();
    },
    onNotice: deps.onRetention,
  });
  return {
    ledger: { ...ledger, stats: () => shipping.complete(ledger.stats()) },
    store: createAuditStore({ db, waiting: { db: file.db, shipped: shipping.shipped } }),
    retention,
    close: async () => {
      await retention.close();
      await ledger.close();
      await anchors.close();
      await shipping.close();
      if (shipping.outbox.count() === 0) await links.ship().catch(deps.onFault);
      await links.close();
      await file.close();
    },
  };
}

/** The audit log for a command. */
export interface AuditReader extends Closeable {
  readonly store: AuditStore;
  readonly db: Kysely<Tables>;
  /** Ids of records that this gateway could not deliver to PostgreSQL. */
  deadRecords(): Promise<ReadonlySet<string>>;
}

/** Only reads, for a command that runs beside a gateway or without one. Throws StartupError. */
export async function openAuditReader(deps: {
  readonly dataDir: string;
  readonly database: Database;
}): Promise<AuditReader> {
  const openFile = () => openAuditFile({ dataDir: deps.dataDir, fsync: false });
  if (deps.database.backend === 'postgres') {
    const { db } = deps.database;
    const deadRecords = async (): Promise<ReadonlySet<string>> => {
      if (!hasAuditFile(deps.dataDir)) return new Set();
      const file = await openFile();
      return readDeadRecords(file.db).finally(file.close);
    };
    return { db, deadRecords, store: createAuditStore({ db }), close: async () => undefined };
  }
  const { db, close } = await openFile();
  return { db, deadRecords: async () => new Set(), store: createAuditStore({ db }), close };
}
