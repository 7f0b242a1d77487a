import type { MaySend } from '../../access/provider-keys/provider-keys.ts';
import { memoizeLast } from '../../platform/kernel/memo.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import type { ProposalFamily } from '../../tools/proposal.ts';
import { exampleCallsOf, type KeyServer, keyNamesOf, serversOf } from './key-users.ts';

/** A key that is not set. */
export interface MissingKey {
  readonly name: string;
  /** How many tools need it. */
  readonly tools: number;
  /** The page where to get it, or the site whose pages give it for one API each; null if the presets name none. */
  readonly url: string | null;
}

/** How many tools of presets can be called, and what the others wait for. */
export interface ToolReadiness {
  readonly tools: number;
  readonly ready: number;
  /** Most useful first. */
  readonly missing: readonly MissingKey[];
}

export function toolReadiness(
  presets: Pick<Catalog, 'presetEntries'>,
  isSet: (keyName: string) => boolean,
): ToolReadiness {
  const { presetEntries } = presets;
  const missing = keyNamesOf(presets)
    .filter((name) => !isSet(name))
    .map((name) => {
      const servers = serversOf(presets, name);
      return { name, tools: servers.flatMap(({ tools }) => tools).length, url: pageOf(servers) };
    });
  return {
    tools: presetEntries.length,
    ready: presetEntries.filter(({ tool }) => tool.secrets.every(isSet)).length,
    missing: missing.sort((a, b) => b.tools - a.tools || (a.name < b.name ? -1 : 1)),
  };
}

function pageOf(servers: readonly KeyServer[]): string | null {
  const pages = new Set(servers.flatMap(({ url }) => (url && URL.canParse(url) ? url : [])));
  const [page = null] = pages;
  const sites = new Set([...pages].map((url) => new URL(url).origin));
  const [site] = sites;
  return pages.size > 1 && sites.size === 1 && site ? site : page;
}

/** A call for a caller who has only an API key of the gateway. */
export interface FirstCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Today's exchange rates are easy to recognise, and change every day. */
const PREFERRED: FirstCall = {
  tool: 'frankfurter_rates',
  arguments: { base: 'USD', quotes: 'KRW,EUR' },
};

/** The call with the fewest arguments among the tools that only read and need no key; null if every tool needs more. */
export function firstCallOf({ presetEntries }: Pick<Catalog, 'presetEntries'>): FirstCall | null {
  const calls = exampleCallsOf(presetEntries.filter(({ tool }) => tool.secrets.length === 0)).map(
    ({ entry, arguments: args }) => ({ tool: entry.tool.name, arguments: args }),
  );
  if (calls.some(({ tool }) => tool === PREFERRED.tool)) return PREFERRED;
  const size = (call: FirstCall): number => Object.keys(call.arguments).length;
  return calls.sort((a, b) => size(a) - size(b) || (a.tool < b.tool ? -1 : 1))[0] ?? null;
}

type Presets = Pick<Catalog, 'presetEntries'>;

/**
 * Creates what says where APIs that tenants register may send a provider key: to the hosts of the presets that name it, to
 * hosts of known publishers, and where an admin of the tenant has allowed it. Every API key of a tenant registers APIs, and
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
