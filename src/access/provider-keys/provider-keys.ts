import type { SecretSource } from '../../platform/config/settings.ts';
import { closest } from '../../platform/kernel/closest.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { coalesce } from '../../platform/kernel/memo.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import { repeat } from '../../platform/kernel/time.ts';
import type { ProviderKeyOrigin, ProviderKeySource } from './provider-key-source.ts';
import {
  type Fingerprint,
  type KeyPolicy,
  OPERATOR,
  type ProviderKeyId,
  type ProviderKeyStore,
  type StoredProviderKey,
} from './provider-key-store.ts';

/** A stored key as calls use it. Never changes: a change replaces it. */
export interface ProviderKey extends ProviderKeyId {
  readonly changedAtMs: number;
  /** Where an admin of the tenant has allowed APIs that it registers to send the key. */
  readonly origins: readonly string[];
  readonly encrypted: string;
  /** The same object until the value changes; null if it cannot be decrypted. */
  readonly value: { readonly secret: Secret; readonly fingerprint: string } | null;
}

/** What a tenant sends in place of the operator's keys. Never changes: a change replaces it. */
export interface TenantKeys {
  /** The keys that the tenant has stored, by name. The operator's replaces none that cannot be decrypted. */
  readonly stored: ReadonlyMap<string, ProviderKey>;
  /** Names of the operator's keys that the tenant may not use. */
  readonly withheld: ReadonlySet<string>;
}

/** An origin to which an API that a tenant has registered sends one of its keys, if it may. */
export interface KeyDestination {
  readonly name: string;
  readonly origin: string;
}

/** Whether an API that a tenant has registered may send its key to an origin. */
export type MaySend = (key: Pick<ProviderKey, 'name' | 'origins'>, origin: string) => boolean;

/** A provider key as an operator sees it. Its value is never shown. */
export interface ProviderKeyState {
  readonly name: string;
  readonly origin: ProviderKeyOrigin;
  /** Whether a value is stored, which the environment may override. */
  readonly isStored: boolean;
  /** Null for a key that was never stored. */
  readonly changedAtMs: number | null;
  readonly changedBy: string | null;
  readonly changedByEmail: string | null;
}

export interface ProviderKeysDeps {
  readonly store: ProviderKeyStore;
  readonly source: ProviderKeySource;
  readonly fingerprint: Fingerprint;
  /** Half the time within which every process must use a change (docs/contract.md#provider-keys). */
  readonly pollMs: number;
  /** Called with a key whose value cannot be decrypted. */
  readonly onUnreadable: (key: ProviderKeyId) => void;
}

export type ProviderKeys = Awaited<ReturnType<typeof openProviderKeys>>;

/**
 * The provider keys of the operator and of tenants: takes what is stored into use, and follows its changes. Every change
 * resolves once this process uses it, and rejects with `unavailable` while the database is away, as this does.
 */
