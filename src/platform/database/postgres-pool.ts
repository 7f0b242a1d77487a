import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { Secret } from '../kernel/secret.ts';

const CONNECT_TIMEOUT_MS = 2000;
const STATEMENT_TIMEOUT_MS = 10_000;
/** Later than the server's own limit, which leaves the connection usable. */
const ANSWER_TIMEOUT_MS = 12_000;
const INT8_OID = 20;

export interface PostgresPoolOptions {
  readonly databaseUrl: Secret;
  readonly maxConnections: number;
  /** How long an answer may take; 0 = any time, for migrations. Later than the server's own limit unless said. */
  readonly answerTimeoutMs?: number;
}

/** Connections to a PostgreSQL server, made when first needed, so that this works while the server is down. */
export function createPostgresPool(options: PostgresPoolOptions): PostgresPool {
  const { answerTimeoutMs = ANSWER_TIMEOUT_MS } = options;
  const pool = new pg.Pool({
    connectionString: options.databaseUrl.reveal(),
    max: options.maxConnections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'tool-gateway',
    types: { getTypeParser },
    statement_timeout: answerTimeoutMs === 0 ? 0 : STATEMENT_TIMEOUT_MS,
    query_timeout: answerTimeoutMs,
  });
  // A connection that breaks is taken out of the pool, and its query fails; but without a listener, one that has no
  // query at that moment would end the process: idle, or handed out and between two queries.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return {
    connect: async () => discardWhenSilent(await pool.connect()),
    end: () => pool.end(),
    options: pool.options,
  };
}

/** bigint columns as numbers: every one we have stays far below 2^53. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format ?? 'text');
}

/**
 * A connection whose server fell silent (a cut cable, a dropped NAT entry) keeps its unanswered query, and would make
 * the next one wait as well; so it is not given back to the pool.
 */
function discardWhenSilent(client: pg.PoolClient): PostgresPoolClient {
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
