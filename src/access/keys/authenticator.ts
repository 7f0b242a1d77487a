import type { Clock } from '../../platform/kernel/clock.ts';
import type { Closeable } from '../../platform/kernel/closeable.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { isApiKeyText } from '../../platform/kernel/ids.ts';
import { repeat } from '../../platform/kernel/repeat.ts';
import {
  createVersionFollower,
  type VersionFollower,
} from '../../platform/kernel/version-follower.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import type { Caller } from './caller.ts';
import type { ChangedKey } from './changed-keys.ts';
import { digestOf } from './key-text.ts';
import {
  createKnownKeys,
  type KnownKey,
  type KnownKeys,
  type KnownKeysDeps,
} from './known-keys.ts';
import { createLookUpQueue } from './look-up-queue.ts';
import type { ShownKey } from './shown-key.ts';

/** None of the callbacks may throw. */
export interface AuthenticatorDeps extends Pick<KnownKeysDeps, 'rateLimitCap'> {
  readonly store: Pick<ApiKeyStore, 'findByDigest' | 'version' | 'changedSince'>;
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
}

/** Where a key comes from. */
export interface KeyOrigin {
  /** Look-ups are shared fairly between sources. */
  readonly source: string;
  /** Called before the key is looked up in the database. Throws to refuse the look-up. */
  readonly onLookUp?: () => void;
}

/** Finds the caller of an API key. */
export interface Authenticator extends Closeable {
  /**
   * Throws or rejects with GatewayError `unauthenticated`, the same for a missing, malformed, unknown, revoked and
   * expired key. For a key that must be looked up, rejects also with `unavailable` while the database is away, and with
   * `overloaded` while too many keys wait.
   */
  authenticate(keyText: string, origin: KeyOrigin): Caller | Promise<Caller>;
  /** The caller of a valid key that is known here, without a query. `shown` belongs to the connection. */
  known(keyText: string, shown: ShownKey): Caller | undefined;
  /** Reads changes of keys now. Rejects with `unavailable` while the database is away. */
  refresh(): Promise<void>;
}

export function createAuthenticator(deps: AuthenticatorDeps): Authenticator {
  const keys = createKnownKeys(deps);
  const changes = createVersionFollower({
    readVersion: deps.store.version,
    changesSince: deps.store.changedSince,
    onChanged: (changed) => {
      for (const key of changed) applyChange(deps, keys, key);
    },
    onReset: keys.clear,
  });
  const lookUp = createLookUp(deps.store, keys, changes);

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
    authenticate: (keyText, origin) => {
      if (!isApiKeyText(keyText)) throw unauthenticated();
      const digest = digestOf(keyText);
      const key = keys.find(digest);
      return key ? callerOf(key) : lookUp(digest, origin).then(callerOf);
    },
    known: (keyText, shown) => {
      const before = shown.digestOf(keyText);
      if (before === undefined && !isApiKeyText(keyText)) return undefined;
      const digest = before ?? digestOf(keyText);
      const key = keys.find(digest);
      if (!key || keys.isExpired(key)) return undefined;
      if (before === undefined) shown.remember(keyText, digest);
      return key.caller;
    },
    refresh: changes.refresh,
    close: async () => stopPolling(),
  };
}

function applyChange(
  { onCreated, onChanged, onRevoked }: AuthenticatorDeps,
  keys: KnownKeys,
  { id, digest, change, allowedTools, expiresAtMs }: ChangedKey,
): void {
  keys.removeInvalid(digest);
  // A new key may have been used here already. What is known of it is just as new.
  if (change === 'created') {
    onCreated(id);
    return;
  }
  keys.remove(digest);
  if (change === 'changed') {
    keys.watch(id, expiresAtMs);
    onChanged(id, allowedTools);
    return;
  }
  keys.watch(id, null);
  onRevoked(id, 'revoked');
}

type LookUp = (digest: string, origin: KeyOrigin) => Promise<KnownKey>;

/** Looks keys up in the database: one query per key, however many requests show it at once. */
function createLookUp(
  store: Pick<ApiKeyStore, 'findByDigest'>,
  keys: KnownKeys,
  changes: VersionFollower,
): LookUp {
  const queue = createLookUpQueue();
  /** Bounded by the queue. */
  const inProgress = new Map<string, Promise<KnownKey>>();

  const query = async (digest: string): Promise<KnownKey> => {
    for (;;) {
      const versionBefore = changes.version ?? (await changes.start());
      const record = await store.findByDigest(digest);
      // Changes were read meanwhile, perhaps of this key. The record may be older than they are.
      if (changes.version !== versionBefore) continue;
      if (record && record.revokedAtMs === null) return keys.add(digest, record);
      keys.addInvalid(digest);
      throw unauthenticated();
    }
  };

  return (digest, origin) => {
    const running = inProgress.get(digest);
    if (running !== undefined) return running;
    if (keys.isInvalid(digest)) throw unauthenticated();
    origin.onLookUp?.();
    const result = queue
      .run(origin.source, () => query(digest))
      .finally(() => inProgress.delete(digest));
    inProgress.set(digest, result);
    return result;
  };
}

const unauthenticated = (): GatewayError => new GatewayError('unauthenticated');