export async function openProviderKeys(deps: ProviderKeysDeps) {
  const { store, source } = deps;
  const inUse = createKeysInUse(deps);
  const listeners: ((changed: readonly ProviderKeyId[]) => void)[] = [];
  const tell = (changed: readonly ProviderKeyId[]): void => {
    for (const listener of listeners) listener(changed);
  };
  let version: number | undefined;
  // One run after the other, so that an earlier read cannot replace a later one.
  const follow = coalesce(async () => {
    // Read first: what is read afterwards is at least as new. Any difference counts, since a restored database has an
    // older version.
    const current = await store.version();
    if (current === version) return;
    const { changed, hasOtherPolicies } = inUse.use(await store.read());
    version = current;
    if (changed.length > 0 || hasOtherPolicies) tell(changed);
  }).run;
  await follow();
  // While the database is away, the known keys keep working.
  const stopPolling = repeat(
    () => follow().catch(() => undefined),
    () => deps.pollMs,
  );
  const apply = async <T>(change: Promise<T>): Promise<T> => {
    const result = await change;
    await follow();
    return result;
  };

  return {
    of: inUse.of,
    tenants: inUse.tenants,
    quotaOf: inUse.quotaOf,
    policyOf: inUse.policyOf,
    /** Whether the gateway has an ENCRYPTION_KEY, without which it stores none. */
    get canStore() {
      return store.canStore;
    },
    /**
     * Calls the listener with the keys whose value changes, in this or another process, and with none if only a policy
     * does. It must not throw.
     */
    onChanged: (listener: (changed: readonly ProviderKeyId[]) => void) =>
      void listeners.push(listener),
    /** The operator's keys: those that presets name, and those that are still stored although no preset does; by name. */
    async list(): Promise<ProviderKeyState[]> {
      const stored = await store.list(OPERATOR);
      const abandoned = stored.filter(({ encrypted }) => encrypted !== null);
      const names = new Set([...source.names, ...abandoned.map(({ name }) => name)]);
      return [...names].sort().map((name) => stateOf(source, stored, name));
    },
    /** One key of the operator. */
    show: async (name: string): Promise<ProviderKeyState> =>
      stateOf(source, await store.list(OPERATOR), name),
    /** Stores a value; resolves with whether there was none. Rejects with `not_found` for a name that no preset has. */
    async set(key: ProviderKeyId, value: Secret, actor: string): Promise<boolean> {
      assertKnown(key.name, source.names);
      return apply(store.set(key, value, actor));
    },
    /** Removes a stored value, also of a name that no preset has any more. Rejects with `not_found` without one. */
    async remove(key: ProviderKeyId, actor: string): Promise<void> {
      if (!inUse.isStored(key)) assertKnown(key.name, source.names);
      return apply(store.remove(key, actor));
    },
    /** Says where registered APIs may send the key of a tenant. Rejects with `not_found` if it has stored none. */
    async setOrigins(key: ProviderKeyId, origins: readonly string[], actor: string) {
      assertKnown(key.name, source.names);
      return apply(store.setOrigins(key, [...new Set(origins)], actor));
    },
    /** Says who may use the operator's key. Rejects with `not_found` for a name that no preset has. */
    async setPolicy(name: string, policy: KeyPolicy, actor: string): Promise<void> {
      assertKnown(name, source.names);
      return apply(store.setPolicy(name, policy, actor));
    },
    setQuota: (...quota: Parameters<ProviderKeyStore['setQuota']>): Promise<void> =>
      apply(store.setQuota(...quota)),
    /** Takes other values of the environment into use. Throws what the source throws, and then changes nothing. */
    useEnvironment(environment: SecretSource): void {
      const names = source.useEnvironment(environment);
      if (names.length > 0) tell(names.map(operatorsKey));
    },
    close: async () => stopPolling(),
  };
}

const operatorsKey = (name: string): ProviderKeyId => ({ tenantId: OPERATOR, name });

function stateOf(
  source: ProviderKeySource,
  stored: readonly StoredProviderKey[],
  name: string,
): ProviderKeyState {
  const key = stored.find((each) => each.name === name);
  return {
    name,
    origin: source.originOf(name),
    isStored: typeof key?.encrypted === 'string',
    changedAtMs: key?.changedAtMs ?? null,
    changedBy: key?.changedBy ?? null,
    changedByEmail: key?.changedByEmail ?? null,
  };
}

/** Throws `not_found` for a name that no preset gives in `x-secret`. */
export function assertKnown(name: string, names: readonly string[]): void {
  if (names.includes(name)) return;
  const meant = closest(name, names);
  const help = meant ? `Did you mean ${meant}?` : `Names: ${names.join(', ') || 'none'}.`;
  throw new GatewayError(
    'not_found',
    `No preset needs a key ${JSON.stringify(name.slice(0, 100))}. ${help}`,
  );
}

type Stored = Awaited<ReturnType<ProviderKeyStore['read']>>;

const NO_KEYS: ReadonlyMap<string, ProviderKey> = new Map();

/** Tenants have no blanks in their ids. */
const textOf = ({ tenantId, name }: ProviderKeyId): string => `${tenantId} ${name}`;

