import type { Insertable, Kysely, Updateable } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { ApiKeysTable, Tables } from '../../platform/database/tables.ts';
import type { KeyScope } from '../../platform/kernel/caller.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { isApiKeyText, isPersonId, newApiKeyId, newApiKeyText } from '../../platform/kernel/ids.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import type { TenantStore } from '../tenants/tenant-store.ts';
import type { AdminAction, AdminEntry } from '../trail/admin-trail.ts';
import { type Change, changeTopic, readVersion } from '../trail/change-version.ts';
import {
  type ApiKeyRecord,
  changedSince,
  digestOf,
  findByDigest,
  findById,
  findByToken,
  type KeyQuery,
  listKeys,
} from './api-key-record.ts';
import {
  assertWithinGrant,
  checkApiKey,
  columnsOf,
  type GivenLimit,
  giveRateLimit,
  type KeyChange,
  type LimitGiver,
} from './key-change.ts';

export interface ApiKeyStoreDeps extends LimitGiver {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  /** Who creates and changes keys, for the administrative trail. */
  readonly actor?: string;
  /** Who owns the keys that are created; by default, the actor. */
  readonly owner?: string | undefined;
  /** The longest that a person may let a host do something; by default, no grant is prolonged. */
  readonly grantMs?: number;
}

export interface NewApiKey extends KeyChange {
  readonly tenantId: string;
  readonly name: string;
  /** What it may manage; undefined and null = nothing. */
  readonly scope?: KeyScope | null | undefined;
}

/** Which key is meant. */
export interface KeyTarget {
  readonly id: string;
  /** A key of another tenant does not exist. */
  readonly tenantId?: string | undefined;
  /** The revision on which the decision was based. A later one is a `conflict`. */
  readonly revision?: number | undefined;
}

export type ApiKeyStore = ReturnType<typeof createApiKeyStore>;

/** Every method rejects with GatewayError `unavailable` while the database is away. */
export function createApiKeyStore(deps: ApiKeyStoreDeps) {
  const { db, clock } = deps;
  return {
    /**
     * Creates a key. This is the only time its text is available. Rejects with `invalid_arguments`, and with `unprocessable`
     * if the tenant has as many keys as it may.
     */
    create: async (key: NewApiKey): Promise<{ record: ApiKeyRecord; text: Secret }> => {
      const text = new Secret(newApiKeyText());
      return { record: await insertKey(deps, key, text), text };
    },
    /** Creates a key with a text that the operator chose, unless it exists (even if revoked). */
    ensure: (key: NewApiKey, text: Secret) => insertKey(deps, key, text),
    /** A page of keys, newest first. */
    list: (query: KeyQuery) => runQuery(() => listKeys(db, query, clock.now())),
    /** Rejects with `not_found`. */
    find: (target: KeyTarget) => runQuery(() => requireKey(db, target)),
    /** Revokes a key permanently; has no effect on a revoked key. Rejects with `not_found` and `conflict`. */
    revoke: (target: KeyTarget) => revokeKey(deps, target),
    /** Changes a key that is not revoked. Rejects with `not_found`, `invalid_arguments` and `conflict`. */
    change: (target: KeyTarget, change: KeyChange) => changeKey(deps, target, change),
    /** Replaces a key by one with a new text; the old one works for `overlapMs` more (0 to 7 days; 24 h by default). */
    rotate: (target: KeyTarget, overlapMs?: number) => rotateKey(deps, target, overlapMs),
    /** The grant of the access token with this SHA-256 in hex, in any state, and when the token ends. */
    findByToken: (digest: string) => runQuery(() => findByToken(db, digest)),
    /** The key with this SHA-256 in hex, in any state. */
    findByDigest: (digest: string) => runQuery(() => findByDigest(db, digest)),
    /** Increases with every key that is created or changed. */
    version: () => runQuery(() => readVersion(db, 'api_keys')),
    /** The keys that changed after this version. */
    changedSince: (version: number) => runQuery(() => changedSince(db, version)),
  };
}

