import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  describeStores,
  openTestDatabase,
  type TestPlace,
} from '../../../test/support/databases.ts';
import { makeDataDir, removeDir } from '../../../test/support/temporary-dir.ts';
import { StartupError } from '../kernel/error.ts';
import { Secret } from '../kernel/secret.ts';
import { type Database, openDatabase } from './database.ts';
import { runQuery } from './database-error.ts';
import { ALL_MIGRATIONS, GATEWAY_MIGRATIONS, type Migrations } from './migrations.ts';
import { readSchemaState } from './schema-state.ts';
import type { Tables } from './tables.ts';

describeStores('the database', (backend) => {
  let place: TestPlace;
  beforeEach(async () => {
    place = await backend.makeEmptyPlace();
  });
  afterEach(() => place.remove());

  it('can be migrated twice, and over several connections at once', async () => {
    const databases = Array.from({ length: 4 }, () => openDatabase(place));
    await Promise.all(databases.map((database) => database.migrate()));
    for (const database of databases) {
      await database.migrate();
      await database.ping();
      await database.close();
      await database.close();
    }
  });

  it('can be migrated by several processes at once', async () => {
    const source = `
      import { openDatabase } from ${JSON.stringify(import.meta.resolve('./database.ts'))};
      import { Secret } from ${JSON.stringify(import.meta.resolve('../kernel/secret.ts'))};
      const [dataDir, url] = process.argv.slice(1);
      const databaseUrl = url ? new Secret(url) : undefined;
      const database = openDatabase({ dataDir, databaseUrl });
      await database.migrate();
      await database.close();`;
    const places = [place.dataDir, ...(place.databaseUrl ? [place.databaseUrl.reveal()] : [])];
    const codes = await Promise.all(
      [1, 2, 3].map(async () => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', source, ...places], {
          stdio: ['ignore', 'ignore', 'inherit'],
        });
        const [code] = await once(child, 'close');
        return code;
      }),
    );
    expect(codes).toEqual([0, 0, 0]);
    const database = await openTestDatabase(place);
    expect(await database.db.selectFrom('tenants').selectAll().execute()).toEqual([]);
    await database.close();
  });

  it('can be migrated while tables of other schemas are dropped', async () => {
    if (!place.databaseUrl) return;
    const other = openDatabase(place);
    let isOver = false;
    const dropping = (async () => {
      while (!isOver) {
        const name = `dropped_${Date.now()}_${Math.floor(Math.random() * 1e9)}`;
        await sql`create schema ${sql.id(name)}`.execute(other.db);
        await sql`create table ${sql.id(name, 'gone')} (id int)`.execute(other.db);
        await sql`drop schema ${sql.id(name)} cascade`.execute(other.db);
        await sleep(5);
      }
    })();
    const database = openDatabase(place);
    for (let time = 0; time < 30; time++) await database.migrate();
    isOver = true;
    await dropping;
    await Promise.all([other.close(), database.close()]);
  });

  it('can be used beside additions of a newer version', async () => {
    const database = await openTestDatabase(place);
    await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '2030-01-01')`.execute(
      database.db,
    );
    await database.migrate();
    await database.migrate();
    expect(await database.db.selectFrom('tenants').selectAll().execute()).toEqual([]);
    await database.close();
  });

  it('gets the tables that a newer version adds', async () => {
    const database = await openTestDatabase(place);
    const later = {
      up: async (db: Kysely<Tables>) => {
        await sql`create table later (id text)`.execute(db);
      },
    };
    const own = database.backend === 'postgres' ? ALL_MIGRATIONS : GATEWAY_MIGRATIONS;
    const migrations = { ...own, '0101-later': later };
    const stateOf = (known: Migrations) => readSchemaState(database.db, database.backend, known);
    expect(await stateOf(migrations)).toBe('older');
    await later.up(database.db);
    await sql`insert into kysely_migration (name, timestamp) values ('0101-later', '2030-01-01')`.execute(
      database.db,
    );
    expect([await stateOf(migrations), await stateOf(own)]).toEqual(['current', 'newer']);
    await database.close();
  });

  it.each([
    ['9999-later-incompatible', 'newer version'],
    ['0038-last-good-shares', 'from before the first release. Start with a new DATA_DIR'],
  ])('refuses the tables of %s', async (name, reason) => {
    const database = await openTestDatabase(place);
    await sql`insert into kysely_migration (name, timestamp) values (${name}, '2030-01-01')`.execute(
      database.db,
    );
    const again = database.migrate();
    await expect(again).rejects.toThrow(StartupError);
    await expect(again).rejects.toThrow(reason);
    await database.close();
  });

  it('returns numbers as numbers', async () => {
    const database = await openTestDatabase(place);
    const row = {
      id: 'ten_1',
      slug: 's',
      name: '이름 \u{1f600}',
      created_at_ms: 1_764_000_000_123,
    };
    await database.db.insertInto('tenants').values(row).execute();
    expect(await database.db.selectFrom('tenants').selectAll().executeTakeFirst()).toEqual(row);
    await database.close();
  });

  it('rolls back a transaction that fails', async () => {
    const database = await openTestDatabase(place);
    const row = { id: 'ten_1', slug: 's', name: 'n', created_at_ms: 1 };
    const twice = database.db.transaction().execute(async (transaction) => {
      await transaction.insertInto('tenants').values(row).execute();
      await transaction.insertInto('tenants').values(row).execute();
    });
    await expect(runQuery(() => twice)).rejects.toMatchObject({ code: 'internal' });
    expect(await database.db.selectFrom('tenants').selectAll().execute()).toEqual([]);
    await database.close();
  });
});

describe('the embedded database', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await makeDataDir();
  });
  afterEach(() => removeDir(dataDir));

  it('can be read only by its owner', async () => {
    const database = await openTestDatabase({
      dataDir,
      databaseUrl: undefined,
      remove: async () => undefined,
    });
    for (const name of ['gateway.db', 'gateway.db-wal', 'gateway.db-shm']) {
      expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
    }
    await database.close();
  });

  it('reports the full disk that ended a transaction, and not that it is over', async () => {
    const database = await openTestDatabase({
      dataDir,
      databaseUrl: undefined,
      remove: async () => undefined,
    });
    await sql`PRAGMA max_page_count = 1`.execute(database.db);
    const growing = database.db
      .transaction()
      .execute((transaction) =>
        sql`CREATE TABLE filler AS SELECT zeroblob(1000000) AS bytes`.execute(transaction),
      );
    await expect(runQuery(() => growing)).rejects.toMatchObject({
      code: 'unavailable',
      cause: { message: 'database or disk is full' },
    });
    await database.close();
  });

  it('refuses a file that is not a database, and names it', () => {
    const path = join(dataDir, 'gateway.db');
    writeFileSync(path, 'this is not a database, whatever its name says'.repeat(20));
    expect(() => openDatabase({ dataDir })).toThrow(StartupError);
    expect(() => openDatabase({ dataDir })).toThrow(
      `The database file ${path} cannot be used: file is not a database.`,
    );
  });
});

describe('a PostgreSQL server that is down', () => {
  const url = 'postgres://someone:hunter2@127.0.0.1:1/nowhere';
  let database: Database;
  beforeEach(() => {
    database = openDatabase({ dataDir: '/nonexistent', databaseUrl: new Secret(url) });
  });
  afterEach(() => database.close());

  it('does not prevent the database from being opened, but makes it unavailable', async () => {
    await expect(database.ping()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('prevents the start without revealing the password', async () => {
    const migrated = database.migrate();
    await expect(migrated).rejects.toThrow(StartupError);
    await expect(migrated).rejects.toThrow('DATABASE_URL cannot be used: ');
    await expect(migrated).rejects.not.toThrow('hunter2');
  });
});
