import type { Caller, KeyLimits } from '../../platform/kernel/caller.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { isAccessToken, isApiKeyText } from '../../platform/kernel/ids.ts';
import { createLru } from '../../platform/kernel/memo.ts';
import { type Clock, repeat } from '../../platform/kernel/time.ts';
import {
  createVersionFollower,
  type VersionFollower,
} from '../../platform/kernel/version-follower.ts';
import { type ApiKeyRecord, type ChangedKey, digestOf, type FoundKey } from './api-key-record.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import { cappedRateLimit } from './key-change.ts';
import { createLookUpQueue } from './look-up-queue.ts';
import type { TokenMint } from './token-mint.ts';

/** Finds what a text opens: a key, or the grant of an access token. */
type KeyStore = Pick<ApiKeyStore, 'findByDigest' | 'findByToken'>;

/** None of the callbacks may throw. */
export interface AuthenticatorDeps {
  readonly store: KeyStore & Pick<ApiKeyStore, 'version' | 'changedSince'>;
  readonly clock: Clock;
  /** Interval at which changes are read. A revoked key stays usable for at most this and one query more. */
  readonly pollMs: number;
  /** Called for every key that is revoked or expires while this runs, so that its event streams can be closed. */
  readonly onRevoked: (apiKeyId: string, cause: 'revoked' | 'expired') => void;
  /** Called for a key whose expiry is no longer watched because there are too many: its open streams must end. */
  readonly onForgotten: (apiKeyId: string) => void;
  /** Called for every key that has changed, with the tools that it may use from now on. */
  readonly onChanged: (apiKeyId: string, allowedTools: readonly string[] | null) => void;
  /** Called for every key that was created. */
  readonly onCreated: (apiKeyId: string) => void;
  /** Recognises access tokens of this gateway; without it, all of them are refused. */
  readonly tokens?: Pick<TokenMint, 'isGenuine'>;
  /** Access tokens of another authorization server. */
  readonly external?: ExternalTokens | undefined;
  /** The most that counts of a limit per minute that no operator gave; 0 or undefined = all. */
  readonly rateLimitCap?: number;
}

export interface ExternalTokens {
  /** Whether a text has the form of a token. */
  readonly isToken: (text: string) => boolean;
  /** Rejects with a GatewayError. */
  readonly find: (token: string) => Promise<FoundKey>;
}

/** Where a key comes from. */
export interface KeyOrigin {
  /** Look-ups are shared fairly between sources. */
  readonly source: string;
  /** Called before the key is looked up in the database. Throws to refuse the look-up. */
  readonly onLookUp?: () => void;
}

/** The last valid key that a connection showed, with its digest: hashing it again would take 1/40 of a cached call. */
export class ShownKey {
  #text = '';
  #digest = '';

