import { describe, expect, it } from 'vitest';
import { Cancellation } from '../../platform/kernel/cancellation.ts';
import { type ErrorCode, GatewayError } from '../../platform/kernel/error.ts';
import {
  type CacheLookup,
  createResponseCache,
  type FetchedResponse,
  type ResponseCache,
  type ResponseCacheDeps,
} from './response-cache.ts';

const TTL_SECONDS = 60;
const STALE_SECONDS = 600;

let now = 1_000_000;
const passSeconds = (seconds: number) => {
  now += seconds * 1000;
};

function createCache(deps: Partial<ResponseCacheDeps> = {}): ResponseCache {
  return createResponseCache({
    maxBytes: 1024 * 1024,
    staleSeconds: STALE_SECONDS,
    clock: { now: () => now },
    logger: { warn: () => undefined },
    ...deps,
  });
}

function responseOf(text: string, status = 200): FetchedResponse['response'] {
  return {
    status,
    ok: status < 300,
    url: 'http://up/',
    fetchedAtMs: 0,
    fetchedAt: '',
    json: Buffer.from(JSON.stringify(text)),
  };
}

const good = (text: string): FetchedResponse => ({
  response: responseOf(text),
  upstreamMs: 12,
  cacheable: true,
  preferStale: false,
});
const notFound: FetchedResponse = {
  response: responseOf('not found', 404),
  upstreamMs: 12,
  cacheable: false,
  preferStale: false,
};
const broken: FetchedResponse = {
  response: responseOf('broken', 500),
  upstreamMs: 12,
  cacheable: false,
  preferStale: true,
};

const never = () => Promise.reject(new Error('must not fetch'));

/** Looks up `key` and returns status and text, as in `HIT first`. */
async function look(cache: ResponseCache, lookup: Partial<CacheLookup>): Promise<string> {
  const outcome = await cache.lookup({
    key: 'key',
    tenantId: 'ten_1',
    ttlSeconds: TTL_SECONDS,
    fetch: never,
    ...lookup,
  });
  return `${outcome.cacheStatus} ${JSON.parse(outcome.response.json.toString())}`;
}

const failing = (code: ErrorCode) => () => Promise.reject(new GatewayError(code));

describe('a lookup that refreshes', () => {
  it('fetches although the entry is fresh, and replaces it', async () => {
    const cache = createCache();
    expect(cache.has('key')).toBe(false);
    expect(await look(cache, { fetch: async () => good('first') })).toBe('MISS first');
    expect(cache.has('key')).toBe(true);
    const refreshed = { refreshes: true, fetch: async () => good('second') };
    expect(await look(cache, refreshed)).toBe('MISS second');
    expect(await look(cache, {})).toBe('HIT second');
    passSeconds(TTL_SECONDS);
    expect(cache.has('key')).toBe(false);
  });

  it('does not join a request that began before', async () => {
    const cache = createCache();
    const first = Promise.withResolvers<FetchedResponse>();
    const earlier = look(cache, { fetch: () => first.promise });
    const later = look(cache, { refreshes: true, fetch: async () => good('second') });
    expect(await later).toBe('MISS second');
    first.resolve(good('first'));
    expect(await earlier).toBe('MISS first');
  });
});

describe('a response with a time to live of its own', () => {
  it('is fresh for that time, not for that of the lookup', async () => {
    const cache = createCache();
    const fetch = async () => ({ ...good('first'), ttlSeconds: 5 });
    expect(await look(cache, { fetch })).toBe('MISS first');
    passSeconds(4);
    expect(await look(cache, {})).toBe('HIT first');
    passSeconds(1);
    expect(await look(cache, { fetch: async () => good('second') })).toBe('MISS second');
  });
});

describe('a successful response', () => {
  it('is a MISS first and a HIT until its time to live ends', async () => {
    const cache = createCache();
    expect(await look(cache, { fetch: async () => good('first') })).toBe('MISS first');
    passSeconds(TTL_SECONDS - 1);
    expect(await look(cache, {})).toBe('HIT first');
    passSeconds(1);
    expect(await look(cache, { fetch: async () => good('second') })).toBe('MISS second');
    expect(await look(cache, {})).toBe('HIT second');
  });

  it('is not returned for another key', async () => {
    const cache = createCache();
    await look(cache, { fetch: async () => good('first') });
    expect(await look(cache, { key: 'other', fetch: async () => good('other') })).toBe(
      'MISS other',
    );
  });
});