/** Runs a change of keys in a transaction. */
export const changeKeys = <T>(
  deps: Pick<ApiKeyStoreDeps, 'db' | 'clock' | 'actor'>,
  work: (change: KeysChange) => Promise<T>,
): Promise<T> => changeTopic(deps, 'api_keys', (change) => work(toKeysChange(change, deps.actor)));

export type KeysChange = ReturnType<typeof toKeysChange>;

function toKeysChange({ db, nowMs, version, append: appendEntry }: Change, actor = 'unknown') {
  const append = (
    key: ApiKeyRecord,
    action: AdminAction,
    details: AdminEntry['details'] = describe(key),
  ): Promise<void> => appendEntry(actor, action, key.id, { tenantId: key.tenantId, details });
  const update = async (
    { id, revision }: ApiKeyRecord,
    columns: Updateable<ApiKeysTable>,
  ): Promise<ApiKeyRecord> => {
    await db
      .updateTable('api_keys')
      .set({ ...columns, revision: revision + 1, changed_version: version })
      .where('id', '=', id)
      .execute();
    return requireKey(db, { id });
  };
  return {
    db,
    nowMs,
    append,
    update,
    /** Ends a key permanently; has no effect on one that has been revoked. */
    revoke: async (
      key: ApiKeyRecord,
      action: 'key.revoked' | 'app.disconnected' | 'app.reuse_detected',
    ): Promise<ApiKeyRecord> => {
      if (key.revokedAtMs !== null) return key;
      const ended = await update(key, { revoked_at_ms: nowMs });
      await append(ended, action);
      return ended;
    },
    /** Creates a key with a row of `rowOf`. */
    insert: async (
      row: Insertable<ApiKeysTable>,
      action: 'key.created' | 'app.connected' = 'key.created',
    ): Promise<ApiKeyRecord> => {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('api_keys')
        .values({ ...row, created_version: version, changed_version: version })
        .onConflict((conflict) => conflict.column('hash').doNothing())
        .executeTakeFirst();
      const record = await findByDigest(db, row.hash);
      if (!record) throw new GatewayError('internal');
      if (numInsertedOrUpdatedRows) await append(record, action);
      return record;
    },
  };
}

/** What the trail records of a key that was created or revoked. Limits that it does not have are omitted. */
function describe(key: ApiKeyRecord): AdminEntry['details'] {
  const { name, allowedTools, expiresAtMs, mode, scope, rateLimitPerMinute, dailyLimit } = key;
  const limits = { mode, scope, rateLimitPerMinute, dailyLimit, rotatedFrom: key.rotatedFrom };
  const given = Object.entries(limits).filter(([, limit]) => limit !== null);
  return { name, allowedTools, expiresAtMs, ...Object.fromEntries(given) };
}

/** Creates the key unless one with the same text exists. Returns the one that exists now. */
async function insertKey(deps: ApiKeyStoreDeps, key: NewApiKey, text: Secret) {
  const row = rowOf(deps, { ...key, ...giveRateLimit(deps, key) }, text);
  const find = () => findByDigest(deps.db, row.hash);
  return (
    (await runQuery(find)) ??
    changeKeys(deps, async ({ db, nowMs, insert }) => {
      await makeRoom(db, key.tenantId, nowMs);
      return insert(row);
    })
  );
}

/** Characters of a key that may be shown to identify it. */
const PREFIX_LENGTH = 12;

/** The row of a new key. Throws `invalid_arguments`. */
function rowOf(
  deps: ApiKeyStoreDeps,
  key: NewApiKey & GivenLimit,
  text: Secret,
): Insertable<ApiKeysTable> {
  const { clock, actor, owner = actor } = deps;
  const keyText = text.reveal();
  if (!isApiKeyText(keyText)) {
    throw new GatewayError(
      'invalid_arguments',
      'An API key is tg_live_ followed by 43 letters and digits.',
    );
  }
  checkApiKey(key);
  assertScope(deps, key);
  if (key.scope && key.allowedTools) {
    throw new GatewayError(
      'invalid_arguments',
      'A key with a scope has no list of allowed tools: it would manage nothing.',
    );
  }
  const { allowed_tools = null, expires_at_ms = null, ...columns } = columnsOf(key);
  return {
    ...columns,
    allowed_tools,
    expires_at_ms,
    id: newApiKeyId(),
    tenant_id: key.tenantId,
    prefix: keyText.slice(0, PREFIX_LENGTH),
    hash: digestOf(keyText),
    created_at_ms: clock.now(),
    owner: owner ?? null,
    name: key.name.trim(),
    scope: key.scope ?? null,
  };
}

