import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/kernel/clock.ts';
import type { Closeable } from '../../platform/kernel/closeable.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { ApiKeyRecord, ApiKeyStore, ChangedKey } from './api-key-store.ts';
import type { Caller } from './caller.ts';
import { digestOf, isKeyText } from './key-text.ts';
import { createLookUpQueue } from './look-up-queue.ts';
import type { ShownKey } from './shown-key.ts';

const MAX_KNOWN_KEYS = 10_000;
/** Keys that will expire and have been used here; of the one used longest ago beyond these, the streams are closed. */
export const MAX_EXPIRING_KEYS = 20_000;
/** Keys found not to be good lately, which are refused without asking again. */
export const MAX_UNKNOWN_KEYS = 10_000;
/** For how long; shorter where this process sees the key being made. */
const UNKNOWN_MS = 5000;

export interface AuthenticatorDeps {
  readonly store: Pick<ApiKeyStore, 'findByDigest' | 'version' | 'changedSince'>;
  readonly clock: Clock;
  /** How often changes are looked for; a revoked key stays usable for at most this and one query more. */
  readonly pollMs: number;
  /** Told of every key that was revoked or expired while this runs, so that its event streams can be closed; must not throw. */
  readonly onRevoked: (apiKeyId: string, cause: 'revoked' | 'expired') => void;
  /** Told of a key whose expiry is watched no longer, because too many are: its open streams must end. Must not throw. */
  readonly onForgotten?: (apiKeyId: string) => void;
  /** Told of every key whose allowed tools were changed; must not throw. */
  readonly onChanged: (apiKeyId: string, allowedTools: readonly string[] | null) => void;
  /** Told of every key that was made; must not throw. */
  readonly onCreated?: (apiKeyId: string) => void;
}

/** Where a key comes from. */
export interface KeyOrigin {
  /** Look-ups are shared out fairly between sources. */
  readonly source: string;
  /** Called before the database is asked about the key; throws when it may not be. */
  readonly onLookUp?: () => void;
}

/** Turns an API key into its caller. */
export interface Authenticator extends Closeable {
  /**
   * Throws or rejects with GatewayError `unauthenticated`, the same for a missing, malformed, unknown, revoked and
   * expired key; for a key that must be looked up also with `unavailable` while the database is away, and with
   * `overloaded` while too many wait for it.
   */
  authenticate(keyText: string | undefined, origin?: KeyOrigin): Caller | Promise<Caller>;
  /** The caller of a key that is known here and good, without a look at the database; `shown` is its connection's. */
  known(keyText: string, shown: ShownKey): Caller | undefined;
  /** Looks for revocations now. Rejects with `unavailable` while the database is away. */
  refresh(): Promise<void>;
}

interface KnownKey {
  readonly caller: Caller;
  readonly expiresAtMs: number | null;
}

export function createAuthenticator(deps: AuthenticatorDeps): Authenticator {
  const { store, clock, pollMs, onRevoked, onForgotten, onChanged, onCreated } = deps;
  const known = new LRUCache<string, KnownKey>({ max: MAX_KNOWN_KEYS });
  /** Keys used here that will expire; apart from `known`, which may forget a key whose streams are open. */
  const expiring = new LRUCache<string, number>({
    max: MAX_EXPIRING_KEYS,
    dispose: (_expiresAtMs, id, reason) => {
      if (reason === 'evict') onForgotten?.(id);
    },
  });
  const unknown = new LRUCache<string, true>({ max: MAX_UNKNOWN_KEYS, ttl: UNKNOWN_MS });
  const queue = createLookUpQueue();
  /** As many as the queue takes. */
  const lookUps = new Map<string, Promise<KnownKey>>();
  let version: number | undefined;
  let closed = false;

  const lookUp = async (digest: string): Promise<KnownKey> => {
    for (;;) {
      version ??= await store.version();
      const versionBefore = version;
      const record = await store.findByDigest(digest);
      // Changes were read meanwhile, perhaps this key's: what was found may be older than they are.
      if (version !== versionBefore) continue;
      if (!record || record.revokedAtMs !== null) {
        unknown.set(digest, true);
        throw unauthenticated();
      }
      const key = toKnownKey(record);
      known.set(digest, key);
      if (key.expiresAtMs !== null) expiring.set(key.caller.apiKeyId, key.expiresAtMs);
      return key;
    }
  };

  /** One query, however many requests bring the same unknown key at once. */
  const lookUpOnce = (digest: string, origin: KeyOrigin): Promise<KnownKey> => {
    const underWay = lookUps.get(digest);
    if (underWay !== undefined) return underWay;
    if (unknown.has(digest)) throw unauthenticated();
    origin.onLookUp?.();
    const result = queue
      .run(origin.source, () => lookUp(digest))
      .finally(() => lookUps.delete(digest));
    lookUps.set(digest, result);
    return result;
  };

  const isExpired = ({ expiresAtMs }: KnownKey): boolean =>
    expiresAtMs !== null && expiresAtMs <= clock.now();

  const callerOf = (key: KnownKey): Caller => {
    if (isExpired(key)) throw unauthenticated();
    return key.caller;
  };

  const refresh = async (): Promise<void> => {
    const current = await store.version();
    if (version === undefined || current === version) {
      version = current;
      return;
    }
    // A database restored from a backup counts from an older number: nothing known can be relied on.
    if (current < version) {
      known.clear();
      unknown.clear();
    }
    const changed = current < version ? [] : await store.changedSince(version);
    version = current;
    for (const key of changed) follow(key);
  };

  const follow = ({ id, digest, change, allowedTools }: ChangedKey): void => {
    unknown.delete(digest);
    // A new key may have been used here already; what is known of it is as new.
    if (change === 'created') {
      onCreated?.(id);
      return;
    }
    known.delete(digest);
    if (change === 'changed') {
      onChanged(id, allowedTools);
      return;
    }
    expiring.delete(id);
    onRevoked(id, 'revoked');
  };

  const endExpired = (): void => {
    for (const [id, expiresAtMs] of expiring) {
      if (expiresAtMs > clock.now()) continue;
      expiring.delete(id);
      onRevoked(id, 'expired');
    }
  };

  const poll = async (): Promise<void> => {
    endExpired();
    // While the database is away, keys that are known go on working.
    await refresh().catch(() => undefined);
    if (!closed) timer = setTimeout(poll, pollMs).unref();
  };
  let timer = setTimeout(poll, pollMs).unref();

  return {
    authenticate: (keyText, origin = HERE) => {
      if (keyText === undefined || !isKeyText(keyText)) throw unauthenticated();
      const digest = digestOf(keyText);
      const key = known.get(digest);
      return key ? callerOf(key) : lookUpOnce(digest, origin).then(callerOf);
    },
    known: (keyText, shown) => {
      const before = shown.digestOf(keyText);
      if (before === undefined && !isKeyText(keyText)) return undefined;
      const digest = before ?? digestOf(keyText);
      const key = known.get(digest);
      if (!key || isExpired(key)) return undefined;
      if (before === undefined) shown.remember(keyText, digest);
      return key.caller;
    },
    refresh,
    close: async () => {
      closed = true;
      clearTimeout(timer);
    },
  };
}

const HERE: KeyOrigin = { source: 'this process' };

const toKnownKey = ({
  tenantId,
  tenantSlug,
  id,
  allowedTools,
  expiresAtMs,
}: ApiKeyRecord): KnownKey => ({
  caller: Object.freeze({ tenantId, tenantSlug, apiKeyId: id, allowedTools }),
  expiresAtMs,
});

const unauthenticated = (): GatewayError => new GatewayError('unauthenticated');
