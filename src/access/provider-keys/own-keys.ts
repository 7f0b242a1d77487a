import { GatewayError } from '../../platform/kernel/error.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import type { Fingerprint } from './fingerprint.ts';
import type { KeyPolicy, OwnKeyStore, StoredOwnKey } from './own-key-store.ts';

/** The key of a tenant as calls use it. */
export interface OwnKey {
  readonly tenantId: string;
  readonly name: string;
  readonly changedAtMs: number;
  readonly changedBy: string;
  /** Where an admin of the tenant has allowed APIs that it registers to send the key. */
  readonly origins: readonly string[];
  /** Null if the value cannot be decrypted: the operator's key does not replace it. */
  readonly value: { readonly secret: Secret; readonly fingerprint: string } | null;
}

/** What a tenant sends in place of the operator's keys. Never changes: a change replaces it. */
export interface TenantKeys {
  /** By name. */
  readonly own: ReadonlyMap<string, OwnKey>;
  /** Names of the operator's keys that the tenant may not use. */
  readonly withheld: ReadonlySet<string>;
}

/** An origin to which an API that a tenant has registered sends one of its keys, if it may. */
export interface KeyDestination {
  readonly name: string;
  readonly origin: string;
}

/** Whether an API that a tenant has registered may send its key to an origin. */
export type MaySend = (key: Pick<OwnKey, 'name' | 'origins'>, origin: string) => boolean;

/** Tenant and name of a key that was stored, replaced or removed. */
export type OwnKeyId = Pick<OwnKey, 'tenantId' | 'name'>;

export interface OwnKeysDeps {
  readonly store: Pick<OwnKeyStore, 'list' | 'withheld' | 'quotas' | 'decrypt'>;
  readonly fingerprint: Fingerprint;
  /** The form in which a value is sent. */
  readonly decode: (name: string, value: Secret) => Secret;
  readonly onUnreadable: (key: OwnKeyId) => void;
}

export type OwnKeys = ReturnType<typeof createOwnKeys>;

const NO_KEYS: ReadonlyMap<string, OwnKey> = new Map();

const toOwnKey = (stored: StoredOwnKey, value: OwnKey['value']): OwnKey => {
  const { tenantId, name, changedAtMs, changedBy } = stored;
  return { tenantId, name, changedAtMs, changedBy, origins: JSON.parse(stored.origins), value };
};

/** The own keys of all tenants in memory, so that a call of a tenant without any pays for one look-up. */
export function createOwnKeys({ store, fingerprint, decode, onUnreadable }: OwnKeysDeps) {
  let read = new Map<string, { readonly stored: StoredOwnKey; readonly key: OwnKey }>();
  let byTenant: ReadonlyMap<string, TenantKeys> = new Map();
  /** Of a tenant without a key of its own. */
  let others: TenantKeys | undefined;
  let isLoaded = false;
  let quotas: ReadonlyMap<string, number> = new Map();
  const listeners: ((changed: readonly OwnKeyId[]) => void)[] = [];

  function open(stored: StoredOwnKey): OwnKey['value'] {
    try {
      const secret = decode(stored.name, store.decrypt(stored));
      // What is learned with it is the tenant's, also where another tenant has stored the same value.
      return { secret, fingerprint: `${stored.tenantId} ${fingerprint(secret)}` };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      onUnreadable(stored);
      return null;
    }
  }

  function use(stored: readonly StoredOwnKey[], names: readonly string[]): OwnKeyId[] {
    const before = read;
    read = new Map(
      stored.map((each) => {
        const id = JSON.stringify([each.tenantId, each.name]);
        const known = before.get(id);
        const isSame = known?.stored.encrypted === each.encrypted;
        if (isSame && known.stored.origins === each.origins) return [id, known];
        const value = isSame ? known.key.value : open(each);
        return [id, { stored: each, key: toOwnKey(each, value) }];
      }),
    );
    const withheld = new Set(names);
    const keys = [...read.values()].map(({ key }) => key);
    byTenant = new Map(
      [...Map.groupBy(keys, ({ tenantId }) => tenantId)].map(([tenantId, own]) => [
        tenantId,
        { own: new Map(own.map((key) => [key.name, key])), withheld },
      ]),
    );
    others = withheld.size > 0 ? { own: NO_KEYS, withheld } : undefined;
    return [...new Map([...before, ...read])]
      .filter(([id]) => read.get(id)?.stored.encrypted !== before.get(id)?.stored.encrypted)
      .map(([, { key }]) => key);
  }

  return {
    /** Undefined for a tenant that sends the operator's keys only. The same object until something changes. */
    of: (tenantId: string): TenantKeys | undefined => byTenant.get(tenantId) ?? others,
    /** Whether no tenant has stored a key. */
    isEmpty: (): boolean => byTenant.size === 0,
    /** The tenants that have stored a key. */
    tenants: (): Iterable<string> => byTenant.keys(),
    /** What the operator says of a quota, in requests a day; undefined where the preset's figure holds. */
    quotaOf: (name: string, dataset: string): number | undefined =>
      quotas.size === 0 ? undefined : quotas.get(JSON.stringify([name, dataset])),
    policyOf: (name: string): KeyPolicy => (others?.withheld.has(name) ? 'own' : 'shared'),
    /** Calls the listener with every key of a tenant that changes, in whichever process. It must not throw. */
    onChanged: (listener: (changed: readonly OwnKeyId[]) => void) => void listeners.push(listener),
    /** Takes what is stored into use; resolves with whether anything has changed. Must not run twice at once. */
    async load(): Promise<boolean> {
      const [stored, names, figures] = await Promise.all([
        store.list(),
        store.withheld(),
        store.quotas(),
      ]);
      quotas = new Map(
        figures.map(({ name, dataset, calls }) => [JSON.stringify([name, dataset]), calls]),
      );
      const withheldBefore = [...(others?.withheld ?? [])].sort().join();
      const changed = use(stored, names);
      if (isLoaded && changed.length > 0) for (const listener of listeners) listener(changed);
      isLoaded = true;
      return changed.length > 0 || withheldBefore !== [...names].sort().join();
    },
  };
}
