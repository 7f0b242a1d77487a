import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTestDatabase, postgres, type TestPlace } from '../../../test/support/databases.ts';
import { type FlakyProxy, startFlakyProxy } from '../../../test/support/flaky-proxy.ts';
import { until } from '../../../test/support/until.ts';
import { Secret } from '../kernel/secret.ts';
import { prepareDataDir } from './data-dir.ts';
import { type Database, openDatabase } from './database.ts';
import { forgetReplica, openReplicaRegistry, readReplicaId } from './replica-registry.ts';

it('a gateway with an embedded database is the only one', async () => {
  const database = { backend: 'embedded', db: undefined as never } as const;
  const registry = openReplicaRegistry({
    database,
    dataDir: '/nowhere',
    onError: () => {},
    onRecovered: () => {},
  });
  await registry.report(() => 1);
  expect([registry.living(), registry.lost()]).toEqual([1, []]);
  await registry.close();
});

describe.runIf(postgres)('the registry of replicas', () => {
  let place: TestPlace;
  let database: Database;
  let proxy: FlakyProxy;
  let viaProxy: Database;
  let errors: unknown[];
  let recovered: string[];
  const opened: { close(): Promise<void> }[] = [];

  beforeEach(async () => {
    if (!postgres) throw new Error('needs PostgreSQL');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
    errors = [];
    recovered = [];
    place = await postgres.makePlace();
    database = await openTestDatabase(place);
    const url = new URL(place.databaseUrl?.reveal() ?? '');
    proxy = await startFlakyProxy({ host: url.hostname, port: Number(url.port || 5432) });
    url.hostname = '127.0.0.1';
    url.port = String(proxy.port);
    viaProxy = openDatabase({ dataDir: place.dataDir, databaseUrl: new Secret(url.href) });
  });
  afterEach(async () => {
    vi.useRealTimers();
    for (const part of opened.splice(0)) await part.close();
    await viaProxy.close();
    await proxy.close();
    await database.close();
    await place.remove();
  });

  const dirOf = (name: string): string => join(place.dataDir, name);
  const open = async (name: string, waiting = () => 0, over = database) => {
    prepareDataDir(dirOf(name));
    const registry = openReplicaRegistry({
      database: over,
      dataDir: dirOf(name),
      onError: (error) => errors.push(error),
      onRecovered: () => recovered.push(name),
    });
    opened.push(registry);
    await registry.report(waiting);
    return registry;
  };
  const idOf = (name: string): string => readReplicaId(dirOf(name)) ?? '';
  const rows = () => database.db.selectFrom('replicas').selectAll().orderBy('data_dir').execute();
  const age = (name: string, seconds: number) =>
    sql`update replicas set seen_at = now() - make_interval(secs => ${seconds}::float8)
        where id = ${idOf(name)}`.execute(database.db);
  /** Until it has reported again. */
  const renewed = async (name: string): Promise<void> => {
    const seen = async () => (await rows()).find(({ id }) => id === idOf(name))?.seen_at.getTime();
    const before = await seen();
    await vi.advanceTimersByTimeAsync(5000);
    await until(async () => (await seen()) !== before);
  };

  it('counts who lives, and who ends in order leaves it', async () => {
    const first = await open('a');
    const second = await open('b');
    expect([first.living(), second.living()]).toEqual([1, 2]);
    await renewed('a');
    await until(() => first.living() === 2);
    expect(first.lost()).toEqual([]);
    await second.close();
    expect((await rows()).map(({ data_dir }) => data_dir)).toEqual([dirOf('a')]);
    await renewed('a');
    await until(() => first.living() === 1);
  });

  it('tells which replicas have not reported for 30 seconds, and what waits in them', async () => {
    await open('b', () => 42);
    await age('b', 29);
    expect((await open('c')).living()).toBe(2);
    await age('b', 31);
    const first = await open('a');
    expect([first.living(), first.lost()]).toEqual([
      2,
      [
        {
          id: idOf('b'),
          host: expect.any(String),
          dataDir: dirOf('b'),
          waiting: 42,
          seenAt: expect.stringMatching(/^20.*Z$/),
        },
      ],
    ]);
  });

  it('gives the row of a killed process to the next one in its directory', async () => {
    await open('a', () => 5);
    const id = idOf('a');
    // The first is never closed.
    await open('a', () => 7);
    expect(await rows()).toEqual([expect.objectContaining({ id, waiting: 7 })]);
  });

  it('keeps the row of a replica in which records still wait', async () => {
    let waiting = 3;
    const first = await open('a', () => waiting);
    waiting = 2;
    await first.close();
    expect(await rows()).toEqual([expect.objectContaining({ waiting: 2 })]);
  });

  it('keeps what it knew while PostgreSQL is away, and loses nobody by the outage', async () => {
    await open('b');
    const first = await open('a', () => 0, viaProxy);
    expect(first.living()).toBe(2);
    proxy.cut();
    await until(async () => {
      await vi.advanceTimersByTimeAsync(5000);
      return errors.length > 1;
    });
    expect(first.living()).toBe(2);
    await age('b', 60);
    proxy.mend();
    await renewed('a');
    expect([first.living(), first.lost(), recovered]).toEqual([2, [], ['a']]);
  });

  it('forgets replicas after 30 days, but none in which records wait', async () => {
    await open('a');
    await open('b', () => 1);
    for (const name of ['a', 'b']) await age(name, 31 * 86_400);
    await open('c');
    expect((await rows()).map(({ data_dir }) => data_dir)).toEqual([dirOf('b'), dirOf('c')]);
  });

  it('forgets a lost replica on request, and no other', async () => {
    await open('a');
    expect(await forgetReplica(database.db, idOf('a'))).toBe(false);
    await age('a', 31);
    expect(await forgetReplica(database.db, idOf('a'))).toBe(true);
    expect(await forgetReplica(database.db, idOf('a'))).toBe(false);
  });

  it('reads at most 1,000 replicas', async () => {
    await sql`insert into replicas
      select 'rep_' || n, now() - make_interval(secs => 40), 'host', '/dir', '1', 1
      from generate_series(1, 1200) n`.execute(database.db);
    expect((await open('a')).lost()).toHaveLength(1000);
  });
});
