import { runQuery } from '../../platform/database/database-error.ts';
import { newApiKeyText } from '../../platform/kernel/ids.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import {
  type ApiKeyStoreDeps,
  changeKey,
  type KeyTarget,
  requireKey,
  revokeKey,
} from './api-key-change.ts';
import { type ApiKeyRecord, findByDigest } from './api-key-record.ts';
import { type ChangedKey, changedSince } from './changed-keys.ts';
import { insertKey, type NewApiKey } from './insert-api-key.ts';
import type { KeyChange } from './key-columns.ts';
import { readVersion } from './key-version.ts';
import { type KeyQuery, listKeys } from './list-api-keys.ts';
import { type Rotation, rotateKey } from './rotate-api-key.ts';

/** Every method rejects with GatewayError `unavailable` while the database is away. */
export interface ApiKeyStore {
  /**
   * Creates a key. This is the only time its text is available. Rejects with `invalid_arguments`, and with `unprocessable`
   * if the tenant has as many keys as it may.
   */
  create(key: NewApiKey): Promise<{ record: ApiKeyRecord; text: Secret }>;
  /** Creates a key with a text that the operator chose, unless it exists (even if revoked). */
  ensure(key: NewApiKey, text: Secret): Promise<ApiKeyRecord>;
  /** A page of keys, newest first. */
  list(query: KeyQuery): Promise<readonly ApiKeyRecord[]>;
  /** Rejects with `not_found`. */
  find(target: KeyTarget): Promise<ApiKeyRecord>;
  /** Revokes a key permanently; has no effect on a revoked key. Rejects with `not_found` and `conflict`. */
  revoke(target: KeyTarget): Promise<ApiKeyRecord>;
  /** Changes a key that is not revoked. Rejects with `not_found`, `invalid_arguments` and `conflict`. */
  change(target: KeyTarget, change: KeyChange): Promise<ApiKeyRecord>;
  /** Replaces a key by one with a new text; the old one works for `overlapMs` more (0 to 7 days; 24 h by default). */
  rotate(target: KeyTarget, overlapMs?: number): Promise<Rotation>;
  /** The key with this SHA-256 in hex, in any state. */
  findByDigest(digest: string): Promise<ApiKeyRecord | undefined>;
  /** Increases with every key that is created or changed. */
  version(): Promise<number>;
  /** The keys that changed after this version. */
  changedSince(version: number): Promise<readonly ChangedKey[]>;
}

export function createApiKeyStore(deps: ApiKeyStoreDeps): ApiKeyStore {
  const { db, clock } = deps;
  return {
    create: async (key) => {
      const text = new Secret(newApiKeyText());
      return { record: await runQuery(() => insertKey(deps, key, text)), text };
    },
    ensure: (key, text) => runQuery(() => insertKey(deps, key, text)),
    list: (query) => runQuery(() => listKeys(db, query, clock.now())),
    find: (target) => runQuery(() => requireKey(db, target)),
    revoke: (target) => runQuery(() => revokeKey(deps, target)),
    change: (target, change) => runQuery(() => changeKey(deps, target, change)),
    rotate: (target, overlapMs) => runQuery(() => rotateKey(deps, target, overlapMs)),
    findByDigest: (digest) => runQuery(() => findByDigest(db, digest)),
    version: () => runQuery(() => readVersion(db)),
    changedSince: (version) => runQuery(() => changedSince(db, version)),
  };
}
