import { hash, randomBytes } from 'node:crypto';
import type pino from 'pino';
import type { Clock } from '../platform/kernel/clock.ts';
import type { Deadline } from '../platform/kernel/deadline.ts';
import { createOutageLog } from '../platform/kernel/outage-log.ts';
import type { RedisConnection } from '../platform/redis/redis-connection.ts';
import { type CacheEntry, decodeEntry, MAGIC, STALE_MS_AT } from './entry-codec.ts';
import {
  createSettlements,
  LEASE_MS,
  LEASE_OF,
  type Lease,
  type Settlements,
  type SettlementsDeps,
  type SharedKey,
} from './settlements.ts';

export interface RedisStoreDeps {
  readonly redis: Pick<RedisConnection, 'script' | 'reader' | 'canRead'>;
  readonly keyPrefix: string;
  readonly clock: Clock;
  readonly logger: Pick<pino.Logger, 'warn'>;
}

/** What a look-up found in Redis. */
export interface Found {
  /** Absent while another process has the lease. */
  readonly entry: CacheEntry | undefined;
  /** Given to one process, if the entry is not fresh. */
  readonly lease: Lease | undefined;
  /** The lease of another process, which is fetching the response. */
  readonly other: { readonly token: string; readonly leftMs: number } | undefined;
}

export type SharedStore = ReturnType<typeof createRedisStore>;

/**
 * Entries and leases shared by all replicas. If Redis is unreachable, slow or full, a look-up finds nothing and gets no
 * lease; it never rejects. Redis alone determines the age of an entry, whatever the clocks of the replicas show.
 */
