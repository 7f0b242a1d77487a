import type pino from 'pino';
import type { Cancellation } from '../../platform/kernel/cancellation.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { CacheStats, CacheStatus } from '../../platform/kernel/http-names.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import type { Bus } from '../../platform/redis/bus.ts';
import type { RedisConnection } from '../../platform/redis/redis-connection.ts';
import type { UpstreamResponse } from '../payload/upstream-response.ts';
import type { CacheEntry } from './entry-codec.ts';
import { createGenerations } from './generations.ts';
import type { LastGoodStore, LastGoodTerms } from './last-good.ts';
import { createMemoryStore, type MemoryStore } from './memory-store.ts';
import { createRedisStore, type SharedStore } from './redis-store.ts';
import { createSingleFlight, type Participant } from './single-flight.ts';

/** A fetched response. Failures are passed through but never stored. */
export interface FetchedResponse {
  readonly response: UpstreamResponse;
  /** How long the upstream took. */
  readonly upstreamMs: number;
  readonly cacheable: boolean;
  /** How long it is fresh, in seconds, if not as long as the lookup says. */
  readonly ttlSeconds?: number;
  /** The upstream itself failed (5xx, 429, a result code of its own failure): an older successful response is better. */
  readonly preferStale: boolean;
}

export interface CacheLookup {
  /** From `cacheKey`. */
  readonly key: string;
  /** The tenant that asks, whose share of the memory its response uses. */
  readonly tenantId: string;
  /** How long a successful response is fresh. 0 sends a request to the upstream for this caller alone. */
  readonly ttlSeconds: number;
  /** Sends the request. The cancellation is triggered only when every caller who waits for the response has left. */
  fetch(cancellation: Cancellation | undefined): Promise<FetchedResponse>;
  /** Whether fresh entries must not be used: they do not fit one another. */
  readonly refreshes?: boolean | undefined;
  /** Of a tool whose responses replace failures for a time of its own: how they are kept. Read only on a miss. */
  readonly lastGood?: LastGoodTerms | undefined;
  /** Whether an answer for an earlier time may replace a failure. */
  readonly followsTime?: boolean;
  /** Whether so few requests are left that an older response must do. Asked only on a miss. */
  readonly isScarce?: boolean;
  /** The caller's own cancellation, requested only on a miss; absent for a caller who cannot disconnect. */
  readonly cancellation?: (() => Cancellation) | undefined;
}

/** A response, and how this caller got it. */
export interface CacheResult {
  readonly response: UpstreamResponse;
  readonly cacheStatus: CacheStatus;
  /** Null when this caller sent no request to the upstream. */
  readonly upstreamMs: number | null;
  /** Only of `STALE`. */
  readonly stale?: Staleness;
}

/** Why an older response was used. */
export interface Staleness {
  /** The failure that it replaces: a response, or an error; `quota` if no request was sent, to spare the quota. */
  readonly replaces: UpstreamResponse | Error | 'quota';
  /** The time that its computed arguments are of, if not the time of the call. */
  readonly askedMs?: number;
}

export type ResponseCache = ReturnType<typeof createResponseCache>;

export interface ResponseCacheDeps {
  /** Byte budget of the memory. 0 stores nothing there, but identical calls still share one request. */
  readonly maxBytes: number;
  /** How long after its expiry an entry may replace the response of a failed upstream. */
  readonly staleSeconds: number;
  /** Keeps good responses for longer, across restarts. */
  readonly lastGood?: LastGoodStore | undefined;
  /** A steady clock: it determines the age of the entries. */
  readonly clock: Clock;
  /** Shares the entries of all replicas. Not closed with the cache. */
  readonly redis?: RedisConnection | undefined;
  /** Tells the other replicas of writes. */
  readonly bus?: Pick<Bus, 'publish' | 'handle' | 'onOpen'> | undefined;
  readonly keyPrefix?: string;
  readonly logger: Pick<pino.Logger, 'warn'>;
}

/** Errors of the gateway or the caller: a stale response would hide a problem that must be fixed. */
const NOT_COVERED_BY_STALE = new Set(['invalid_arguments', 'missing_secret', 'cancelled']);

