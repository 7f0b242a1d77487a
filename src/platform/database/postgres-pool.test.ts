import { Kysely, PostgresDialect, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { postgres, type TestPlace } from '../../../test/support/databases.ts';
import { type FlakyProxy, startFlakyProxy } from '../../../test/support/flaky-proxy.ts';
import { Secret } from '../kernel/secret.ts';
import { createPostgresPool } from './postgres-pool.ts';

describe.runIf(postgres)('the PostgreSQL pool', () => {
  let place: TestPlace;
  let proxy: FlakyProxy;
  let db: Kysely<unknown>;

  beforeEach(async () => {
    if (!postgres) throw new Error('needs PostgreSQL');
    place = await postgres.makePlace();
    const url = new URL(place.databaseUrl?.reveal() ?? '');
    proxy = await startFlakyProxy({ host: url.hostname, port: Number(url.port || 5432) });
    url.hostname = '127.0.0.1';
    url.port = String(proxy.port);
    const pool = createPostgresPool({
      databaseUrl: new Secret(url.href),
      maxConnections: 1,
      // Long enough for a query that succeeds on a busy machine.
      queryTimeoutMs: 2000,
    });
    db = new Kysely({ dialect: new PostgresDialect({ pool }) });
  });
  afterEach(async () => {
    await db.destroy();
    await proxy.close();
    await place.remove();
  });

  const query = () => sql`select 1`.execute(db);

  it('survives the loss of an idle connection', async () => {
    await query();
    proxy.cut();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await expect(query()).rejects.toThrow();
    proxy.mend();
    await query();
  });

  it('does not reuse a connection whose server stopped responding', async () => {
    await query();
    proxy.silence();
    await expect(query()).rejects.toThrow('timeout');
    proxy.mend();
    await query();
  });
});
