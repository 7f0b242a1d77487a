import type { Clock } from '../../platform/kernel/clock.ts';
import { createLru } from '../../platform/kernel/lru.ts';
import type { ApiKeyRecord } from './api-key-record.ts';
import type { Caller, KeyLimits } from './caller.ts';
import { cappedRateLimit } from './rate-limit-cap.ts';

const MAX_KNOWN_KEYS = 10_000;
/** Keys with an expiry that were used here. Beyond these, the streams of the least recently used key are closed. */
export const MAX_EXPIRING_KEYS = 20_000;
/** Keys recently found invalid, which are refused without another look-up. */
export const MAX_INVALID_KEYS = 10_000;
/** How long an invalid key is remembered; less if this process sees it being created. */
const INVALID_MS = 5000;

export interface KnownKey {
  readonly caller: Caller;
  /** Null = never. */
  readonly expiresAtMs: number | null;
}

/** What this process remembers of API keys, by the SHA-256 of their text. */
export interface KnownKeys {
  find(digest: string): KnownKey | undefined;
  isExpired(key: KnownKey): boolean;
  isInvalid(digest: string): boolean;
  /** Remembers a valid key. */
  add(digest: string, record: ApiKeyRecord): KnownKey;
  addInvalid(digest: string): void;
  /** Forgets that a key was invalid. */
  removeInvalid(digest: string): void;
  /** Forgets a valid key, but still watches its expiry. */
  remove(digest: string): void;
  /** Watches the expiry of a key, even if it was not used here: it may have open streams. Null stops watching it. */
  watch(apiKeyId: string, expiresAtMs: number | null): void;
  /** Forgets every key, but still watches the expiry of those used here. */
  clear(): void;
  /** Ids of keys that have expired since the last call. */
  takeExpired(): Iterable<string>;
}

export interface KnownKeysDeps {
  readonly clock: Clock;
  /** Called for a key whose expiry is no longer watched because there are too many. */
  readonly onForgotten: (apiKeyId: string) => void;
  /** The most that counts of a limit per minute that no operator gave; 0 or undefined = all. */
  readonly rateLimitCap?: number;
}

export function createKnownKeys({
  clock,
  onForgotten,
  rateLimitCap = 0,
}: KnownKeysDeps): KnownKeys {
  const valid = createLru<KnownKey>(MAX_KNOWN_KEYS);
  /** By key id. Separate from `valid`, which may evict a key whose streams are open. */
  const expiring = createLru<number>(MAX_EXPIRING_KEYS, {
    dispose: (_expiresAtMs, id, reason) => {
      if (reason === 'evict') onForgotten(id);
    },
  });
  const invalid = createLru<true>(MAX_INVALID_KEYS, { ttl: INVALID_MS });
  const watch = (apiKeyId: string, expiresAtMs: number | null): void => {
    if (expiresAtMs === null) expiring.delete(apiKeyId);
    else expiring.set(apiKeyId, expiresAtMs);
  };

  return {
    find: (digest) => valid.get(digest),
    isExpired: ({ expiresAtMs }) => expiresAtMs !== null && expiresAtMs <= clock.now(),
    isInvalid: (digest) => invalid.has(digest),
    add: (digest, record) => {
      const key = toKnownKey(record, rateLimitCap);
      valid.set(digest, key);
      watch(key.caller.apiKeyId, key.expiresAtMs);
      return key;
    },
    addInvalid: (digest) => void invalid.set(digest, true),
    removeInvalid: (digest) => void invalid.delete(digest),
    remove: (digest) => void valid.delete(digest),
    watch,
    clear: () => {
      valid.clear();
      invalid.clear();
    },
    *takeExpired() {
      for (const [id, expiresAtMs] of expiring) {
        if (expiresAtMs > clock.now()) continue;
        expiring.delete(id);
        yield id;
      }
    },
  };
}

const toKnownKey = (record: ApiKeyRecord, rateLimitCap: number): KnownKey => ({
  caller: Object.freeze({
    tenantId: record.tenantId,
    tenantSlug: record.tenantSlug,
    apiKeyId: record.id,
    allowedTools: record.allowedTools,
    limits: limitsOf({
      rateLimitPerMinute: cappedRateLimit(record, rateLimitCap),
      dailyLimit: record.dailyLimit,
    }),
    ...(record.mode === 'search' && { searches: true as const }),
  }),
  expiresAtMs: record.expiresAtMs,
});

const limitsOf = (limits: KeyLimits): KeyLimits | undefined =>
  limits.rateLimitPerMinute === null && limits.dailyLimit === null
    ? undefined
    : Object.freeze(limits);
