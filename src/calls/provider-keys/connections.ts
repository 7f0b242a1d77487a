import type { ProviderKeys, TenantKeys } from '../../access/provider-keys/provider-keys.ts';
import { memoizeEach } from '../../platform/kernel/memo.ts';
import type { Tool } from '../../tools/model.ts';
import type { ConnectionFor, KeyInUse, ToolConnection } from '../../tools/tool-connection.ts';
import { TENANT_IDENTITY } from '../look-up.ts';

type KeyOf = (name: string) => KeyInUse | undefined;

/**
 * Creates what chooses the keys with which a tenant calls the tools of presets: those that it has stored, else the operator's
 * where they are shared. A connection never changes, so that a response is cached under the key that fetched it.
 */
export function createConnectionFor(
  operator: ToolConnection,
  providerKeys: Pick<ProviderKeys, 'of'>,
): ConnectionFor {
  const connect = memoizeEach((keys: TenantKeys) =>
    memoizeEach((tool: Tool): ToolConnection => connectionOf(operator, keys, tool.secrets)),
  );
  return (tenantId, tool) => {
    const keys = providerKeys.of(tenantId);
    return keys && isConcerned(keys, tool.secrets) ? connect(keys)(tool) : operator;
  };
}

/** The key of a provider that a tenant sends; undefined if it has none that it may send. */
export const createKeyOf =
  (operator: KeyOf, providerKeys: Pick<ProviderKeys, 'of'>) =>
  (tenantId: string): KeyOf => {
    const keys = providerKeys.of(tenantId);
    return keys ? (name) => keyOf(operator, keys, name) : operator;
  };

const isConcerned = ({ stored, withheld }: TenantKeys, names: readonly string[]): boolean =>
  names.some((name) => stored.has(name) || withheld.has(name));

function connectionOf(
  operator: ToolConnection,
  keys: TenantKeys,
  names: readonly string[],
): ToolConnection {
  const refusal = names.map((name) => refusalOf(keys, name)).find((each) => each !== undefined);
  const { keyInUse = () => undefined } = operator;
  return {
    cacheIdentity: names.flatMap((name) => identityOf(keys, name)).join(' '),
    secrets: (name) => {
      const key = keys.stored.get(name);
      if (key) return key.value?.secret;
      return keys.withheld.has(name) ? undefined : operator.secrets(name);
    },
    keyInUse: (name) => keyOf(keyInUse, keys, name),
    sender: operator.sender,
    ...(refusal && { refusal }),
  };
}

function keyOf(
  operator: KeyOf,
  { stored, withheld }: TenantKeys,
  name: string,
): KeyInUse | undefined {
  const key = stored.get(name);
  if (key === undefined) return withheld.has(name) ? undefined : operator(name);
  const { tenantId, value } = key;
  return value ? { name, tenantId, fingerprint: value.fingerprint } : undefined;
}

/** What separates responses to the keys of one tenant from responses to the keys of others and of the operator. */
const identityOf = ({ stored, withheld }: TenantKeys, name: string): string[] => {
  const key = stored.get(name);
  if (key)
    return [`${TENANT_IDENTITY}${key.tenantId} ${name}=${key.value?.fingerprint ?? 'unreadable'}`];
  return withheld.has(name) ? [`withheld ${name}`] : [];
};

function refusalOf({ stored, withheld }: TenantKeys, name: string): string | undefined {
  const store = `PUT /api/v1/provider-keys/${name}`;
  const key = stored.get(name);
  if (key?.value === null)
    return `The key of your tenant for ${name} cannot be decrypted. Store it again: ${store}.`;
  if (key || !withheld.has(name)) return undefined;
  return `This gateway shares no key for ${name}: each tenant brings its own. Get one from the provider and store it: ${store} with {"value": "..."}.`;
}
