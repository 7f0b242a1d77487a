import { hash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  isConnected,
  openFlakyRedis,
  openTestRedis,
  type TestRedis,
  testRedisUrl,
} from '../../test/support/redis.ts';
import { until } from '../../test/support/until.ts';
import { Cancellation } from '../platform/kernel/cancellation.ts';
import { Deadline } from '../platform/kernel/deadline.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { Secret } from '../platform/kernel/secret.ts';
import { connectRedis, type RedisConnection } from '../platform/redis/redis-connection.ts';
import {
  type CacheLookup,
  createResponseCache,
  type FetchedResponse,
  type ResponseCache,
} from './response-cache.ts';
import { LEASE_MS } from './settlements.ts';

const LONG_MS = 60_000;
const TTL_SECONDS = 60;

const fetched = (text: string, more: Partial<FetchedResponse> = {}): FetchedResponse => ({
  response: {
    status: 200,
    ok: true,
    url: 'http://up/',
    fetchedAtMs: 0,
    fetchedAt: '',
    json: Buffer.from(text),
  },
  upstreamMs: 12,
  cacheable: true,
  preferStale: false,
  ...more,
});

/** An upstream whose responses the test gives one by one. */
function createUpstream() {
  const open: PromiseWithResolvers<FetchedResponse>[] = [];
  return {
    requests: 0,
    fetch(): Promise<FetchedResponse> {
      this.requests += 1;
      const request = Promise.withResolvers<FetchedResponse>();
      open.push(request);
      return request.promise;
    },
    async next(): Promise<PromiseWithResolvers<FetchedResponse>> {
      await until(() => open.length > 0);
      const request = open.shift();
      if (!request) throw new Error('no request');
      return request;
    },
  };
}

/** The commands that a connection sends from now on. */
function watchCommands({ client, reader }: RedisConnection): string[] {
  const names: string[] = [];
  for (const connection of [client, reader]) {
    const send = connection.sendCommand.bind(connection);
    connection.sendCommand = (...command) => {
      names.push(command[0].name);
      return send(...command);
    };
  }
  return names;
}