/** Throws `forbidden`: only an operator makes, changes and rotates keys that manage the gateway. */
function assertScope(
  { isOperator = false }: ApiKeyStoreDeps,
  { scope }: Pick<NewApiKey, 'scope'>,
): void {
  if (scope !== 'operator' || isOperator) return;
  throw new GatewayError(
    'forbidden',
    'Only an operator of the gateway may do this with a key of the scope operator.',
  );
}

/** Keys of one tenant that are stored, in any state. */
export const MAX_KEYS = 10_000;

const DAY_MS = 24 * 60 * 60 * 1000;
/** A key that ended is kept at least this long, so that every replica has noticed its end. */
const KEPT_MS = DAY_MS;

/**
 * At the bound, deletes the key that ended first. Rejects with `unprocessable` if none has ended. A key that the
 * operator chose is kept: the next start would create it again, and its revocation would be lost. So is a subject of another
 * authorization server, which has no owner.
 */
export async function makeRoom(db: Kysely<Tables>, tenantId: string, nowMs: number): Promise<void> {
  const { stored } = await db
    .selectFrom('api_keys')
    .select((eb) => eb.fn.countAll().as('stored'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow();
  if (Number(stored) < MAX_KEYS) return;
  const endedMs = nowMs - KEPT_MS;
  const ended = await db
    .selectFrom('api_keys')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('owner', '<>', 'start')
    .where((eb) => eb.or([eb('revoked_at_ms', '<', endedMs), eb('expires_at_ms', '<', endedMs)]))
    .orderBy((eb) => eb.fn.coalesce('revoked_at_ms', 'expires_at_ms'))
    .limit(1)
    .executeTakeFirst();
  if (!ended) {
    throw new GatewayError(
      'unprocessable',
      `A tenant may have ${MAX_KEYS.toLocaleString('en')} API keys. Revoke keys that are not used; a day later, new ones take their place.`,
    );
  }
  await db.deleteFrom('api_key_days').where('api_key_id', '=', ended.id).execute();
  await db.deleteFrom('api_keys').where('id', '=', ended.id).execute();
}

/** Changes a key that is not revoked: a revocation is permanent. */
async function changeKey(deps: ApiKeyStoreDeps, target: KeyTarget, change: KeyChange) {
  checkApiKey(change);
  return changeKeys(deps, async ({ db, update, append }) => {
    const before = await requireUsable(db, target);
    assertScope(deps, before);
    assertWithinGrant(before, change, deps.grantMs ?? 0);
    const given = giveRateLimit(deps, change, before);
    const after = await update(before, columnsOf({ ...change, ...given }));
    const changed = Object.entries(change).filter(([, value]) => value !== undefined);
    await append(after, 'key.changed', Object.fromEntries(changed));
    return after;
  });
}

const revokeKey = (deps: ApiKeyStoreDeps, target: KeyTarget): Promise<ApiKeyRecord> =>
  changeKeys(deps, async ({ db, revoke }) => {
    const before = await requireKey(db, target);
    if (before.revokedAtMs === null) assertRevision(before, target);
    return revoke(before, 'key.revoked');
  });

/** The key; rejects with `not_found`. */
async function requireKey(db: Kysely<Tables>, { id, tenantId }: KeyTarget): Promise<ApiKeyRecord> {
  const key = await findById(db, id);
  if (key && (tenantId === undefined || key.tenantId === tenantId)) return key;
  const text = JSON.stringify(id.slice(0, 100));
  throw new GatewayError('not_found', `There is no API key ${text}.`);
}

/** The key, if it is not revoked and nothing has changed since the target's revision. */
async function requireUsable(db: Kysely<Tables>, target: KeyTarget): Promise<ApiKeyRecord> {
  const key = await requireKey(db, target);
  if (key.revokedAtMs !== null) {
    throw new GatewayError('conflict', 'This API key is revoked. Create a new one.');
  }
  assertRevision(key, target);
  return key;
}

function assertRevision({ revision }: ApiKeyRecord, target: KeyTarget): void {
  if (target.revision === undefined || target.revision === revision) return;
  throw new GatewayError(
    'conflict',
    'This API key was changed meanwhile. Load it again before you change it.',
  );
}

const DEFAULT_OVERLAP_MS = DAY_MS;
export const MAX_OVERLAP_MS = 7 * DAY_MS;

/**
 * Creates a key with the same name, limits, tools and lifetime as another one, which ends after `overlapMs`, or at its own
 * expiry if that is earlier. Rejects with `not_found`, and with `conflict` if it is revoked or was replaced before.
 */
async function rotateKey(deps: ApiKeyStoreDeps, target: KeyTarget, overlapMs = DEFAULT_OVERLAP_MS) {
  if (!Number.isSafeInteger(overlapMs) || overlapMs < 0 || overlapMs > MAX_OVERLAP_MS) {
    throw new GatewayError(
      'invalid_arguments',
      'After a rotation, the old API key works for 0 to 7 days.',
    );
  }
  const text = new Secret(newApiKeyText());
  return changeKeys(deps, async ({ db, nowMs, insert, update, append }) => {
    const old = await requireUsable(db, target);
    if (old.kind !== null) {
      throw new GatewayError(
        'conflict',
        'A connected app has no key to rotate. Revoke it, and connect the app again.',
      );
    }
    if (old.rotatedTo !== null) {
      throw new GatewayError('conflict', `The key ${old.rotatedTo} replaces this one already.`);
    }
    await makeRoom(db, old.tenantId, nowMs);
    const record = await insert({
      ...rowOf(deps, { ...old, expiresAtMs: sameLifetime(old, nowMs) }, text),
      rotated_from: old.id,
      ...(keepsOwner(deps, old) && { owner: old.owner }),
    });
    const replaced = await update(old, {
      ...endAfter(old, nowMs, overlapMs),
      rotated_to: record.id,
    });
    const { rotatedTo, expiresAtMs } = replaced;
    await append(replaced, 'key.rotated', { rotatedTo, expiresAtMs });
    return { record, text, replaced };
  });
}

/** A key that manages for a person still does when the machine rotates it: it must end with the role of that person. */
const keepsOwner = ({ actor = '' }: ApiKeyStoreDeps, old: ApiKeyRecord): boolean =>
  old.scope !== null && !isPersonId(actor);

const sameLifetime = ({ createdAtMs, expiresAtMs }: ApiKeyRecord, nowMs: number): number | null =>
  expiresAtMs === null ? null : nowMs + Math.max(DAY_MS, expiresAtMs - createdAtMs);

function endAfter({ expiresAtMs }: ApiKeyRecord, nowMs: number, overlapMs: number) {
  if (overlapMs === 0) return { revoked_at_ms: nowMs };
  return { expires_at_ms: Math.min(expiresAtMs ?? Number.POSITIVE_INFINITY, nowMs + overlapMs) };
}

/** Gives tenant `default` the configured key (BOOTSTRAP_API_KEY, docs/contract.md#configuration). */
export async function ensureBootstrapKey(
  tenants: TenantStore,
  keys: ApiKeyStore,
  configured: Secret,
): Promise<void> {
  const { id: tenantId } = await tenants.ensure('default');
  await keys.ensure({ tenantId, name: 'bootstrap' }, configured);
}

/**
 * Creates a key with this text for tenant `default` unless it has another. Returns whether it did, also in an earlier attempt
 * whose outcome was lost with the connection to the database.
 */
export async function createFirstKey(
  tenants: TenantStore,
  keys: ApiKeyStore,
  text: Secret,
): Promise<boolean> {
  const { id: tenantId } = await tenants.ensure('default');
  const [newest] = await keys.list({ tenantId, limit: 1 });
  if (newest) return newest.id === (await keys.findByDigest(digestOf(text.reveal())))?.id;
  await keys.ensure({ tenantId, name: 'bootstrap' }, text);
  return true;
}
