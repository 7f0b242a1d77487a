import { hash } from 'node:crypto';
import type pino from 'pino';
import { createOutageLog } from '../../platform/kernel/log-lines.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import type { RedisConnection } from '../../platform/redis/redis-connection.ts';
import { type CacheEntry, decodeEntry, encodeEntry } from './entry-codec.ts';

export interface RedisStoreDeps {
  readonly redis: Pick<RedisConnection, 'client' | 'readScript' | 'canRead' | 'canWrite'>;
  readonly keyPrefix: string;
  readonly clock: Clock;
  readonly logger: Pick<pino.Logger, 'warn'>;
}

export type SharedStore = ReturnType<typeof createRedisStore>;

/** A larger response stays in this process: a read from Redis happens before the memory budget is charged. */
const MAX_SHARED_BYTES = 1024 * 1024;

/**
 * Entries shared by all replicas. If Redis is unreachable, slow or full, a look-up finds nothing; it never rejects. Redis alone
 * determines the age of an entry, whatever the clocks of the replicas show.
 */
export function createRedisStore({ redis, keyPrefix, clock, logger }: RedisStoreDeps) {
  const reportFailure = createOutageLog(logger, 'The shared cache failed; continuing without it.');
  /** Redis replies in order: after the latest, all have arrived. */
  let latest: Promise<unknown> = Promise.resolve();
  return {
    /** Keys contain the arguments of callers: Redis sees only their digest. */
    nameOf: (key: string): string => keyPrefix + hash('sha256', key, 'base64url'),
    lookUp: createLookUps({ redis, clock, reportFailure }),
    /** Stores an entry for the other replicas unless it is too large. Returns at once. */
    share(name: string, { response, freshUntil, staleUntil }: CacheEntry): void {
      const lifetimeMs = Math.ceil(staleUntil - clock.now());
      if (response.json.length > MAX_SHARED_BYTES || lifetimeMs <= 0 || !redis.canWrite()) return;
      const value = encodeEntry({ response, lifetimeMs, staleMs: staleUntil - freshUntil });
      latest = redis.client.set(name, value, 'PX', lifetimeMs).catch(reportFailure);
    },
    /** Resolves when Redis has what was shared, or fails. */
    close: () => latest,
  };
}

function toEntry(value: Buffer | null, leftMs: number, clock: Clock): CacheEntry | undefined {
  const entry = value ? decodeEntry(value) : undefined;
  if (!entry || leftMs <= 0) return undefined;
  const { response, lifetimeMs, staleMs } = entry;
  // The lifetime left never grows.
  const staleUntil = clock.now() + Math.min(leftMs, lifetimeMs);
  return { response, freshUntil: staleUntil - staleMs, staleUntil };
}

interface LookUpsDeps extends Pick<RedisStoreDeps, 'redis' | 'clock'> {
  readonly reportFailure: (error: unknown) => void;
}

/**
 * Sends the look-ups of one turn of the event loop together, and the look-ups of several turns if they follow within a millisecond: a
 * command, its reply and the turn that reads it cost more than a look-up.
 */
function createLookUps({ redis, clock, reportFailure }: LookUpsDeps) {
  const script = redis.readScript('lookUp', LOOK_UP);
  let asked: Asked[] = [];
  let sentMs = Number.NEGATIVE_INFINITY;

  function lookUp(name: string): Promise<CacheEntry | undefined> {
    const { promise, resolve } = Promise.withResolvers<CacheEntry | undefined>();
    if (asked.push({ name, resolve }) > 1) return promise;
    if (performance.now() - sentMs < PAUSE_MS) setTimeout(sendAll, PAUSE_MS);
    else setImmediate(sendAll);
    return promise;
  }

  function sendAll(): void {
    sentMs = performance.now();
    const all = asked;
    asked = [];
    for (let at = 0; at < all.length; at += MAX_BATCH) void send(all.slice(at, at + MAX_BATCH));
  }

  async function send(batch: readonly Asked[]): Promise<void> {
    try {
      const names = batch.map(({ name }) => name);
      const reply = redis.canRead() ? ((await script(names, [MAX_REPLY_BYTES])) as Reply) : [];
      for (const [i, { name, resolve }] of batch.entries()) {
        const [value = null, leftMs = 0] = reply.slice(2 * i, 2 * i + 2) as [Buffer | null, number];
        if (leftMs === POSTPONED) void lookUp(name).then(resolve);
        else resolve(toEntry(value, leftMs, clock));
      }
    } catch (error) {
      reportFailure(error);
      // Does nothing to those that have a result.
      for (const { resolve } of batch) resolve(undefined);
    }
  }

  return lookUp;
}

interface Asked {
  readonly name: string;
  readonly resolve: (entry: CacheEntry | undefined) => void;
}

/** Between two commands. */
const PAUSE_MS = 1;
/** Look-ups sent with one command. */
const MAX_BATCH = 100;
/** Look-ups whose values would exceed it are sent again with the next command; one value is always sent. */
const MAX_REPLY_BYTES = 1024 * 1024;

/** Instead of a remaining life: the reply to the other look-ups was too large. */
const POSTPONED = -3;

/** Two for each look-up: the value and its remaining life in milliseconds. */
type Reply = readonly (Buffer | number | null)[];

/** Looks up entries. ARGV: bytes of the reply. A value of another type counts as missing. */
const LOOK_UP = `
local room = tonumber(ARGV[1])
local reply = {}
for i, name in ipairs(KEYS) do
  local value, left = false, ${POSTPONED}
  if room > 0 then
    value, left = redis.pcall('get', name), 0
    if type(value) == 'string' then
      left = redis.call('pttl', name)
      room = room - #value
    else
      value = false
    end
  end
  reply[2 * i - 1], reply[2 * i] = value, left
end
return reply
`;
