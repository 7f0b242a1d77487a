import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  isConnected,
  openFlakyRedis,
  openTestRedis,
  type TestRedis,
  testRedisUrl,
} from '../../../test/support/redis.ts';
import { until } from '../../../test/support/until.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { connectRedis, type RedisConnection } from '../../platform/redis/redis-connection.ts';
import { decodeEntry, encodeEntry } from './entry-codec.ts';
import {
  type CacheLookup,
  createResponseCache,
  type FetchedResponse,
  type ResponseCache,
} from './response-cache.ts';

const TTL_SECONDS = 60;
const never = () => Promise.reject(new Error('must not fetch'));
const good = (text: string): FetchedResponse => ({
  response: {
    status: 200,
    ok: true,
    url: 'http://up/',
    fetchedAtMs: 0,
    fetchedAt: '',
    json: Buffer.from(text),
    rows: 3,
  },
  upstreamMs: 12,
  cacheable: true,
  preferStale: false,
});

const lookupOf = (key: string, fetch: CacheLookup['fetch']): CacheLookup => ({
  key,
  tenantId: 'ten_1',
  ttlSeconds: TTL_SECONDS,
  fetch,
});

describe.runIf(testRedisUrl)('the cache shared over Redis', () => {
  let redis: TestRedis;
  let now = Date.now();
  const warnings: unknown[] = [];

  beforeAll(async () => {
    redis = await openTestRedis();
  });
  const replicas: ResponseCache[] = [];

  afterEach(async () => {
    vi.useRealTimers();
    warnings.length = 0;
    // What one test has fetched must not arrive during the next.
    await Promise.all(replicas.splice(0).map((replica) => replica.close()));
  });
  afterAll(() => redis.cleanUp());

  /** The cache of one replica; two replicas share nothing but Redis. */
  function createReplica(
    connection: RedisConnection = redis.connection,
    maxBytes = 1024 * 1024,
    skewMs = 0,
  ) {
    const replica = createResponseCache({
      maxBytes,
      staleSeconds: 600,
      clock: { now: () => now + skewMs },
      redis: connection,
      keyPrefix: redis.keyPrefix,
      logger: { warn: (...line: unknown[]) => void warnings.push(line) },
    });
    replicas.push(replica);
    return replica;
  }

  async function look(
    cache: ResponseCache,
    key: string,
    fetch = never as () => Promise<FetchedResponse>,
  ) {
    const { cacheStatus, response } = await cache.lookup(lookupOf(key, fetch));
    return `${cacheStatus} ${response.json}`;
  }

  const keysInRedis = () => redis.connection.client.keys(`${redis.keyPrefix}*`);

  /** Advances the time of the replicas and of Redis. */
  async function passSeconds(seconds: number): Promise<void> {
    now += seconds * 1000;
    for (const key of await keysInRedis()) {
      const leftMs = await redis.connection.client.pttl(key);
      await redis.connection.client.pexpire(key, leftMs - seconds * 1000);
    }
  }

  /** Stores a response through one replica and waits until Redis has it. */
  async function store(key: string, text: string): Promise<void> {
    const before = (await keysInRedis()).length;
    expect(await look(createReplica(), key, async () => good(text))).toBe(`MISS ${text}`);
    await until(async () => (await keysInRedis()).length > before);
  }

  it('returns the whole response to every waiting caller of another replica as a HIT', async () => {
    await store('shared', '"value"');
    const other = createReplica();
    const both = [look(other, 'shared'), look(other, 'shared')];
    expect(await Promise.all(both)).toEqual(['HIT "value"', 'HIT "value"']);
    const outcome = await other.lookup(lookupOf('shared', never));
    expect(outcome.response).toEqual(good('"value"').response);
    expect(other.stats()).toMatchObject({ entries: 1, hits: 3, misses: 0 });
  });

  /** A connection that notes the keys of each look-up. */
  function watchLookUps() {
    const commands: (readonly string[])[] = [];
    const readScript: RedisConnection['readScript'] = (...definition) => {
      const run = redis.connection.readScript(...definition);
      return (names, args) => {
        commands.push(names);
        return run(names, args);
      };
    };
    return { commands, connection: { ...redis.connection, readScript } };
  }

  it('looks up together what is asked for within a millisecond', async () => {
    const { commands, connection } = watchLookUps();
    const replica = createReplica(connection);
    const fetch = async () => good('"value"');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const looked = [look(replica, 'alone', fetch)];
    await setImmediate();
    for (const key of ['one', 'two', 'three']) {
      looked.push(look(replica, key, fetch));
      await setImmediate();
    }
    expect(commands.map(({ length }) => length)).toEqual([1]);
    vi.advanceTimersByTime(1);
    vi.useRealTimers();
    expect(await Promise.all(looked)).toHaveLength(4);
    expect(commands.map(({ length }) => length)).toEqual([1, 3]);
  });

  it('stores responses of any size one after another', async () => {
    const replica = createReplica();
    const texts = [300_000, 2, 70_000, 0, 300_001].map((length) => `"${'x'.repeat(length)}"`);
    const before = (await keysInRedis()).length;
    for (const [n, text] of texts.entries()) {
      await look(replica, `sized ${n}`, async () => good(text));
      await until(async () => (await keysInRedis()).length > before + n);
    }
    const other = createReplica();
    const found = texts.map((_, n) => look(other, `sized ${n}`));
    expect(await Promise.all(found)).toEqual(texts.map((text) => `HIT ${text}`));
  });

  it('serves from Redis alone when the process stores nothing', async () => {
    await store('redis only', '"value"');
    const other = createReplica(redis.connection, 0);
    expect(await look(other, 'redis only')).toBe('HIT "value"');
    expect(other.stats().entries).toBe(0);
  });

  it('replaces the response of a failed upstream with an older one from another replica', async () => {
    await store('stale', '"old"');
    await passSeconds(TTL_SECONDS);
    const failing = () => Promise.reject(new GatewayError('upstream_timeout'));
    expect(await look(createReplica(), 'stale', failing)).toBe('STALE "old"');
  });

  it('prefers a newer response of another replica to its own expired one', async () => {
    const replica = createReplica();
    await look(replica, 'newer', async () => good('"old"'));
    await passSeconds(TTL_SECONDS);
    await createReplica().lookup(lookupOf('newer', async () => good('"new"')));
    // Without a response of its own: that would replace the one that is awaited.
    await until(async () => (await look(createReplica(), 'newer').catch(String)) === 'HIT "new"');
    expect(await look(replica, 'newer')).toBe('HIT "new"');
  });

  it.each([-86_400_000, 86_400_000])(
    'takes the age of a response from Redis when the clock of a replica is off by %i ms',
    async (skewMs) => {
      const key = `skew ${skewMs}`;
      const replica = () => createReplica(redis.connection, 1024 * 1024, skewMs);
      await store(key, '"old"');
      expect(await look(replica(), key)).toBe('HIT "old"');
      await passSeconds(TTL_SECONDS);
      expect(await look(replica(), key, async () => good('"new"'))).toBe('MISS "new"');
    },
  );

  it('never extends the lifetime of a response, whatever Redis reports', async () => {
    await store('extended', '"old"');
    for (const key of await keysInRedis()) {
      await redis.connection.client.pexpire(key, 86_400_000);
    }
    const replica = createReplica();
    expect(await look(replica, 'extended')).toBe('HIT "old"');
    now += TTL_SECONDS * 1000;
    await redis.connection.client.del(await keysInRedis());
    expect(await look(replica, 'extended', async () => good('"new"'))).toBe('MISS "new"');
  });

  it('lets Redis expire a response when it can no longer be used', async () => {
    const before = new Set(await keysInRedis());
    await store('expiring', '"value"');
    const [key = ''] = (await keysInRedis()).filter((name) => !before.has(name));
    const lifetimeMs = await redis.connection.client.pttl(key);
    expect(lifetimeMs).toBeGreaterThan(650_000);
    expect(lifetimeMs).toBeLessThanOrEqual(660_000);
  });

  it('stores a response of more than 1 MiB only in the process that fetched it', async () => {
    const before = await keysInRedis();
    const replica = createReplica(redis.connection, 8 * 1024 * 1024);
    const large = 'x'.repeat(1024 * 1024 + 1);
    expect(await look(replica, 'large', async () => good(large))).toBe(`MISS ${large}`);
    expect(await look(replica, 'large')).toBe(`HIT ${large}`);
    // Commands leave in order: a later write has arrived, so the large response was never written.
    await store('after the large one', '1');
    expect(await keysInRedis()).toHaveLength(before.length + 1);
  });

  it.each([
    ['many', 250, 10],
    ['large', 5, 600 * 1024],
  ])(
    'stores and reads %s responses of one turn, which take several commands',
    async (what, count, length) => {
      const texts = Array.from({ length: count }, (_, at) => String(at).padEnd(length, what));
      const fetcher = createReplica();
      const fetched = texts.map((text, at) =>
        look(fetcher, `${what} ${at}`, async () => good(text)),
      );
      expect(await Promise.all(fetched)).toEqual(texts.map((text) => `MISS ${text}`));
      await fetcher.close();
      const { commands, connection } = watchLookUps();
      const reader = createReplica(connection);
      const read = await Promise.all(texts.map((_, at) => look(reader, `${what} ${at}`)));
      expect(read).toEqual(texts.map((text) => `HIT ${text}`));
      // 100 of any size, or 1 MiB beyond the first.
      expect(commands).toHaveLength(3);
    },
  );

  it('lets two replicas ask at the same moment, once each, and shares the response from then on', async () => {
    const replicas = [createReplica(), createReplica()];
    let requests = 0;
    const fetch = async () => {
      requests += 1;
      await setImmediate();
      return good('"value"');
    };
    const all = replicas.flatMap((replica) =>
      Array.from({ length: 50 }, () => look(replica, 'at once', fetch)),
    );
    const counts = Map.groupBy(await Promise.all(all), (result) => result);
    expect(requests).toBeLessThanOrEqual(2);
    expect(counts.get('MISS "value"')).toHaveLength(requests);
    await Promise.all(replicas.map((replica) => replica.close()));
    expect(await look(createReplica(), 'at once')).toBe('HIT "value"');
  });

  it('hides the arguments of callers from Redis: keys are digests', async () => {
    await store('{"name":"Hong Gil-dong"}', '"value"');
    expect((await keysInRedis()).join()).not.toContain('Hong');
  });

  it.each([
    [
      'a foreign value',
      (client: RedisConnection['client'], key: string) => client.set(key, 'hello'),
    ],
    [
      'a value of another type',
      async (client: RedisConnection['client'], key: string) => {
        await client.del(key);
        await client.lpush(key, 'hello');
      },
    ],
  ])('treats %s as a miss', async (what, damage) => {
    const before = new Set(await keysInRedis());
    await store(what, '"value"');
    for (const key of (await keysInRedis()).filter((name) => !before.has(name))) {
      await damage(redis.connection.client, key);
    }
    expect(await look(createReplica(), what, async () => good('"again"'))).toBe('MISS "again"');
  });

  describe('when Redis is unreachable', () => {
    const logger = { warn: () => undefined, info: () => undefined };

    it.each(['cut', 'silence'] as const)(
      'continues without it after a %s, warns at most once, and uses it again later',
      async (how) => {
        const { proxy, url } = await openFlakyRedis();
        const connection = connectRedis(new Secret(url), { logger });
        try {
          await until(() => isConnected(connection));
          const replica = createReplica(connection);
          await look(replica, `before ${how}`, async () => good('"before"'));

          proxy[how]();
          for (let i = 0; i < 20; i++) {
            const key = `during ${how} ${i}`;
            expect(await look(replica, key, async () => good('"fresh"'))).toBe('MISS "fresh"');
          }
          expect(await look(replica, `before ${how}`)).toBe('HIT "before"');
          expect(warnings.length).toBeLessThanOrEqual(1);

          proxy.mend();
          let calls = 0;
          // What is fetched is shared, which shows that Redis works again.
          await until(async () => {
            await look(replica, `mended ${how} ${calls++}`, async () => good('"fresh"'));
            return isConnected(connection) && connection.canRead();
          });
          await store(`after ${how}`, '"shared"');
          expect(await look(replica, `after ${how}`)).toBe('HIT "shared"');
        } finally {
          await connection.close();
          await proxy.close();
        }
      },
    );

    it('works without Redis from the start', async () => {
      const connection = connectRedis(new Secret('redis://127.0.0.1:1'), { logger });
      const replica = createReplica(connection);
      expect(await look(replica, 'alone', async () => good('"a"'))).toBe('MISS "a"');
      expect(await look(replica, 'alone')).toBe('HIT "a"');
      await connection.close();
    });
  });
});

