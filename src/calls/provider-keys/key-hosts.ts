import type { MaySend } from '../../access/provider-keys/provider-keys.ts';
import { memoizeLast } from '../../platform/kernel/memo.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import type { ProposalFamily } from '../../tools/proposal.ts';

type Presets = Pick<Catalog, 'presetEntries'>;

/**
 * Creates what says where APIs that tenants register may send a provider key: to the hosts of the presets that name it, to
 * those of known publishers, and where an admin of the tenant has allowed it. Every API key of a tenant registers APIs, and
 * would read the provider key with a server of its own.
 */
export function createMaySend(
  presets: Presets,
  families: readonly Pick<ProposalFamily, 'hosts'>[],
): MaySend {
  const publishers = new Set(families.flatMap(({ hosts }) => hosts));
  // Entries are replaced when presets change.
  const hostsByName = memoizeLast(readHosts);
  return ({ name, origins }, origin) => {
    if (origins.includes(origin)) return true;
    // Asked by every call: an origin is a scheme and a host as `URL` writes them.
    const host = origin.slice(origin.indexOf('//') + 2);
    return publishers.has(host) || hostsByName(presets.presetEntries).get(name)?.has(host) === true;
  };
}

/** The hosts to which presets send each key. */
function readHosts(entries: Presets['presetEntries']): ReadonlyMap<string, ReadonlySet<string>> {
  const hosts = new Map<string, Set<string>>();
  for (const { tool } of entries) {
    for (const name of tool.secrets) {
      const known = hosts.get(name) ?? new Set<string>();
      hosts.set(name, known.add(new URL(tool.baseUrl).host));
    }
  }
  return hosts;
}