/** The stored keys in memory, so that a call of a tenant without any pays for one look-up. */
function createKeysInUse(deps: ProviderKeysDeps) {
  let keys = NO_KEYS;
  let byTenant: ReadonlyMap<string, TenantKeys> = new Map();
  /** Of a tenant without a key of its own. */
  let others: TenantKeys | undefined;
  let quotas: ReadonlyMap<string, number> = new Map();
  return {
    /** Undefined for a tenant that sends the operator's keys only. The same object until something changes. */
    of: (tenantId: string): TenantKeys | undefined => byTenant.get(tenantId) ?? others,
    /** The tenants that have stored a key. */
    tenants: (): readonly string[] => [...byTenant.keys()],
    isStored: (key: ProviderKeyId): boolean => keys.has(textOf(key)),
    /** What the operator says of a quota, in requests a day; undefined where the preset's figure holds. */
    quotaOf: (name: string, dataset: string): number | undefined =>
      quotas.size === 0 ? undefined : quotas.get(JSON.stringify([name, dataset])),
    policyOf: (name: string): KeyPolicy => (others?.withheld.has(name) ? 'own' : 'shared'),
    /** Takes what is stored into use. Returns the keys whose value has changed. */
    use(stored: Stored) {
      const before = { keys, withheld: [...(others?.withheld ?? [])] };
      keys = readKeys(deps, stored.keys, before.keys);
      quotas = new Map(
        stored.quotas.map(({ name, dataset, calls }) => [JSON.stringify([name, dataset]), calls]),
      );
      const withheld = new Set(stored.withheld);
      others = withheld.size > 0 ? { stored: NO_KEYS, withheld } : undefined;
      const byOwner = Map.groupBy(keys.values(), ({ tenantId }) => tenantId);
      const operators = byOwner.get(OPERATOR) ?? [];
      byOwner.delete(OPERATOR);
      byTenant = new Map(
        [...byOwner].map(([tenantId, own]) => [
          tenantId,
          { stored: new Map(own.map((key) => [key.name, key])), withheld },
        ]),
      );
      const names = deps.source.use(
        new Map(operators.map(({ name, value }) => [name, value?.secret ?? null])),
      );
      return {
        changed: [...names.map(operatorsKey), ...changesOfTenants(before.keys, keys)],
        hasOtherPolicies: before.withheld.join() !== stored.withheld.join(),
      };
    },
  };
}

/** Decrypts stored keys, each value once. */
function readKeys(
  { store, source, fingerprint, onUnreadable }: ProviderKeysDeps,
  stored: readonly StoredProviderKey[],
  before: ReadonlyMap<string, ProviderKey>,
): ReadonlyMap<string, ProviderKey> {
  function open(key: ProviderKeyId, encrypted: string): ProviderKey['value'] {
    try {
      const secret = source.decode(key.name, store.decrypt(key, encrypted));
      // What is learned with a tenant's key is that tenant's, also where another one has stored the same value.
      const owner = key.tenantId && `${key.tenantId} `;
      return { secret, fingerprint: owner + fingerprint(secret) };
    } catch {
      onUnreadable(key);
      return null;
    }
  }

  return new Map(
    stored.flatMap(({ tenantId, name, changedAtMs, origins, encrypted }) => {
      if (encrypted === null) return [];
      const id = { tenantId, name };
      const known = before.get(textOf(id));
      const value = known?.encrypted === encrypted ? known.value : open(id, encrypted);
      const key = { ...id, changedAtMs, origins: JSON.parse(origins), encrypted, value };
      return [[textOf(id), key]];
    }),
  );
}

/** The keys of tenants that were stored, replaced or removed. */
const changesOfTenants = (
  before: ReadonlyMap<string, ProviderKey>,
  after: ReadonlyMap<string, ProviderKey>,
): ProviderKeyId[] =>
  [...new Map([...before, ...after])].flatMap(([id, key]) =>
    key.tenantId !== OPERATOR && before.get(id)?.encrypted !== after.get(id)?.encrypted ? key : [],
  );