const entries = fc.record({
  response: fc.record(
    {
      status: fc.integer({ min: 200, max: 599 }),
      ok: fc.boolean(),
      url: fc.webUrl(),
      json: fc.json().map((text) => Buffer.from(text)),
      publicData: fc.record({ code: fc.string(), message: fc.string() }),
      rows: fc.nat(),
      fetchedAtMs: fc.nat(),
      fetchedAt: fc.string(),
    },
    { requiredKeys: ['status', 'ok', 'url', 'json', 'fetchedAtMs', 'fetchedAt'] },
  ),
  lifetimeMs: fc.nat(),
  staleMs: fc.nat(),
});

describe('the entry codec', () => {
  it('decodes what it encoded', () => {
    fc.assert(
      fc.property(entries, (entry) => {
        expect(decodeEntry(encodeEntry(entry))).toEqual(entry);
      }),
    );
  });

  it('returns undefined when any byte of a value is changed', () => {
    fc.assert(
      fc.property(entries, fc.nat(), fc.integer({ min: 1, max: 255 }), (entry, at, change) => {
        const bytes = encodeEntry(entry);
        const index = at % bytes.length;
        bytes.writeUInt8(bytes.readUInt8(index) ^ change, index);
        expect(decodeEntry(bytes)).toBeUndefined();
      }),
    );
  });

  it('returns undefined for a truncated value', () => {
    fc.assert(
      fc.property(entries, fc.nat(), (entry, at) => {
        const bytes = encodeEntry(entry);
        expect(decodeEntry(bytes.subarray(0, at % bytes.length))).toBeUndefined();
      }),
    );
  });

  it('returns undefined for a foreign value', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(decodeEntry(Buffer.from(bytes))).toBeUndefined();
      }),
    );
  });
});