export function createRedisStore({ redis, keyPrefix, clock, logger }: RedisStoreDeps) {
  const reportFailure = createOutageLog(logger, 'The shared cache failed; continuing without it.');
  const settlements = createSettlements({ redis, clock, reportFailure });

  /** Reads an entry without a script: a script may write, and Redis may refuse or delay writes. */
  async function read({ name }: SharedKey): Promise<CacheEntry | undefined> {
    if (!redis.canRead()) return undefined;
    try {
      // In this order: if another replica writes in between, its response only seems older than it is.
      const [leftMs, value] = await Promise.all([
        redis.reader.pttl(name),
        redis.reader.getBuffer(name),
      ]);
      return toEntry(value, leftMs, clock);
    } catch (error) {
      reportFailure(error);
      return undefined;
    }
  }

  return {
    /** Keys contain the arguments of callers: Redis sees only their digest. */
    sharedKey: (key: string): SharedKey => ({
      key,
      name: keyPrefix + hash('sha256', key, 'base64url'),
    }),
    /** Finds an entry, and takes the lease if it is not fresh. The lease must be settled. */
    lookUp: createLookUps({ redis, clock, settlements, read, reportFailure }),
    read,
    settle: settlements.settle,
    close: settlements.close,
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

interface LookUpsDeps extends SettlementsDeps {
  readonly settlements: Settlements;
  readonly read: (key: SharedKey) => Promise<CacheEntry | undefined>;
}

/**
 * Sends the look-ups of one turn of the event loop together, and those of several turns if they follow within a millisecond: a
 * command, its reply and the turn that reads it cost more than a look-up.
 */
function createLookUps({ redis, clock, settlements, read, reportFailure }: LookUpsDeps) {
  const script = redis.script('lookUp', LOOK_UP, 'leases');
  const processToken = randomBytes(9).toString('base64url');
  let batches = 0;
  let asked: Asked[] = [];
  let sentMs = Number.NEGATIVE_INFINITY;

  function lookUp(of: SharedKey, deadline: Deadline): Promise<Found> {
    const { promise, resolve } = Promise.withResolvers<Found>();
    if (asked.push({ of, deadline, resolve }) > 1) return promise;
    if (performance.now() - sentMs < PAUSE_MS) setTimeout(sendAll, PAUSE_MS);
    else setImmediate(sendAll);
    return promise;
  }

  function sendAll(): void {
    sentMs = performance.now();
    const all = asked;
    asked = [];
    for (let at = 0; at < all.length; at += MAX_BATCH) {
      const batch = all.slice(at, at + MAX_BATCH);
      if (script.isReady()) void send(batch);
      else for (const each of batch) void readInstead(each);
    }
  }

  async function readInstead({ of, resolve }: Asked): Promise<void> {
    resolve({ ...NOTHING, entry: await read(of) });
  }

  async function send(batch: readonly Asked[]): Promise<void> {
    const token = `${processToken}${++batches}`;
    for (const { of } of batch) settlements.sendBefore(of);
    const names = batch.map(({ of }) => of.name);
    try {
      const reply = (await script.run(names, [token, LEASE_MS, MAX_REPLY_BYTES])) as Reply;
      for (const [i, each] of batch.entries()) finish(each, token, reply.slice(3 * i, 3 * i + 3));
    } catch (error) {
      reportFailure(error);
      // Does nothing to those that have a result.
      for (const { resolve } of batch) resolve(NOTHING);
    }
  }

  function finish({ of, deadline, resolve }: Asked, token: string, reply: Reply): void {
    const [value, leftMs, leaseMs] = reply as [Buffer | null, number, number];
    if (leaseMs === POSTPONED) {
      void lookUp(of, deadline).then(resolve);
    } else if (leaseMs > 0) {
      resolve({ ...NOTHING, other: { token: value?.toString() ?? '', leftMs: leaseMs } });
    } else {
      const lease = leaseMs === TAKEN ? { of, token, deadline } : undefined;
      if (lease) settlements.hold(lease);
      resolve({ entry: toEntry(value, leftMs, clock), lease, other: undefined });
    }
  }

  return lookUp;
}

interface Asked {
  readonly of: SharedKey;
  readonly deadline: Deadline;
  readonly resolve: (found: Found) => void;
}

const NOTHING: Found = { entry: undefined, lease: undefined, other: undefined };

/** Between two commands. */
const PAUSE_MS = 1;
/** Look-ups sent with one command. */
const MAX_BATCH = 100;
/** Look-ups whose values would exceed it are sent again with the next command; one value is always sent. */
const MAX_REPLY_BYTES = 1024 * 1024;

/** Instead of the milliseconds for which another process has the lease, at least 1: it is this caller's. */
const TAKEN = 0;
/** The reply to the other look-ups was too large. */
const POSTPONED = -2;

/** Three for each look-up: the value, or the token of the other holder; the value's remaining life; the state of the lease. */
type Reply = readonly (Buffer | number | null)[];

/**
 * Looks up entries and takes the leases of those that are not fresh. ARGV: token, life of a lease, bytes of the reply. The
 * state of a lease: its remaining life if another has it, 0 if it was taken, -1 if it is not needed or Redis refuses it,
 * -2 if the look-up has to be sent again. A value in another format counts as missing.
 */
const LOOK_UP = `
local token, lease_ms, room = ARGV[1], ARGV[2], tonumber(ARGV[3])
local reply = {}
for i, name in ipairs(KEYS) do
  local value, left, state = false, 0, ${POSTPONED}
  if room > 0 then
    state = -1
    value = redis.pcall('get', name)
    if type(value) ~= 'string' or string.sub(value, 1, ${MAGIC.length}) ~= '${MAGIC}' then value = false end
    if value then left = redis.call('pttl', name) end
    if not value or #value < ${STALE_MS_AT + 8} or left <= struct.unpack('<d', value, ${STALE_MS_AT + 1}) then
      local lease = ${LEASE_OF}
      local taken = redis.pcall('set', lease, token, 'NX', 'PX', lease_ms)
      if not taken then
        value = redis.pcall('get', lease)
        state = math.max(1, redis.call('pttl', lease))
      elseif taken.ok then
        state = ${TAKEN}
      end
    end
    if value then room = room - #value end
  end
  reply[3 * i - 2], reply[3 * i - 1], reply[3 * i] = value, left, state
end
return reply
`;
