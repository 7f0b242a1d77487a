import type { Logger } from 'pino';
import { createApiKeyStore } from '../access/keys/api-key-store.ts';
import { createTenantStore } from '../access/tenants/tenant-store.ts';
import { reportSweep } from '../access/trail/report-sweep.ts';
import { type Audit, type AuditDeps, openAudit } from '../audit/audit.ts';
import { auditLog, shippingLog } from '../audit/audit-log.ts';
import { type Database, openDatabase } from '../platform/database/database.ts';
import { createOutageLog } from '../platform/kernel/outage-log.ts';
import type { Secret } from '../platform/kernel/secret.ts';
import { openVault } from '../platform/vault/open-vault.ts';
import { checkVault, createSecretStore } from '../platform/vault/secret-store.ts';
import { openStatistics } from '../statistics/open-statistics.ts';
import { createRecentCounter } from '../statistics/writing/recent-records.ts';
import type { GatewayContext } from './options.ts';

/** Opens what outlives the process: database, Redis, audit log, and the stores on top of them. */
export async function openStorage(context: GatewayContext) {
  const { settings, logger, clock, parts } = context;
  const dataDir = settings.DATA_DIR;
  const disk = await context.openPlace();
  const database = parts.add(openDatabase({ databaseUrl: settings.DATABASE_URL, dataDir }));
  await database.migrate();
  const vault = openVault(settings);
  await checkVault(createSecretStore({ db: database.db, vault, clock }), vault, logger);
  const redis = settings.REDIS_URL
    ? parts.add(await openRedis(settings.REDIS_URL, settings.REDIS_KEY_PREFIX, logger))
    : undefined;
  const recent = createRecentCounter();
  const audit = parts.add(await openAuditLog(context, database, { disk, onCommitted: recent.add }));
  const statistics = parts.add(
    openStatistics({
      databaseUrl: settings.DATABASE_URL,
      dataDir,
      clock,
      recordCount: () => audit.ledger.stats().records,
      recent,
      onError: createOutageLog(logger, 'statistics could not be updated'),
    }),
  );
  const tenants = createTenantStore({ db: database.db, clock, actor: 'start' });
  const apiKeys = createApiKeyStore({ db: database.db, clock, actor: 'start' });
  /** The options of a part that shares its state through Redis, if configured. */
  const shared = (kind: string) => ({
    ...(redis ? { redis } : {}),
    logger,
    keyPrefix: `${settings.REDIS_KEY_PREFIX}${kind}`,
  });
  return { database, vault, redis, audit, statistics, tenants, apiKeys, shared };
}

export type Storage = Awaited<ReturnType<typeof openStorage>>;

function openAuditLog(
  context: GatewayContext,
  database: Database,
  { disk, onCommitted }: Required<Pick<AuditDeps, 'disk' | 'onCommitted'>>,
): Promise<Audit> {
  const { settings, logger, clock, securityLog } = context;
  const onFault = createOutageLog(logger, 'audit records are waiting for the database');
  const onSwept = (deleted: number): void => {
    void reportSweep({ db: database.db, clock, securityLog }, { deleted }).catch(onFault);
  };
  return openAudit({
    dataDir: settings.DATA_DIR,
    database,
    clock,
    fsync: settings.AUDIT_FSYNC,
    retentionDays: settings.AUDIT_RETENTION_DAYS,
    maxOutboxRecords: settings.AUDIT_OUTBOX_MAX_RECORDS,
    disk,
    onCommitted,
    onError: onFault,
    ...shippingLog(logger),
    ...auditLog(logger, onSwept),
  });
}

/** Loads the Redis client only if Redis is configured. */
async function openRedis(url: Secret, keyPrefix: string, logger: Logger) {
  const { connectRedis } = await import('../platform/redis/redis-connection.ts');
  return connectRedis(url, { logger, keyPrefix });
}
