import { BOOLEAN, TEXT } from '../../platform/input/schema.ts';
import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import { type CodedBytes, compress, withCopies } from '../../platform/kernel/coded-bytes.ts';
import { lazily } from '../../platform/kernel/lazily.ts';
import { memoizeLast } from '../../platform/kernel/memoize-last.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import type { PresetServer, Tool } from '../../tools/model.ts';
import { component } from '../json-rpc/component.ts';
import type { Route, RouteRequest } from '../route.ts';
import { encodeJson, respondCoded } from './json-response.ts';
import { MAX_PAGE, optionalText, SEARCH_QUERY } from './list-query.ts';
import { LISTED_TOOL } from './tools.ts';

/**
 * `GET /registry/servers` and `/registry/tools`: presets only, the same for every client. Only the whole lists are
 * compressed, once: anyone may ask for any part of them.
 */
export function createRegistryRoutes(catalog: Catalog): Route[] {
  const allServers = memoizeLast((servers: readonly PresetServer[]) =>
    lazily(() => compress(serversOf(servers))),
  );
  const allTools = memoizeLast((entries: readonly CatalogEntry[]) =>
    lazily(() => compress(toolsOf(entries))),
  );

  function serversUnder(prefix: unknown): Awaitable<CodedBytes> {
    const { servers } = catalog;
    if (typeof prefix !== 'string' || prefix === '') return allServers(servers)();
    return withCopies(serversOf(servers.filter(({ id }) => id.startsWith(prefix))));
  }

  function toolsFor({ limit, ...words }: RouteRequest['query']): Awaitable<CodedBytes> {
    const query = optionalText(words, 'q', 'category');
    if (limit === undefined && Object.keys(query).length === 0) {
      return allTools(catalog.presetEntries)();
    }
    const matches = catalog.search(catalog.presetEntries, query);
    const count = limit === undefined ? matches.length : Number(limit);
    return withCopies(toolsOf(matches.slice(0, count).map(({ entry }) => entry)));
  }

  return [
    {
      method: 'GET',
      path: '/registry/servers',
      operation: 'listPresetServers',
      access: 'public',
      tag: 'Registry',
      summary: 'Preset servers with their tools',
      query: {
        prefix: {
          type: 'string',
          maxLength: 100,
          description: 'Only servers whose id starts with this prefix, such as `economy/`.',
        },
      },
      responses: { 200: { description: 'The servers.', schema: SERVERS_SCHEMA } },
      handle: async ({ query, headers }) =>
        respondCoded(await serversUnder(query['prefix']), headers),
    },
    {
      method: 'GET',
      path: '/registry/tools',
      operation: 'listPresetTools',
      access: 'public',
      tag: 'Registry',
      summary: 'Tools of all preset servers',
      description: 'All tools, or those that match the query, best match first.',
      query: {
        ...SEARCH_QUERY,
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_PAGE,
          description: 'Maximum number of tools.',
        },
      },
      responses: { 200: { description: 'The tools.', schema: TOOLS_SCHEMA } },
      handle: async ({ query, headers }) => respondCoded(await toolsFor(query), headers),
    },
  ];
}

const serversOf = (servers: readonly PresetServer[]): Buffer =>
  encodeJson({ servers: servers.map(toListedServer) });

const toolsOf = (entries: readonly CatalogEntry[]): Buffer =>
  encodeJson({ tools: entries.map(({ tool }) => toListedTool(tool)) });

function toListedServer(preset: PresetServer) {
  const { id, title, filePath, baseUrl, isPublicData, tools } = preset;
  return { id, name: title, filePath, baseUrl, isPublicData, tools: tools.map(toListedTool) };
}

function toListedTool({ name, description, inputSchema, method, path }: Tool) {
  return { name, description, inputSchema, method, path };
}

const TOOLS = { type: 'array', items: component('PresetTool', LISTED_TOOL) };

const TOOLS_SCHEMA = component('PresetToolList', { tools: TOOLS });

const SERVERS_SCHEMA = component('PresetServerList', {
  servers: {
    type: 'array',
    items: component('PresetServer', {
      id: TEXT,
      name: TEXT,
      filePath: TEXT,
      baseUrl: TEXT,
      isPublicData: BOOLEAN,
      tools: TOOLS,
    }),
  },
});
