import type { Logger } from 'pino';
import { createApiKeyStore } from '../access/keys/api-key-store.ts';
import { createTokenMint, type TokenMintDeps } from '../access/keys/token-mint.ts';
import { createTenantStore } from '../access/tenants/tenant-store.ts';
import { reportSweep } from '../access/trail/admin-trail.ts';
import {
  type Audit,
  type AuditDeps,
  auditLogLines,
  openAudit,
  shippingLog,
} from '../audit/audit.ts';
import { type Database, openDatabase } from '../platform/database/database.ts';
import { openReplicaRegistry } from '../platform/database/replica-registry.ts';
import { createDependencyChecks } from '../platform/kernel/dependency-checks.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { createOutageLog } from '../platform/kernel/log-lines.ts';
import type { Secret } from '../platform/kernel/secret.ts';
import { TO_ALL } from '../platform/redis/channels.ts';
import { checkVault, createSecretStore } from '../platform/vault/secret-store.ts';
import { openVault } from '../platform/vault/vault.ts';
import { openStatistics } from '../statistics/open-statistics.ts';
import type { GatewayContext } from './options.ts';

/** Opens what outlives the process: database, Redis, audit log, and the stores on top of them. */
export async function openStorage(context: GatewayContext) {
  const { settings, logger, clock, parts } = context;
  const { DATA_DIR: dataDir, DATABASE_URL: databaseUrl } = settings;
  const disk = await context.openPlace();
  const database = parts.add(openDatabase({ databaseUrl, dataDir }));
  logMigrations(logger, await database.migrate());
  const vault = await openVault(settings, database.db);
  await checkVault(createSecretStore({ db: database.db, vault, clock }), vault, logger);
  const { redis, bus, openTopic } = settings.REDIS_URL
    ? await openRedis(settings.REDIS_URL, context)
    : NO_REDIS;
  // Closes after the audit log, which ships what it can when it closes.
  const replicas = parts.add(
    openReplicaRegistry({
      database,
      dataDir,
      onError: createOutageLog(logger, 'this replica cannot report that it lives'),
      onRecovered: () => logger.info('PostgreSQL responds again'),
    }),
  );
  const shipElsewhere = bus && (() => bus.ask(TO_ALL, SHIP, { timeoutMs: SHIP_MS }));
  // Closes after the audit log, which counts the last records when it closes.
  const statistics = parts.add(
    openStatistics({
      ...{ databaseUrl, dataDir, clock },
      onError: createOutageLog(logger, 'statistics could not be updated'),
    }),
  );
  const onCommitted = statistics.count;
  const audit = parts.add(
    await openAuditLog(context, database, { disk, onCommitted, shipElsewhere }),
  );
  bus?.handle(SHIP.kind, audit.ship);
  await replicas.report(() => audit.ledger.stats().outbox);
  /** The options of a part that shares its state through Redis, if configured. */
  const shared = (kind: string) => ({
    ...(redis ? { redis } : {}),
    logger,
    keyPrefix: `${settings.REDIS_KEY_PREFIX}${kind}`,
    replicas: replicas.living,
  });
  /** Checks what the gateway cannot work without. */
  const checkDependencies = createDependencyChecks({
    database: {
      backend: database.backend,
      ping: async () => {
        await database.ping();
        if (audit.ledger.stats().degraded !== null) throw new GatewayError('unavailable');
      },
    },
    redis: redis
      ? { backend: 'redis', ping: redis.ping }
      : { backend: 'memory', ping: () => Promise.resolve() },
  });
  return {
    database,
    vault,
    audit,
    replicas,
    statistics,
    ...createAccessStores({ db: database.db, vault, clock }),
    shared,
    bus,
    openTopic,
    checkDependencies,
  };
}

/** Tenants, what opens them, and the tokens of grants. */
const createAccessStores = (deps: TokenMintDeps) => ({
  tenants: createTenantStore({ ...deps, actor: 'start' }),
  apiKeys: createApiKeyStore({ ...deps, actor: 'start' }),
  tokens: createTokenMint(deps),
});

function logMigrations(logger: Pick<Logger, 'info'>, migrations: readonly string[]): void {
  if (migrations.length > 0) logger.info({ migrations }, 'the tables of the database were updated');
}

export type Storage = Awaited<ReturnType<typeof openStorage>>;

async function openAuditLog(
  { settings, logger, clock, securityLog }: GatewayContext,
  database: Database,
  options: Pick<AuditDeps, 'disk' | 'onCommitted' | 'shipElsewhere'>,
): Promise<Audit> {
  const onError = createOutageLog(logger, 'audit records are waiting for the database');
  const onSwept = (deleted: number): void => {
    void reportSweep({ db: database.db, clock, securityLog }, { deleted }).catch(onError);
  };
  const audit = await openAudit({
    dataDir: settings.DATA_DIR,
    database,
    clock,
    fsync: settings.AUDIT_FSYNC,
    retentionDays: settings.AUDIT_RETENTION_DAYS,
    maxOutboxRecords: settings.AUDIT_OUTBOX_MAX_RECORDS,
    ...options,
    onError,
    ...shippingLog(logger),
    onSwept,
    ...auditLogLines(logger),
  });
  logMigrations(logger, audit.migrations);
  return audit;
}

/** The question to other replicas before audit records are read, and how long their answers are waited for. */
const SHIP = { kind: 'audit.ship' };
const SHIP_MS = 1000;

const NO_REDIS = { redis: undefined, bus: undefined, openTopic: undefined };

/** Loads the Redis client only if Redis is configured. */
async function openRedis(url: Secret, { settings, logger, parts }: GatewayContext) {
  const [{ connectRedis }, { connectBus }, { createTopics }] = await Promise.all([
    import('../platform/redis/redis-connection.ts'),
    import('../platform/redis/bus.ts'),
    import('../platform/redis/topics.ts'),
  ]);
  const keyPrefix = settings.REDIS_KEY_PREFIX;
  const redis = parts.add(connectRedis(url, { logger, keyPrefix }));
  const bus = parts.add(connectBus(url, { client: redis.client, logger, keyPrefix }));
  return { redis, bus, openTopic: createTopics(bus) };
}