const coveredByStale = (error: unknown): boolean =>
  !(error instanceof GatewayError && NOT_COVERED_BY_STALE.has(error.code));

/** Only the caller who sent the request has a MISS, and its duration. A HIT or STALE is the same for every caller. */
const forJoiners = ({ response, cacheStatus, stale }: CacheResult): CacheResult => ({
  response,
  cacheStatus: cacheStatus === 'MISS' ? 'COALESCED' : cacheStatus,
  upstreamMs: null,
  ...(stale && { stale }),
});

const hit = ({ response }: CacheEntry): CacheResult => ({
  response,
  cacheStatus: 'HIT',
  upstreamMs: null,
});

/** An older response, and the failure that it replaces. */
const staleOf = (
  { response, askedMs }: Older,
  replaces: Staleness['replaces'],
  upstreamMs: number | null,
): CacheResult => ({
  response,
  cacheStatus: 'STALE',
  upstreamMs,
  stale: { replaces, ...(askedMs === undefined ? {} : { askedMs }) },
});

interface Older {
  readonly response: UpstreamResponse;
  readonly askedMs?: number;
}

async function bypass(lookup: CacheLookup): Promise<CacheResult> {
  const { response, upstreamMs } = await lookup.fetch(lookup.cancellation?.());
  return { response, cacheStatus: 'BYPASS', upstreamMs };
}

interface MissedLookup extends Participant<CacheResult> {
  readonly lookup: CacheLookup;
  /** An entry that is no longer fresh. */
  readonly known: CacheEntry | undefined;
}

/** What a flight does: `known` is an entry in memory that is no longer fresh. */
type Resolve = (
  lookup: CacheLookup,
  known: CacheEntry | undefined,
  cancellation: Cancellation,
) => Promise<CacheResult>;

/** Cached responses in two tiers: the memory of this process and, if configured, Redis. */
export function createResponseCache(deps: ResponseCacheDeps) {
  const { clock, redis, bus, logger, keyPrefix = 'tool-gateway:cache:' } = deps;
  const memory = createMemoryStore(deps.maxBytes);
  const shared = redis && createRedisStore({ redis, keyPrefix, clock, logger });
  const { put, olderOf } = createKeeping(deps, memory);
  const flights = createSingleFlight<CacheResult>(forJoiners);
  let lookups = 0;
  let misses = 0;

  /** `share` is called with what other replicas may use. */
  async function fetch(
    lookup: CacheLookup,
    known: CacheEntry | undefined,
    cancellation: Cancellation,
    share?: (entry: CacheEntry) => void,
  ): Promise<CacheResult> {
    if (cancellation.isCancelled) throw new GatewayError('cancelled');
    misses++;
    const terms = lookup.lastGood;
    if (lookup.isScarce) {
      const older = await olderOf(known, terms);
      if (older) return staleOf(older, 'quota', null);
    }
    try {
      const { response, upstreamMs, cacheable, preferStale, ttlSeconds } =
        await lookup.fetch(cancellation);
      const older = preferStale ? await olderOf(known, terms) : undefined;
      if (older) return staleOf(older, response, upstreamMs);
      if (cacheable) {
        const entry = put(lookup, response, ttlSeconds ?? lookup.ttlSeconds, terms);
        share?.(entry);
      }
      return { response, cacheStatus: 'MISS', upstreamMs };
    } catch (error) {
      const older = coveredByStale(error) ? await olderOf(known, terms) : undefined;
      if (older) return staleOf(older, error as Error, null);
      throw error;
    }
  }

  const resolve: Resolve = shared
    ? createSharedTier({ store: shared, memory, clock, fetch })
    : fetch;

  /** One function for all lookups: a closure would cost every miss 100 bytes. */
  function run(this: MissedLookup, cancellation: Cancellation): Promise<CacheResult> {
    return resolve(this.lookup, this.known, cancellation);
  }

  return {
    /** Looks up, joins or fetches; synchronous on a hit. Rejects only with the rejection of `fetch`, or `cancelled`. */
    lookup(lookup: CacheLookup): CacheResult | Promise<CacheResult> {
      if (lookup.ttlSeconds <= 0) return bypass(lookup);
      lookups++;
      const known = memory.get(lookup.key);
      if (isFresh(known, clock) && !lookup.refreshes) return hit(known);
      const missed: MissedLookup = { lookup, known, run, cancellation: lookup.cancellation };
      return flights.join(flightOf(lookup), missed);
    },
    /** Whether the memory of this process has a fresh response. */
    has: (key: string): boolean => isFresh(memory.get(key), clock),
    /** Parts of the keys of responses that a write makes obsolete. */
    generations: createGenerations({ redis, bus, keyPrefix, logger }),
    stats: (): CacheStats => ({
      entries: memory.entries(),
      bytes: memory.bytes(),
      hits: lookups - misses,
      misses,
      hitRatio: lookups === 0 ? null : (lookups - misses) / lookups,
    }),
    /** Waits until Redis has what was fetched, if it replies. */
    async close(): Promise<void> {
      memory.clear();
      await shared?.close();
    },
  };
}

