import type { SecretSource } from '../../platform/config/settings.ts';
import { closest } from '../../platform/kernel/closest.ts';
import { coalesce } from '../../platform/kernel/coalesce.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import { repeat } from '../../platform/kernel/time.ts';
import type { OwnKeys } from './own-keys.ts';
import type { ProviderKeyOrigin, ProviderKeySource, StoredValues } from './provider-key-source.ts';
import type { ProviderKeyStore, StoredProviderKey } from './provider-key-store.ts';

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
  /** Those of tenants, which are read whenever anything has changed. */
  readonly ownKeys: Pick<OwnKeys, 'load'>;
  /** Half the time within which every process must use a change (docs/contract.md#provider-keys). */
  readonly pollMs: number;
  /** Called with the names whose value has changed, and if a tenant's key has, in this or another process. Must not throw. */
  readonly onChanged: (names: readonly string[]) => void;
  /** Called with a key whose value cannot be decrypted. */
  readonly onUnreadable: (name: string) => void;
}

export type ProviderKeys = Awaited<ReturnType<typeof openProviderKeys>>;

/**
 * The secrets of presets, where operators set them: takes the stored keys into use, and follows their changes. Every method
 * rejects with `unavailable` while the database is away, as this does.
 */
export async function openProviderKeys(deps: ProviderKeysDeps) {
  const { store, source } = deps;
  const follow = createFollower(deps);
  await follow();
  // While the database is away, the known keys keep working.
  const stopPolling = repeat(
    () => follow().catch(() => undefined),
    () => deps.pollMs,
  );

  const stateOf = (name: string, stored: StoredProviderKey | undefined): ProviderKeyState => ({
    name,
    origin: source.originOf(name),
    isStored: typeof stored?.encrypted === 'string',
    changedAtMs: stored?.changedAtMs ?? null,
    changedBy: stored?.changedBy ?? null,
    changedByEmail: stored?.changedByEmail ?? null,
  });

  /** Keys that presets name, and those that are still stored although no preset names them; by name. */
  async function list(): Promise<ProviderKeyState[]> {
    const stored = new Map((await store.list()).map((key) => [key.name, key]));
    const abandoned = [...stored.values()].filter(({ encrypted }) => encrypted !== null);
    const names = new Set([...source.names, ...abandoned.map(({ name }) => name)]);
    return [...names].sort().map((name) => stateOf(name, stored.get(name)));
  }

  async function show(name: string): Promise<ProviderKeyState> {
    await follow();
    const stored = await store.list();
    return stateOf(
      name,
      stored.find((key) => key.name === name),
    );
  }

  return {
    /** Whether the gateway has an ENCRYPTION_KEY, without which it stores none. */
    get canStore() {
      return store.canStore;
    },
    list,
    /** Stores a value. Resolves once this process uses it. Rejects with `not_found` for a name that no preset has. */
    async set(name: string, value: Secret, actor: string): Promise<ProviderKeyState> {
      assertKnown(name, source.names);
      await store.set(name, value, actor);
      return show(name);
    },
    /** Removes a stored value. Resolves once this process no longer uses it. Rejects with `not_found`. */
    async remove(name: string, actor: string): Promise<ProviderKeyState> {
      await store.remove(name, actor);
      return show(name);
    },
    /** Takes what was changed into use at once. */
    refresh: follow,
    /** Takes other values of the environment into use. Throws what the source throws, and then changes nothing. */
    useEnvironment(environment: SecretSource): void {
      const changed = source.useEnvironment(environment);
      if (changed.length > 0) deps.onChanged(changed);
    },
    close: async () => stopPolling(),
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

/**
 * Creates what reads the stored keys if they have changed. All of them are read: there are few, and a key that was removed
 * has no row that says so. Runs one after the other, so that an earlier read cannot replace a later one.
 */
function createFollower({ store, source, ownKeys, onChanged, onUnreadable }: ProviderKeysDeps) {
  const read = createReader(store, onUnreadable);
  let version: number | undefined;
  return coalesce(async () => {
    // Read first: what is read afterwards is at least as new. Any difference counts, since a restored database has an
    // older version.
    const current = await store.version();
    if (current === version) return;
    const changed = source.use(read(await store.list()));
    const hasOther = await ownKeys.load();
    version = current;
    if (changed.length > 0 || hasOther) onChanged(changed);
  }).run;
}

/** Creates what decrypts stored keys, each value once. */
function createReader(store: ProviderKeyStore, onUnreadable: ProviderKeysDeps['onUnreadable']) {
  let known = new Map<string, { readonly encrypted: string; readonly value: Secret | null }>();

  function decrypt(name: string, encrypted: string): Secret | null {
    const before = known.get(name);
    if (before?.encrypted === encrypted) return before.value;
    try {
      return store.decrypt(name, encrypted);
    } catch {
      onUnreadable(name);
      return null;
    }
  }

  return (keys: readonly StoredProviderKey[]): StoredValues => {
    known = new Map(
      keys.flatMap(({ name, encrypted }) =>
        encrypted === null ? [] : [[name, { encrypted, value: decrypt(name, encrypted) }] as const],
      ),
    );
    return new Map([...known].map(([name, { value }]) => [name, value]));
  };
}
