import { LRUCache } from 'lru-cache';
import type { Clock } from '../kernel/clock.ts';
import type { Closeable } from '../kernel/closeable.ts';
import { GatewayError } from '../kernel/error.ts';
import type { ApiKeyRecord, ApiKeyStore } from './api-key-store.ts';
import type { Caller } from './caller.ts';
import { digestOf, isKeyText } from './key-text.ts';

const MAX_KNOWN_KEYS = 10_000;

export interface AuthenticatorDeps {
  readonly store: Pick<ApiKeyStore, 'findByDigest' | 'version' | 'changedSince'>;
  readonly clock: Clock;
  /** How often revocations are looked for; a key stays usable for at most this and one query more. */
  readonly pollMs: number;
  /** Told of every key that was revoked or expired while this runs, so that its event streams can be closed; must not throw. */
  readonly onRevoked: (apiKeyId: string) => void;
  /** Told of every key whose allowed tools were changed; must not throw. */
  readonly onChanged: (apiKeyId: string) => void;
}

/** Turns an API key into its caller. */
export interface Authenticator extends Closeable {
  /**
   * Throws or rejects with GatewayError `unauthenticated`, the same for a missing, malformed, unknown, revoked and
   * expired key; with `unavailable` for a key that must be looked up while the database is away.
   */
  authenticate(keyText: string | undefined): Caller | Promise<Caller>;
  /** The caller of a key that is known here and good, without a look at the database. */
  known(keyText: string): Caller | undefined;
  /** Looks for revocations now. Rejects with `unavailable` while the database is away. */
  refresh(): Promise<void>;
}

interface KnownKey {
  readonly caller: Caller;
  readonly expiresAtMs: number | null;
}

export function createAuthenticator(deps: AuthenticatorDeps): Authenticator {
  const { store, clock, pollMs, onRevoked, onChanged } = deps;
  const known = new LRUCache<string, KnownKey>({ max: MAX_KNOWN_KEYS });
  /** Keys used here that will expire; apart from `known`, which may forget a key whose streams are open. */
  const expiring = new Map<string, number>();
  const lookups = new Map<string, Promise<KnownKey>>();
  let version: number | undefined;
  let closed = false;

  const lookUp = async (digest: string): Promise<KnownKey> => {
    for (;;) {
      version ??= await store.version();
      const versionBefore = version;
      const key = toKnownKey(await store.findByDigest(digest));
      // Changes were read meanwhile, perhaps this key's: what was found may be older than they are.
      if (version !== versionBefore) continue;
      known.set(digest, key);
      if (key.expiresAtMs !== null) expiring.set(key.caller.apiKeyId, key.expiresAtMs);
      return key;
    }
  };

  /** One query, however many requests bring the same unknown key at once. */
  const lookUpOnce = (digest: string): Promise<KnownKey> => {
    const underWay = lookups.get(digest);
    if (underWay !== undefined) return underWay;
    const lookup = lookUp(digest).finally(() => lookups.delete(digest));
    lookups.set(digest, lookup);
    return lookup;
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
    if (current < version) known.clear();
    const changed = current < version ? [] : await store.changedSince(version);
    version = current;
    for (const { id, digest, isRevoked } of changed) {
      known.delete(digest);
      if (isRevoked) {
        expiring.delete(id);
        onRevoked(id);
      } else {
        onChanged(id);
      }
    }
  };

  const endExpired = (): void => {
    for (const [id, expiresAtMs] of expiring) {
      if (expiresAtMs > clock.now()) continue;
      expiring.delete(id);
      onRevoked(id);
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
    authenticate: (keyText) => {
      if (keyText === undefined || !isKeyText(keyText)) throw unauthenticated();
      const digest = digestOf(keyText);
      const key = known.get(digest);
      return key ? callerOf(key) : lookUpOnce(digest).then(callerOf);
    },
    known: (keyText) => {
      if (!isKeyText(keyText)) return undefined;
      const key = known.get(digestOf(keyText));
      return key && !isExpired(key) ? key.caller : undefined;
    },
    refresh,
    close: async () => {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/** Throws `unauthenticated` for a key that does not exist any more or never did. */
function toKnownKey(record: ApiKeyRecord | undefined): KnownKey {
  if (!record || record.revokedAtMs !== null) throw unauthenticated();
  const { tenantId, tenantSlug, id, allowedTools, expiresAtMs } = record;
  return {
    caller: Object.freeze({ tenantId, tenantSlug, apiKeyId: id, allowedTools }),
    expiresAtMs,
  };
}

const unauthenticated = (): GatewayError => new GatewayError('unauthenticated');
