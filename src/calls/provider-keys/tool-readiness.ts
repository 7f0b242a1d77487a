import type { Catalog } from '../../tools/catalog/catalog.ts';
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
