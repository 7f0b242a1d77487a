import type { Catalog } from '../../tools/catalog/catalog.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import type { PresetServer, Tool } from '../../tools/model.ts';
import type { Route, RouteRequest } from '../route.ts';
import { respondTagged, type TaggedBytes, tagged } from './json-response.ts';
import { MAX_PAGE, optionalText } from './paging.ts';
import { SEARCH_QUERY } from './search-query.ts';

/** `GET /registry/servers` and `/registry/tools`: presets only, the same for every client. */
export function createRegistryRoutes(catalog: Catalog): Route[] {
  const servers = catalog.servers.map((preset) => ({ preset, listed: toListedServer(preset) }));
  const allServers = tagged({ servers: servers.map(({ listed }) => listed) });
  const allTools = toolsOf(catalog.presetEntries);

  function serversUnder(prefix: unknown): TaggedBytes {
    if (typeof prefix !== 'string' || prefix === '') return allServers;
    const under = servers.filter(({ preset }) => preset.id.startsWith(prefix));
    return tagged({ servers: under.map(({ listed }) => listed) });
  }

  function toolsFor({ limit, ...words }: RouteRequest['query']): TaggedBytes {
    const query = optionalText(words, 'q', 'category');
    if (limit === undefined && Object.keys(query).length === 0) return allTools;
    const matches = catalog.search(catalog.presetEntries, query);
    const count = limit === undefined ? matches.length : Number(limit);
    return toolsOf(matches.slice(0, count).map(({ entry }) => entry));
  }

  return [
    {
      method: 'GET',
      path: '/registry/servers',
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
      handle: (request) => respondTagged(serversUnder(request.query['prefix']), request),
    },
    {
      method: 'GET',
      path: '/registry/tools',
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
      handle: (request) => respondTagged(toolsFor(request.query), request),
    },
  ];
}

const toolsOf = (entries: readonly CatalogEntry[]): TaggedBytes =>
  tagged({ tools: entries.map(({ tool }) => toListedTool(tool)) });

/** A preset server as listed (docs/contract.md#registry). */
function toListedServer(preset: PresetServer) {
  const { id, title, filePath, baseUrl, isPublicData, tools } = preset;
  return { id, name: title, filePath, baseUrl, isPublicData, tools: tools.map(toListedTool) };
}

/** A tool as listed in the registry (docs/contract.md#registry). */
function toListedTool({ name, description, inputSchema, method, path }: Tool) {
  return { name, description, inputSchema, method, path };
}

const TOOLS_SCHEMA = {
  type: 'object',
  properties: {
    tools: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          description: { type: 'string' },
          inputSchema: { type: 'object' },
          method: { type: 'string' },
          path: { type: 'string' },
        },
      },
    },
  },
};

const SERVERS_SCHEMA = {
  type: 'object',
  properties: {
    servers: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          name: { type: 'string' },
          filePath: { type: 'string' },
          baseUrl: { type: 'string' },
          isPublicData: { type: 'boolean' },
          ...TOOLS_SCHEMA.properties,
        },
      },
    },
  },
};
