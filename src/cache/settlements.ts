import type { Clock } from '../platform/kernel/clock.ts';
import type { Deadline } from '../platform/kernel/deadline.ts';
import { ReusedBytes } from '../platform/kernel/reused-bytes.ts';
import type { RedisConnection } from '../platform/redis/redis-connection.ts';
import { type CacheEntry, encodeEntry } from './entry-codec.ts';

/**
 * How long a lease lives unless it is renewed: how long the others wait for a holder that was killed. Short, because they
 * still need time to fetch within their own deadlines.
 */
export const LEASE_MS = 2000;

/** In scripts: the key of the lease to fetch what `name` stores. */
export const LEASE_OF = "name .. ':lease'";

/** What identifies a response. */
export interface SharedKey {
  /** In the memory of this process. */
  readonly key: string;
  /** In Redis. */
  readonly name: string;
}

/** The right to fetch a response while all other processes wait for it. */
export interface Lease {
  readonly of: SharedKey;
  /** Tells whose lease it is: only the holder may renew or release it. */
  readonly token: string;
  /** The lease is not renewed beyond it, whatever the fetch does. */
  readonly deadline: Deadline;
}

/** The end of a fetch, or the sign that it continues. */
interface Settlement {
  readonly name: string;
  /** Absent if the response cannot be shared. */
  readonly entry: CacheEntry | undefined;
  /** Empty for a fetch without a lease. */
  readonly token: string;
  /** The new life of the lease; 0 releases it. */
  readonly leaseMs: number;
}

/** A larger response stays in this process: a read from Redis happens before the memory budget is charged. */
const MAX_SHARED_BYTES = 1024 * 1024;

/** Settlements are collected for this time, unless they have too many bytes or are too many. */
const COLLECT_MS = 5;
const MAX_BATCH_BYTES = 1024 * 1024;
const MAX_BATCH = 100;

/** A lease survives three late renewals. */
const RENEW_MS = LEASE_MS / 4;

/** What `Packing` writes in front of a value, beside the token. */
const FACTS_BYTES = 1 + 8 + 2 + 4;

/**
 * Stores responses, and renews or releases leases. ARGV is one text for all keys (see `Packing`). A value that Redis refuses
 * does not keep the leases.
 */
const SETTLE = `
local failure
local packed, at = ARGV[1], 1
for _, name in ipairs(KEYS) do
  local token, lifetime_ms, lease_ms, value
  token, lifetime_ms, lease_ms, value, at = struct.unpack('<Bc0dI2I4c0', packed, at)
  if value ~= '' then
    local stored = redis.pcall('set', name, value, 'PX', lifetime_ms)
    if stored.err then failure = stored end
  end
  local lease = ${LEASE_OF}
  if token ~= '' and redis.pcall('get', lease) == token then
    if lease_ms == 0 then redis.call('del', lease) else redis.call('pexpire', lease, lease_ms) end
  end
end
return failure
`;

export interface SettlementsDeps {
  readonly redis: Pick<RedisConnection, 'script'>;
  readonly clock: Clock;
  readonly reportFailure: (error: unknown) => void;
}

export type Settlements = ReturnType<typeof createSettlements>;