/** Lookups that may share a request. A caller who named a time must not be given the answer for "latest". */
function flightOf({ key, followsTime, refreshes }: CacheLookup): string {
  const flight = followsTime ? `latest ${key}` : key;
  return refreshes ? `refresh ${flight}` : flight;
}

/** Creates what keeps good responses, and finds those that may replace a failure. */
function createKeeping({ clock, staleSeconds, lastGood }: ResponseCacheDeps, memory: MemoryStore) {
  function put(
    { key, tenantId }: CacheLookup,
    response: UpstreamResponse,
    ttlSeconds: number,
    terms: LastGoodTerms | undefined,
  ): CacheEntry {
    const nowMs = clock.now();
    const freshUntil = nowMs + ttlSeconds * 1000;
    const staleUntil = freshUntil + staleSeconds * 1000;
    const keptUntil = terms ? nowMs + terms.seconds * 1000 : staleUntil;
    const entry = {
      response,
      freshUntil,
      staleUntil: Math.max(freshUntil, Math.min(staleUntil, keptUntil)),
    };
    memory.set(key, entry, tenantId);
    if (terms) lastGood?.remember(terms, response);
    return entry;
  }

  /** What may replace a failure. */
  async function olderOf(
    known: CacheEntry | undefined,
    terms: LastGoodTerms | undefined,
  ): Promise<Older | undefined> {
    if (isUsable(known, clock)) return known;
    return terms && lastGood?.find(terms);
  }

  return { put, olderOf };
}

interface SharedTierDeps {
  readonly store: SharedStore;
  readonly memory: MemoryStore;
  readonly clock: Clock;
  readonly fetch: (
    ...args: [...Parameters<Resolve>, share: (entry: CacheEntry) => void]
  ) => Promise<CacheResult>;
}

/** Looks up responses in Redis, and fetches those that it does not have. */
function createSharedTier({ store, memory, clock, fetch }: SharedTierDeps): Resolve {
  return async (lookup, known, cancellation) => {
    const name = store.nameOf(lookup.key);
    const entry = lookup.refreshes ? known : newer(await store.lookUp(name), known);
    if (entry && entry !== known) memory.set(lookup.key, entry, lookup.tenantId);
    if (isFresh(entry, clock) && !lookup.refreshes) return hit(entry);
    return fetch(lookup, entry, cancellation, (fetched) => store.share(name, fetched));
  };
}

const isFresh = (entry: CacheEntry | undefined, clock: Clock): entry is CacheEntry =>
  entry !== undefined && clock.now() < entry.freshUntil;

const newer = (
  found: CacheEntry | undefined,
  known: CacheEntry | undefined,
): CacheEntry | undefined =>
  found && !(known && known.freshUntil >= found.freshUntil) ? found : known;

/** Whether the entry may replace the response of a failed upstream. */
const isUsable = (entry: CacheEntry | undefined, clock: Clock): entry is CacheEntry =>
  entry !== undefined && clock.now() < entry.staleUntil;