describe.runIf(testRedisUrl)('a look-up on several replicas', () => {
  let redis: TestRedis;
  let others: RedisConnection[];
  const replicas: ResponseCache[] = [];
  const logger = { warn: () => undefined, info: () => undefined };
  let now = Date.now();

  beforeAll(async () => {
    redis = await openTestRedis();
    const tests = await Promise.all([openTestRedis(), openTestRedis()]);
    others = tests.map(({ connection }) => connection);
  });
  afterEach(async () => {
    await Promise.all(replicas.splice(0).map((replica) => replica.close()));
  });
  afterAll(async () => {
    await Promise.all(others.map((connection) => connection.close()));
    await redis.cleanUp();
  });

  function createReplica(connection: RedisConnection = redis.connection): ResponseCache {
    const replica = createResponseCache({
      maxBytes: 8 * 1024 * 1024,
      staleSeconds: 600,
      clock: { now: () => now },
      redis: connection,
      keyPrefix: redis.keyPrefix,
      logger,
    });
    replicas.push(replica);
    return replica;
  }

  const createReplicas = () => [redis.connection, ...others].map((each) => createReplica(each));

  async function look(
    cache: ResponseCache | undefined,
    key: string,
    fetch: CacheLookup['fetch'],
    more: Partial<CacheLookup> = {},
  ): Promise<string> {
    const deadline = Deadline.in(LONG_MS);
    const lookup = { key, ttlSeconds: TTL_SECONDS, deadline, fetch, ...more };
    const result = await cache?.lookup(lookup);
    return `${result?.cacheStatus} ${result?.response.json} ${result?.upstreamMs}`;
  }

  const never = () => Promise.reject(new Error('must not fetch'));
  const leaseOf = (key: string) => `${redis.keyPrefix}${hash('sha256', key, 'base64url')}:lease`;
  const leaseExists = async (key: string) =>
    (await redis.connection.client.exists(leaseOf(key))) === 1;

  /** Looks up on the first replica, which takes the lease, and then on the others, which wait. */
  async function startAll(key: string, fetch: CacheLookup['fetch'], caches = createReplicas()) {
    const [first, ...rest] = caches;
    const holder = look(first, key, fetch);
    // A test may await it late.
    holder.catch(() => undefined);
    await until(() => leaseExists(key));
    return { holder, waiters: rest.map((cache) => look(cache, key, fetch)), caches };
  }

  /** Stores a response on Redis that is stale for the replicas of the test. */
  async function storeStale(key: string): Promise<void> {
    const cache = createReplica();
    await look(cache, key, async () => fetched('"old"'));
    await cache.close();
    now += TTL_SECONDS * 1000;
    const name = leaseOf(key).replace(':lease', '');
    const leftMs = await redis.connection.client.pttl(name);
    await redis.connection.client.pexpire(name, leftMs - TTL_SECONDS * 1000);
  }

  it('sends one request for 50 equal look-ups on each of two', async () => {
    const upstream = createUpstream();
    const [one, two] = createReplicas();
    const fetch = () => upstream.fetch();
    const all = [one, two].flatMap((cache) =>
      Array.from({ length: 50 }, () => look(cache, 'fifty', fetch)),
    );
    (await upstream.next()).resolve(fetched('"new"'));
    const counts = Map.groupBy(await Promise.all(all), (result) => result);
    expect(counts.get('MISS "new" 12')).toHaveLength(1);
    expect(counts.get('COALESCED "new" null')).toHaveLength(99);
    expect(upstream.requests).toBe(1);
    expect(one?.stats().misses).toBe(1 - (two?.stats().misses ?? 0));
    expect(await leaseExists('fifty')).toBe(false);
  });

  it('renews the lease of a request that takes long', async () => {
    const upstream = createUpstream();
    const { holder, waiters } = await startAll('long', () => upstream.fetch());
    await sleep(1.5 * LEASE_MS);
    (await upstream.next()).resolve(fetched('"late"'));
    expect(await holder).toBe('MISS "late" 12');
    expect(await Promise.all(waiters)).toEqual(Array(2).fill('COALESCED "late" null'));
    expect(upstream.requests).toBe(1);
  });

  // Repeated, because all that can go wrong happens within a millisecond of the expiry.
  it('sends one more request in all when the holder was killed', { repeats: 9 }, async () => {
    const key = randomUUID();
    await redis.connection.client.set(leaseOf(key), 'of the dead', 'PX', 50);
    const upstream = createUpstream();
    const all = createReplicas().map((cache) => look(cache, key, () => upstream.fetch()));
    const request = await upstream.next();
    // The others meanwhile find the next holder.
    await sleep(100);
    request.resolve(fetched('"second"'));
    expect((await Promise.all(all)).sort()).toEqual([
      'COALESCED "second" null',
      'COALESCED "second" null',
      'MISS "second" 12',
    ]);
    expect(upstream.requests).toBe(1);
  });

  it('gives an error only to the callers of the holder, and all others fetch at the same time', async () => {
    const upstream = createUpstream();
    const { holder, waiters, caches } = await startAll('failed', () => upstream.fetch());
    (await upstream.next()).reject(new GatewayError('upstream_timeout'));
    await expect(holder).rejects.toMatchObject({ code: 'upstream_timeout' });
    // Both requests are under way before one has a response.
    const requests = [await upstream.next(), await upstream.next()];
    // Only one has the lease, for those who arrive now.
    const arrived = look(caches[0], 'failed', never);
    for (const request of requests) request.resolve(fetched('"next"'));
    expect(await Promise.all(waiters)).toEqual(Array(2).fill('MISS "next" 12'));
    expect(await arrived).toMatch(/^(COALESCED|HIT) "next" null$/);
    expect(upstream.requests).toBe(3);
  });

  it.each([
    ['not cacheable', fetched('"none"', { cacheable: false })],
    ['larger than 1 MiB', fetched(`"${'x'.repeat(1024 * 1024)}"`)],
  ])('does not wait for a response that is %s: the lease is released', async (why, response) => {
    const upstream = createUpstream();
    const caches = createReplicas().slice(0, 2);
    const { holder, waiters } = await startAll(why, () => upstream.fetch(), caches);
    (await upstream.next()).resolve(response);
    expect(await holder).toMatch(/^MISS/);
    (await upstream.next()).resolve(response);
    expect(await waiters[0]).toMatch(/^MISS/);
    await Promise.all(caches.map((cache) => cache.close()));
    expect(await leaseExists(why)).toBe(false);
  });

  it('does not wait for itself when it asks again for a response that is not cacheable', async () => {
    const cache = createReplica();
    const fetch = async () => fetched('"none"', { cacheable: false });
    const commands = watchCommands(redis.connection);
    for (let i = 0; i < 10; i++) expect(await look(cache, 'again', fetch)).toBe('MISS "none" 12');
    await cache.close();
    // A look-up and a release each: no look-up had to be repeated.
    expect(commands).toHaveLength(20);
  });

  it('replaces a failed upstream by the stale entry for the holder and for the waiters', async () => {
    await storeStale('stale');
    const upstream = createUpstream();
    const { holder, waiters } = await startAll('stale', () => upstream.fetch());
    (await upstream.next()).reject(new GatewayError('upstream_timeout'));
    for (let i = 0; i < 2; i++)
      (await upstream.next()).reject(new GatewayError('upstream_timeout'));
    expect(await Promise.all([holder, ...waiters])).toEqual(Array(3).fill('STALE "old" null'));
  });

  it('ends the wait at the deadline, and leaves the rest to the fetch', async () => {
    await storeStale('deadline');
    const upstream = createUpstream();
    const [one, two] = createReplicas();
    const { holder } = await startAll('deadline', () => upstream.fetch(), one && [one]);
    const deadline = Deadline.in(100);
    let remainingMs: number | undefined;
    const fetch = () => {
      remainingMs = deadline.remainingMs();
      return Promise.reject(new GatewayError('upstream_timeout'));
    };
    // With the entry from Redis, though it has no lease.
    expect(await look(two, 'deadline', fetch, { deadline })).toBe('STALE "old" null');
    expect(remainingMs).toBe(0);
    (await upstream.next()).resolve(fetched('"new"'));
    expect(await holder).toBe('MISS "new" 12');
  });

  it('rejects a waiter that is cancelled at once, and never fetches for it', async () => {
    const upstream = createUpstream();
    const [one, two] = createReplicas();
    const { holder } = await startAll('cancelled', () => upstream.fetch(), one && [one]);
    const cancellation = new Cancellation();
    const waiter = look(two, 'cancelled', never, { cancellation: () => cancellation });
    const commands = watchCommands(others[0] as RedisConnection);
    // It waits: it has looked up again.
    await until(() => commands.length > 1);
    cancellation.cancel();
    await expect(waiter).rejects.toMatchObject({ code: 'cancelled' });
    (await upstream.next()).reject(new GatewayError('upstream_timeout'));
    await expect(holder).rejects.toMatchObject({ code: 'upstream_timeout' });
    await until(async () => !(await leaseExists('cancelled')));
    expect(two?.stats().misses).toBe(0);
  });

  it('fetches by itself when Redis is lost while it waits', async () => {
    const { proxy, url } = await openFlakyRedis();
    const connection = connectRedis(new Secret(url), { logger });
    try {
      await until(() => isConnected(connection));
      const upstream = createUpstream();
      const { holder } = await startAll('lost', () => upstream.fetch(), [createReplica()]);
      const commands = watchCommands(connection);
      const waiter = look(createReplica(connection), 'lost', async () => fetched('"own"'));
      await until(() => commands.length > 1);
      proxy.cut();
      expect(await waiter).toBe('MISS "own" 12');
      (await upstream.next()).resolve(fetched('"other"'));
      expect(await holder).toBe('MISS "other" 12');
    } finally {
      await connection.close();
      await proxy.close();
    }
  });

  it('costs two commands for all misses of one turn, and none for hits in memory', async () => {
    const cache = createReplica();
    const keys = Array.from({ length: 50 }, (_, i) => `batch ${i}`);
    const commands = watchCommands(redis.connection);
    const all = () => Promise.all(keys.map((key) => look(cache, key, async () => fetched(key))));
    expect(await all()).toEqual(keys.map((key) => `MISS ${key} 12`));
    expect(await all()).toEqual(keys.map((key) => `HIT ${key} null`));
    await cache.close();
    expect(commands).toHaveLength(2);
  });

  it('stores what it has fetched before it closes', async () => {
    const cache = createReplica();
    await look(cache, 'closed', async () => fetched('"kept"'));
    await cache.close();
    expect(await look(createReplica(), 'closed', never)).toBe('HIT "kept" null');
  });

  it('reads at most 1 MiB of entries with one command, beyond the first', async () => {
    const keys = Array.from({ length: 6 }, (_, i) => `large ${i}`);
    const text = 'x'.repeat(600 * 1024);
    const cache = createReplica();
    for (const key of keys) await look(cache, key, async () => fetched(text));
    await cache.close();
    const commands = watchCommands(redis.connection);
    const other = createReplica();
    expect(await Promise.all(keys.map((key) => look(other, key, never)))).toEqual(
      keys.map(() => `HIT ${text} null`),
    );
    expect(commands).toHaveLength(3);
  });

  it('looks up more than 100 in one turn with several commands', async () => {
    const keys = Array.from({ length: 250 }, (_, i) => `many ${i}`);
    const cache = createReplica();
    const commands = watchCommands(redis.connection);
    await Promise.all(keys.map((key) => look(cache, key, async () => fetched(key))));
    await cache.close();
    expect(commands).toHaveLength(6);
  });
});