/** Collects what fetches leave behind, and renews the leases of those that take longer. All of it is best effort. */
export function createSettlements({ redis, clock, reportFailure }: SettlementsDeps) {
  const script = redis.script('settle', SETTLE, 'writes');
  /** By the key, which the caches have hashed already; hashing the name, too, would take a microsecond. */
  let pending = new Map<string, Settlement>();
  let pendingBytes = 0;
  let timer: NodeJS.Timeout | undefined;
  let idle: Packing | undefined;
  const renewals = createRenewals(({ of: { key, name }, token }) => {
    add(key, { name, entry: undefined, token, leaseMs: LEASE_MS });
  });

  function add(key: string, settlement: Settlement): void {
    const earlier = pending.get(key);
    if (earlier && earlier.token !== settlement.token) void flush();
    pending.set(key, settlement);
    pendingBytes += settlement.entry?.response.json.length ?? 0;
    if (pendingBytes >= MAX_BATCH_BYTES || pending.size >= MAX_BATCH) void flush();
    else timer ??= setTimeout(flush, COLLECT_MS);
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (pending.size === 0) return;
    const batch = pending;
    pending = new Map();
    pendingBytes = 0;
    if (!script.isReady()) return;
    const packing = idle ?? new Packing();
    idle = undefined;
    const settlements = [...batch.values()];
    const packed = packing.pack(settlements, clock.now());
    const names = settlements.map(({ name }) => name);
    await script.run(names, [packed]).catch(reportFailure);
    // Not earlier: a script that Redis does not know yet is sent again in full.
    idle = packing;
  }

  return {
    /** Starts to renew a lease until it is settled. */
    hold: renewals.add,
    /** Stores the response of a fetch, if it has one to share, and releases its lease, if it has one. Returns at once. */
    settle(
      { key, name }: SharedKey,
      lease: Lease | undefined,
      entry: CacheEntry | undefined,
    ): void {
      if (lease) renewals.delete(lease);
      const isSmall = entry !== undefined && entry.response.json.length <= MAX_SHARED_BYTES;
      if (!isSmall && !lease) return;
      const shared = isSmall ? entry : undefined;
      add(key, { name, entry: shared, token: lease?.token ?? '', leaseMs: 0 });
    },
    /** Sends what concerns a response, so that a look-up that follows sees it. */
    sendBefore({ key }: SharedKey): void {
      if (pending.has(key)) void flush();
    },
    /** Sends what is collected, and waits for Redis. */
    close(): Promise<void> {
      renewals.close();
      return flush();
    },
  };
}

/**
 * The settlements of a batch as one argument: the client would measure and write each further one by itself. Layout of
 * each: token after its length in a byte, lifetime of the value as a double, life of the lease in two bytes, and the value
 * after its length in four.
 */
class Packing {
  readonly #memory = new ReusedBytes();

  /** The result is valid until the next call. */
  pack(settlements: Iterable<Settlement>, nowMs: number): Buffer {
    this.#memory.clear();
    for (const settlement of settlements) this.#add(settlement, nowMs);
    return this.#memory.written();
  }

  #add({ entry, token, leaseMs }: Settlement, nowMs: number): void {
    const memory = this.#memory;
    const start = memory.length;
    memory.reserve(FACTS_BYTES + token.length);
    const valueAt = memory.length;
    const lifetimeMs = entry ? Math.ceil(entry.staleUntil - nowMs) : 0;
    if (entry && lifetimeMs > 0) {
      const { response, freshUntil, staleUntil } = entry;
      const shared = { response, lifetimeMs, staleMs: staleUntil - freshUntil };
      encodeEntry(shared, (length) => memory.reserve(length));
    }
    const bytes = memory.written();
    let at = bytes.writeUInt8(token.length, start);
    at += bytes.write(token, at, 'latin1');
    at = bytes.writeDoubleLE(lifetimeMs, at);
    at = bytes.writeUInt16LE(leaseMs, at);
    bytes.writeUInt32LE(memory.length - valueAt, at);
  }
}

/** Renews the leases in use. Most fetches end before their first renewal. */
function createRenewals(renew: (lease: Lease) => void) {
  /** Each with whether it is older than one round. */
  const held = new Map<Lease, boolean>();
  let timer: NodeJS.Timeout | undefined;

  function renewAll(): void {
    timer = undefined;
    for (const [lease, isOld] of held) {
      if (lease.deadline.remainingMs() === 0) held.delete(lease);
      else if (isOld) renew(lease);
      else held.set(lease, true);
    }
    schedule();
  }

  function schedule(): void {
    if (held.size > 0) timer ??= setTimeout(renewAll, RENEW_MS).unref();
  }

  return {
    add(lease: Lease): void {
      held.set(lease, false);
      schedule();
    },
    delete: (lease: Lease): boolean => held.delete(lease),
    close(): void {
      held.clear();
      clearTimeout(timer);
    },
  };
}