  /** The digest, if this is the same key again. Takes the same time wherever the two differ. */
  digestOf(keyText: string): string | undefined {
    const { length } = keyText;
    if (length === 0 || length !== this.#text.length) return undefined;
    let difference = 0;
    for (let i = 0; i < length; i++) difference |= keyText.charCodeAt(i) ^ this.#text.charCodeAt(i);
    return difference === 0 ? this.#digest : undefined;
  }

  remember(keyText: string, digest: string): void {
    this.#text = keyText;
    this.#digest = digest;
  }
}

export type Authenticator = ReturnType<typeof createAuthenticator>;

/** Finds the caller of an API key. */
export function createAuthenticator(deps: AuthenticatorDeps) {
  const keys = createKnownKeys(deps);
  const changes = createVersionFollower({
    readVersion: deps.store.version,
    changesSince: deps.store.changedSince,
    onChanged: (changed) => {
      for (const key of changed) applyChange(deps, keys, key);
    },
    onReset: keys.clear,
  });
  const lookUp = createLookUp(keys, changes);
  const { store, tokens, external } = deps;
  /** How a text is looked up; undefined for a text that opens nothing. */
  const finderOf = (text: string): FindKey | undefined => {
    if (isApiKeyText(text)) {
      return async (digest) => {
        const record = await store.findByDigest(digest);
        return record && { record, endsAtMs: record.expiresAtMs };
      };
    }
    if (isAccessToken(text)) {
      return async (digest) =>
        (await tokens?.isGenuine(text)) ? store.findByToken(digest) : undefined;
    }
    return external?.isToken(text) ? () => external.find(text) : undefined;
  };

  const callerOf = (key: KnownKey): Caller => {
    if (keys.isExpired(key)) throw unauthenticated();
    return key.caller;
  };

  const poll = async (): Promise<void> => {
    for (const id of keys.takeExpired()) deps.onRevoked(id, 'expired');
    // While the database is away, known keys keep working.
    await changes.refresh().catch(() => undefined);
  };
  const stopPolling = repeat(poll, () => deps.pollMs);

  return {
    /**
     * Throws or rejects with GatewayError `unauthenticated`, the same for a missing, malformed, unknown, revoked and
     * expired key. For a key that must be looked up, rejects also with `unavailable` while the database is away, and with
     * `overloaded` while too many keys wait.
     */
    authenticate: (keyText: string, origin: KeyOrigin): Caller | Promise<Caller> => {
      const find = finderOf(keyText);
      if (!find) throw unauthenticated();
      const digest = digestOf(keyText);
      const key = keys.find(digest);
      return key ? callerOf(key) : lookUp(digest, origin, find).then(callerOf);
    },
    /** The caller of a valid key that is known here, without a query. `shown` belongs to the connection. */
    known: (keyText: string, shown: ShownKey): Caller | undefined => {
      const before = shown.digestOf(keyText);
      if (before === undefined && !finderOf(keyText)) return undefined;
      const digest = before ?? digestOf(keyText);
      const key = keys.find(digest);
      if (!key || keys.isExpired(key)) return undefined;
      if (before === undefined) shown.remember(keyText, digest);
      return key.caller;
    },
    /** Whether a text has the form of something that opens the gateway. */
    isKey: (text: string): boolean => finderOf(text) !== undefined,
    /** Whether a text has the form of an access token. Those expire in the ordinary course. */
    isToken: (text: string): boolean => isAccessToken(text) || (external?.isToken(text) ?? false),
    /** Reads changes of keys now. Rejects with `unavailable` while the database is away. */
    refresh: changes.refresh,
    close: async () => stopPolling(),
  };
}

function applyChange(
  { onCreated, onChanged, onRevoked }: AuthenticatorDeps,
  keys: KnownKeys,
  { id, digest, isGrant, change, allowedTools, expiresAtMs }: ChangedKey,
): void {
  keys.removeInvalid(digest);
  // A new key may have been used here already. What is known of it is just as new.
  if (change === 'created') {
    onCreated(id);
    return;
  }
  if (isGrant) keys.removeTokens(id);
  else keys.remove(digest);
  if (change === 'changed') {
    keys.watch(id, expiresAtMs);
    onChanged(id, allowedTools);
    return;
  }
  keys.watch(id, null);
  onRevoked(id, 'revoked');
}

type FindKey = (digest: string) => Promise<FoundKey | undefined>;

/** Looks keys up in the database: one query per key, however many requests show it at once. */
function createLookUp(keys: KnownKeys, changes: VersionFollower) {
  const queue = createLookUpQueue();
  /** Bounded by the queue. */
  const inProgress = new Map<string, Promise<KnownKey>>();

  const query = async (digest: string, find: FindKey): Promise<KnownKey> => {
    for (;;) {
      const versionBefore = changes.version ?? (await changes.start());
      const found = await find(digest);
      // Changes were read meanwhile, perhaps of this key. The record may be older than they are.
      if (changes.version !== versionBefore) continue;
      if (found && found.record.revokedAtMs === null) return keys.add(digest, found);
      keys.addInvalid(digest);
      throw unauthenticated();
    }
  };

  return (digest: string, origin: KeyOrigin, find: FindKey): Promise<KnownKey> => {
    const running = inProgress.get(digest);
    if (running !== undefined) return running;
    if (keys.isInvalid(digest)) throw unauthenticated();
    origin.onLookUp?.();
    const result = queue
      .run(origin.source, () => query(digest, find))
      .finally(() => inProgress.delete(digest));
    inProgress.set(digest, result);
    return result;
  };
}

const unauthenticated = (): GatewayError => new GatewayError('unauthenticated');

const MAX_KNOWN_KEYS = 10_000;
/** Keys with an expiry that were used here. Beyond these, the streams of the least recently used key are closed. */
export const MAX_EXPIRING_KEYS = 20_000;
/** Keys recently found invalid, which are refused without another look-up. */
export const MAX_INVALID_KEYS = 10_000;
/** How long an invalid key is remembered; less if this process sees it being created. */
const INVALID_MS = 5000;

interface KnownKey {
  readonly caller: Caller;
  /** Null = never. */
  readonly expiresAtMs: number | null;
}

type KnownKeys = ReturnType<typeof createKnownKeys>;

/** What this process remembers of API keys, by the SHA-256 of their text. */
function createKnownKeys({ clock, onForgotten, rateLimitCap = 0 }: AuthenticatorDeps) {
  const valid = createLru<KnownKey>(MAX_KNOWN_KEYS);
  /** By key id. Separate from `valid`, which may evict a key whose streams are open. */
  const expiring = createLru<number>(MAX_EXPIRING_KEYS, {
    dispose: (_expiresAtMs, id, reason) => {
      if (reason === 'evict') onForgotten(id);
    },
  });
  const invalid = createLru<true>(MAX_INVALID_KEYS, { ttl: INVALID_MS });
  /** Watches the expiry of a key, even if it was not used here: it may have open streams. Null stops watching it. */
  const watch = (apiKeyId: string, expiresAtMs: number | null): void => {
    if (expiresAtMs === null) expiring.delete(apiKeyId);
    else expiring.set(apiKeyId, expiresAtMs);
  };

  return {
    find: (digest: string) => valid.get(digest),
    isExpired: ({ expiresAtMs }: KnownKey) => expiresAtMs !== null && expiresAtMs <= clock.now(),
    isInvalid: (digest: string) => invalid.has(digest),
    /** Remembers a valid key. */
    add: (digest: string, { record, endsAtMs }: FoundKey): KnownKey => {
      const { expiresAtMs } = record;
      const caller = callerFor(record, rateLimitCap);
      const key = { caller, expiresAtMs: earlier(expiresAtMs, endsAtMs) };
      valid.set(digest, key);
      watch(record.id, expiresAtMs);
      return key;
    },
    addInvalid: (digest: string) => void invalid.set(digest, true),
    /** Forgets that a key was invalid. */
    removeInvalid: (digest: string) => void invalid.delete(digest),
    /** Forgets a valid key, but still watches its expiry. */
    remove: (digest: string) => void valid.delete(digest),
    /** Forgets the tokens of a grant. Grants rarely change, so that they need no index. */
    removeTokens: (id: string): void => {
      for (const [digest, { caller }] of valid) {
        if (caller.apiKeyId === id) valid.delete(digest);
      }
    },
    watch,
    /** Forgets every key, but still watches the expiry of those used here. */
    clear: () => {
      valid.clear();
      invalid.clear();
    },
    /** Ids of keys that have expired since the last call. */
    *takeExpired(): Iterable<string> {
      for (const [id, expiresAtMs] of expiring) {
        if (expiresAtMs > clock.now()) continue;
        expiring.delete(id);
        yield id;
      }
    },
  };
}

const earlier = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

const callerFor = (record: ApiKeyRecord, rateLimitCap: number): Caller =>
  Object.freeze({
    tenantId: record.tenantId,
    tenantSlug: record.tenantSlug,
    apiKeyId: record.id,
    allowedTools: record.allowedTools,
    limits: limitsOf({
      rateLimitPerMinute: cappedRateLimit(record, rateLimitCap),
      dailyLimit: record.dailyLimit,
    }),
    ...(record.mode === 'search' && { searches: true as const }),
    ...(record.scope && { authority: { scope: record.scope, owner: record.owner ?? 'unknown' } }),
    ...(record.kind && { isGrant: true as const }),
  });

const limitsOf = (limits: KeyLimits): KeyLimits | undefined =>
  limits.rateLimitPerMinute === null && limits.dailyLimit === null
    ? undefined
    : Object.freeze(limits);
