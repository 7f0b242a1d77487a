import type { SecretSource } from '../../platform/config/settings.ts';
import type { Secret } from '../../platform/kernel/secret.ts';

/** Where the value of a provider key comes from; `unreadable` is stored, but cannot be decrypted. */
export type ProviderKeyOrigin = 'environment' | 'stored' | 'sandbox' | 'unreadable' | 'missing';

export interface ProviderKeySourceDeps {
  /** The names that presets give in `x-secret`. */
  readonly names: readonly string[];
  readonly environment: SecretSource;
  /** What the sandbox accepts for a key that is set nowhere else. */
  readonly sandboxSecret?: Secret | undefined;
  /** The form in which a value is sent. */
  readonly decode: (name: string, value: Secret) => Secret;
}

/** Former values of one key that stay hidden. */
const MAX_FORMER = 8;

export type ProviderKeySource = ReturnType<typeof createProviderKeySource>;

/**
 * The secrets of presets as this process uses them. The environment wins over what is stored. A call reads them from a
 * map that is replaced with every change, so that stored keys cost it nothing.
 */
export function createProviderKeySource(deps: ProviderKeySourceDeps) {
  const { sandboxSecret, decode } = deps;
  let { names, environment } = deps;
  const readGiven = (from: SecretSource, wanted: readonly string[]): ReadonlyMap<string, Secret> =>
    new Map(
      wanted.flatMap((name) => {
        const value = from(name);
        return value?.reveal() ? [[name, decode(name, value)] as const] : [];
      }),
    );

  let given = readGiven(environment, names);
  /** In the form in which they are sent; null for one that cannot be decrypted. */
  let stored: ReadonlyMap<string, Secret | null> = new Map();
  /** Names that the presets before these gave. */
  let earlier: readonly string[] = [];
  const former = new Map<string, readonly Secret[]>();
  let origins = new Map<string, ProviderKeyOrigin>();
  let current = new Map<string, Secret>();

  function choose(name: string): [ProviderKeyOrigin, Secret | undefined] {
    if (!names.includes(name)) {
      return ['missing', earlier.includes(name) ? current.get(name) : undefined];
    }
    const fromEnvironment = given.get(name);
    if (fromEnvironment) return ['environment', fromEnvironment];
    const value = stored.get(name);
    if (value) return ['stored', value];
    if (value === null) return ['unreadable', undefined];
    return sandboxSecret ? ['sandbox', sandboxSecret] : ['missing', undefined];
  }

  function chooseAll(): string[] {
    const known = new Set([...names, ...current.keys()]);
    const chosen = [...known].map((name) => [name, ...choose(name)] as const);
    const next = new Map<string, Secret>();
    const changed: string[] = [];
    for (const [name, , value] of chosen) {
      const before = current.get(name);
      const isSame = before?.reveal() === value?.reveal();
      const kept = isSame ? before : value;
      if (kept) next.set(name, kept);
      if (isSame) continue;
      changed.push(name);
      if (before) former.set(name, [before, ...(former.get(name) ?? [])].slice(0, MAX_FORMER));
    }
    origins = new Map(chosen.map(([name, origin]) => [name, origin]));
    current = next;
    return changed;
  }

  chooseAll();
  return {
    get names() {
      return names;
    },
    /** The same object for the same value, as redaction relies on. */
    secretOf: (name: string) => current.get(name),
    /** Values that were in use since the start and are no longer: requests under way may still have sent them. */
    formerOf: (name: string) => former.get(name) ?? [],
    originOf: (name: string) => origins.get(name) ?? 'missing',
    decode,
    /** Takes the stored values into use. Returns the names whose value has changed. */
    use: (values: ReadonlyMap<string, Secret | null>) => {
      stored = values;
      return chooseAll();
    },
    /** Takes other values of the environment into use. Returns the names whose value has changed. Changes nothing if it throws. */
    useEnvironment: (from: SecretSource) => {
      given = readGiven(from, names);
      environment = from;
      return chooseAll();
    },
    /**
     * Takes the names that other presets give. The values of names that are dropped remain readable until the next time:
     * calls under way send them. Changes nothing if the environment throws.
     */
    useNames: (wanted: readonly string[]) => {
      given = readGiven(environment, wanted);
      earlier = names;
      names = wanted;
      chooseAll();
    },
  };
}
