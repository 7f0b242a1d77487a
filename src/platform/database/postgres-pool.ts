import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { Secret } from '../kernel/secret.ts';

const CONNECT_TIMEOUT_MS = 2000;
const STATEMENT_TIMEOUT_MS = 10_000;
/** Later than the timeout of the server, which leaves the connection usable. */
const QUERY_TIMEOUT_MS = 12_000;
const INT8_OID = 20;

export interface PostgresPoolOptions {
  readonly databaseUrl: Secret;
  readonly maxConnections: number;
  /** How long a query may take; 0 = no limit, for migrations. The default is later than the timeout of the server. */
  readonly queryTimeoutMs?: number;
}

/** The connections of a pool, and the queries that wait for one. */
export interface PoolStats {
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
}

/** Connections to a PostgreSQL server. Each is opened when first needed, so this works while the server is down. */
export function createPostgresPool(
  options: PostgresPoolOptions,
): PostgresPool & { stats(): PoolStats } {
  const { queryTimeoutMs = QUERY_TIMEOUT_MS } = options;
  const pool = new pg.Pool({
    connectionString: options.databaseUrl.reveal(),
    max: options.maxConnections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'tool-gateway',
    types: { getTypeParser },
    statement_timeout: queryTimeoutMs === 0 ? 0 : STATEMENT_TIMEOUT_MS,
    query_timeout: queryTimeoutMs,
  });
  // A broken connection is removed from the pool and its query fails. Without a listener, a connection that breaks
  // while it has no query (idle, or between two queries) would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return {
    connect: async () => closeWhenSilent(await pool.connect()),
    end: () => pool.end(),
    options: pool.options,
    stats: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
  };
}

/** Reads bigint columns as numbers: all of ours stay far below 2^53. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format ?? 'text');
}

/**
 * A connection whose server no longer responds (a cut cable, a dropped NAT entry) still has its pending query, and the
 * next query would wait behind it. Such a connection is closed instead of returned to the pool.
 */
function closeWhenSilent(client: pg.PoolClient): PostgresPoolClient {
  let silent = false;
  const query = async (sql: string, parameters: readonly unknown[]) => {
    try {
      return await client.query(sql, [...parameters]);
    } catch (error) {
      silent ||= error instanceof Error && error.message === 'Query read timeout';
      throw error;
    }
  };
  return Object.assign(Object.create(client), {
    query,
    release: () => client.release(silent),
  });
}
