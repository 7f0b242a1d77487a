import type { Catalog } from '../../tools/catalog/catalog.ts';
import { type KeyServer, keyNamesOf, serversOf } from './key-users.ts';

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
