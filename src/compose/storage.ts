import type { Logger } from 'pino';
import { createApiKeyStore } from '../access/keys/api-key-store.ts';
import { createTenantStore } from '../access/tenants/tenant-store.ts';
import { reportSweep } from '../access/trail/report-sweep.ts';
import { type Audit, openAudit } from '../audit/audit.ts';
import { auditLog, shippingLog } from '../audit/audit-log.ts';
import { lockDataDir } from '../platform/database/data-dir.ts';
import { type Database, openDatabase } from '../platform/database/database.ts';
import { type DiskReserve, openDiskReserve } from '../platform/database/disk-reserve.ts';
import { createOutageLog } from '../platform/kernel/outage-log.ts';
import type { Secret } from '../platform/kernel/secret.ts';
import type { Ground } from './options.ts';

/** What outlives the process: database, Redis, audit log, and the stores over them. */
export async function openStorage(ground: Ground) {
  const { settings, logger, clock, parts } = ground;
  const dataDir = settings.DATA_DIR;
  const disk = parts.add(openDiskReserve({ dataDir, floorBytes: settings.DISK_RESERVE_BYTES }));
  parts.add(lockDataDir(dataDir));
  const database = parts.add(openDatabase({ databaseUrl: settings.DATABASE_URL, dataDir }));
  await database.migrate();
  const redis = settings.REDIS_URL
    ? parts.add(await openRedis(settings.REDIS_URL, settings.REDIS_KEY_PREFIX, logger))
    : undefined;
  const audit = parts.add(await openAuditLog(ground, database, disk));
  const tenants = createTenantStore({ db: database.db, clock, actor: 'start' });
  const apiKeys = createApiKeyStore({ db: database.db, clock, actor: 'start' });
  /** What a part that may share its state over Redis is given. */
  const shared = (kind: string) => ({
    ...(redis ? { redis } : {}),
    logger,
    keyPrefix: `${settings.REDIS_KEY_PREFIX}${kind}`,
  });
  return { database, redis, audit, tenants, apiKeys, shared };
}

export type Storage = Awaited<ReturnType<typeof openStorage>>;

function openAuditLog(ground: Ground, database: Database, disk: DiskReserve): Promise<Audit> {
  const { settings, logger, clock, securityLog } = ground;
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
    onFault,
    ...shippingLog(logger),
    ...auditLog(logger, onSwept),
  });
}

/** The Redis client is loaded only where there is a Redis. */
async function openRedis(url: Secret, keyPrefix: string, logger: Logger) {
  const { connectRedis } = await import('../platform/redis/redis-connection.ts');
  return connectRedis(url, { logger, keyPrefix });
}