describe('a response that must not be cached', () => {
  it('is passed through as a MISS every time', async () => {
    const cache = createCache();
    expect(await look(cache, { fetch: async () => notFound })).toBe('MISS not found');
    expect(await look(cache, { fetch: async () => notFound })).toBe('MISS not found');
    expect(cache.stats().entries).toBe(0);
  });

  it('is shared with the callers who joined, because it belongs to the same request', async () => {
    const cache = createCache();
    const both = [look(cache, { fetch: async () => notFound }), look(cache, {})];
    expect(await Promise.all(both)).toEqual(['MISS not found', 'COALESCED not found']);
  });
});

describe('a time to live of 0', () => {
  it('is a BYPASS: never stored, and never shared with another call', async () => {
    const cache = createCache();
    const alone = (text: string) => look(cache, { ttlSeconds: 0, fetch: async () => good(text) });
    expect(await Promise.all([alone('one'), alone('two')])).toEqual(['BYPASS one', 'BYPASS two']);
    expect(cache.stats()).toMatchObject({ entries: 0, hits: 0, misses: 0, hitRatio: null });
  });

  it('passes the cancellation of the caller to the fetch', async () => {
    const cache = createCache();
    const cancellation = new Cancellation();
    let watched: Cancellation | undefined;
    const fetch = async (given: Cancellation | undefined) => {
      watched = given;
      return good('one');
    };
    await look(cache, { ttlSeconds: 0, cancellation: () => cancellation, fetch });
    expect(watched).toBe(cancellation);
  });
});

describe('an upstream that fails', () => {
  const stored = async (deps: Partial<ResponseCacheDeps> = {}) => {
    const cache = createCache(deps);
    await look(cache, { fetch: async () => good('old') });
    passSeconds(TTL_SECONDS);
    return cache;
  };

  it('is replaced by a stale response for every waiting caller, and requested again next time', async () => {
    const cache = await stored();
    const fetch = failing('upstream_timeout');
    expect(await Promise.all([look(cache, { fetch }), look(cache, {})])).toEqual([
      'STALE old',
      'STALE old',
    ]);
    expect(await look(cache, { fetch: async () => good('new') })).toBe('MISS new');
  });

  it('is replaced by a stale response when its own response reports the failure', async () => {
    expect(await look(await stored(), { fetch: async () => broken })).toBe('STALE old');
  });

  it('is not replaced by a stale response when the resource was not found', async () => {
    expect(await look(await stored(), { fetch: async () => notFound })).toBe('MISS not found');
  });

  it('is not replaced by a response that is too old', async () => {
    const cache = await stored();
    passSeconds(STALE_SECONDS);
    await expect(look(cache, { fetch: failing('upstream_timeout') })).rejects.toMatchObject({
      code: 'upstream_timeout',
    });
    expect(await look(cache, { fetch: async () => broken })).toBe('MISS broken');
  });

  it('is reported when the cache has no older response', async () => {
    const cache = createCache();
    expect(await look(cache, { fetch: async () => broken })).toBe('MISS broken');
    await expect(look(cache, { fetch: failing('upstream_timeout') })).rejects.toMatchObject({
      code: 'upstream_timeout',
    });
  });

  it.each(['invalid_arguments', 'missing_secret', 'cancelled'] as const)(
    'does not let a stale response hide %s, which is not a failure of the upstream',
    async (code) => {
      await expect(look(await stored(), { fetch: failing(code) })).rejects.toMatchObject({ code });
    },
  );

  it('fails only the caller who sent the request: the next caller sends its own', async () => {
    const cache = createCache();
    const first = look(cache, { fetch: failing('upstream_timeout') });
    const second = look(cache, { fetch: async () => good('second try') });
    const third = look(cache, {});
    await expect(first).rejects.toMatchObject({ code: 'upstream_timeout' });
    expect(await second).toBe('MISS second try');
    expect(await third).toBe('COALESCED second try');
  });
});

describe('a budget of 0 bytes', () => {
  it('stores nothing, but identical calls still share one request', async () => {
    const cache = createCache({ maxBytes: 0 });
    const both = [look(cache, { fetch: async () => good('one') }), look(cache, {})];
    expect(await Promise.all(both)).toEqual(['MISS one', 'COALESCED one']);
    expect(await look(cache, { fetch: async () => good('two') })).toBe('MISS two');
  });
});

describe('stats', () => {
  it('counts HIT and COALESCED as hits, and every request to the upstream as a miss', async () => {
    const cache = createCache();
    await Promise.all([look(cache, { fetch: async () => good('a') }), look(cache, {})]);
    await look(cache, {});
    await look(cache, { key: 'bad', fetch: failing('upstream_timeout') }).catch(() => undefined);
    expect(cache.stats()).toMatchObject({ entries: 1, hits: 2, misses: 2, hitRatio: 0.5 });
    expect(cache.stats().bytes).toBeGreaterThan(0);
  });
});
