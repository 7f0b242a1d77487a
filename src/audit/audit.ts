import { join } from 'node:path';
import type { Kysely } from 'kysely';
import type { Database } from '../platform/database/database.ts';
import type { Tables } from '../platform/database/tables.ts';
import type { Closeable } from '../platform/kernel/closeable.ts';
import { type ClosingStack, createClosingStack } from '../platform/kernel/closing-stack.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { findStart } from './chain/chain-memory.ts';
import {
  type ChainWriter,
  type ChainWriterDeps,
  createChainAnchors,
  createChainWriter,
} from './chain/chain-writer.ts';
import { type AuditLedgerDeps, createAuditLedger } from './ledger/audit-ledger.ts';
import { createAuditSearch } from './reading/audit-search.ts';
import { type AuditStore, createAuditStore } from './reading/audit-store.ts';
import {
  AUDIT_FILE_NAME,
  type AuditFile,
  type AuditFileOptions,
  auditDirs,
  openAuditFile,
  openExistingAuditFile,
} from './record/audit-file.ts';
import type { AuditLedger } from './record/audit-record.ts';
import {
  type AuditRetention,
  type AuditRetentionDeps,
  createAuditRetention,
} from './retention/audit-retention.ts';
import {
  type AuditShippingDeps,
  createAuditShipping,
  NOTHING_SHIPPED,
  type ShippingWatch,
} from './shipping/audit-shipping.ts';
import { readDeadRecords } from './shipping/dead-letters.ts';
import { unpackOutbox } from './shipping/outbox-table.ts';

/** `onCommitted` is called by an embedded log only. */
export interface AuditDeps
  extends AuditFileOptions,
    ShippingWatch,
    Pick<AuditLedgerDeps, 'clock' | 'disk' | 'onCommitted' | 'onDegraded'>,
    Pick<ChainWriterDeps, 'onAnchor' | 'onForeign'>,
    Pick<AuditShippingDeps, 'maxOutboxRecords' | 'onForked'>,
    Pick<AuditRetentionDeps, 'retentionDays' | 'onRetention'> {
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
  /** Ships what waits, for at most a second. */
  readonly ship: () => Promise<unknown>;
}

/** Opens the audit log: `audit.db` alone, or as the outbox of PostgreSQL. Throws StartupError. */
export async function openAudit(deps: AuditDeps): Promise<Audit> {
  const parts = createClosingStack();
  const file = parts.add(await openAuditFile(deps));
  const open = deps.database.backend === 'embedded' ? openEmbedded : openOnPostgres;
  try {
    return { ...(await open(deps, file, parts)), close: parts.close };
  } catch (error) {
    await parts.close();
    throw error;
  }
}

/** On a full disk, the chain is opened by the first record that has space. */
async function openChain(
  deps: AuditDeps,
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

type OpenAudit = Omit<Audit, 'close'>;

async function openEmbedded(
  deps: AuditDeps,
  file: AuditFile,
  parts: ClosingStack,
): Promise<OpenAudit> {
  const { db } = file;
  unpackOutbox(file.writer);
  const chain = await openChain(deps, file, db);
  parts.add(createChainAnchors({ ...deps, chain }));
  const ledger = parts.add(createAuditLedger({ ...deps, file, chain }));
  const onDeleted = file.releaseSpace;
  const retention = parts.add(
    createAuditRetention({ ...deps, db, backend: 'embedded', chain, onDeleted }),
  );
  const search = parts.add(createAuditSearch(join(deps.dataDir, AUDIT_FILE_NAME)));
  return {
    ledger: { ...ledger, stats: () => ({ ...ledger.stats(), ...NOTHING_SHIPPED }) },
    store: createAuditStore({ db, search: search.run }),
    retention,
    ship: () => Promise.resolve(),
  };
}

async function openOnPostgres(
  deps: AuditDeps,
  file: AuditFile,
  parts: ClosingStack,
): Promise<OpenAudit> {
  const { db } = deps.database;
  // An anchor is logged once PostgreSQL has its link, so that it can be verified at any time.
  const chain = await openChain({ ...deps, onAnchor: undefined }, file, db);
  const shipping = parts.add(createAuditShipping({ ...deps, file, chain, db }));
  const { outbox, shipped } = shipping;
  parts.add(createChainAnchors({ ...deps, chain }));
  const ledger = parts.add(
    createAuditLedger({ ...deps, file, chain, outbox, onCommitted: undefined }),
  );
  const beforeDelete = async (): Promise<void> => {
    // What a sweep deletes must be explained by its anchor, which follows the records before it.
    if (!(await shipping.drain())) throw new GatewayError('unavailable', NOT_SHIPPED);
  };
  return {
    ledger: { ...ledger, stats: () => shipping.addStats(ledger.stats()) },
    store: createAuditStore({
      db,
      waiting: { shipped, find: outbox.find, shippedElsewhere: deps.shipElsewhere },
    }),
    ship: shipping.drain,
    retention: parts.add(
      createAuditRetention({ ...deps, db, backend: 'postgres', chain, beforeDelete }),
    ),
  };
}

const NOT_SHIPPED =
  'Retention deletes nothing while records wait for PostgreSQL; it tries again within an hour.';

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
    /** The ids of the dead letters of this gateway and its workers. */
    deadRecords: async (): Promise<ReadonlySet<string>> => {
      const dead = new Set<string>();
      for (const dir of isServer ? auditDirs(dataDir) : []) {
        const file = await openExistingAuditFile(dir);
        for (const id of await readDeadRecords(file.db).finally(file.close)) dead.add(id);
      }
      return dead;
    },
    close,
  };
}
