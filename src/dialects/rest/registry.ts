import { BOOLEAN, TEXT } from '../../platform/input/schema.ts';
import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import { type CodedBytes, compress, withCopies } from '../../platform/kernel/coded-bytes.ts';
import { lazily, memoizeLast } from '../../platform/kernel/memo.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import { inLanguage, type Language, serverInLanguage } from '../../tools/catalog/in-language.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import type { PresetServer, Tool } from '../../tools/model.ts';
import { component } from '../json-rpc/component.ts';
import type { Route, RouteRequest } from '../route.ts';
import { encodeJson, respondCoded } from './json-response.ts';
import { LANGUAGE_QUERY, languageIn, MAX_PAGE, optionalText, SEARCH_QUERY } from './list-query.ts';
import { LISTED_TOOL } from './tools.ts';

/**
 * `GET /registry/servers` and `/registry/tools`: presets only, the same for every client. Only the whole lists are
 * compressed, once: anyone may ask for any part of them.
 */
export function createRegistryRoutes(catalog: Catalog): Route[] {
  const allServers = memoizeLast((servers: readonly PresetServer[]) =>
    inEach((language) => compress(serversOf(servers, language))),
  );
  const allTools = memoizeLast((entries: readonly CatalogEntry[]) =>
    inEach((language) => compress(toolsOf(entries, language))),
  );

  function serversUnder({ prefix, lang }: RouteRequest['query']): Awaitable<CodedBytes> {
    const { servers } = catalog;
    const language = languageIn(lang);
    if (typeof prefix !== 'string' || prefix === '') return allServers(servers)[language]();
    return withCopies(
      serversOf(
        servers.filter(({ id }) => id.startsWith(prefix)),
        language,
      ),
    );
  }

  function toolsFor({ limit, lang, ...words }: RouteRequest['query']): Awaitable<CodedBytes> {
    const query = optionalText(words, 'q', 'category');
    const language = languageIn(lang);
    if (limit === undefined && Object.keys(query).length === 0) {
      return allTools(catalog.presetEntries)[language]();
    }
    const matches = catalog.search(catalog.presetEntries, query);
    const count = limit === undefined ? matches.length : Number(limit);
    const found = matches.slice(0, count).map(({ entry }) => entry);
    return withCopies(toolsOf(found, language));
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
        lang: LANGUAGE_QUERY,
      },
      responses: { 200: { description: 'The servers.', schema: SERVERS_SCHEMA } },
      handle: async ({ query, headers }) => respondCoded(await serversUnder(query), headers),
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
        lang: LANGUAGE_QUERY,
      },
      responses: { 200: { description: 'The tools.', schema: TOOLS_SCHEMA } },
      handle: async ({ query, headers }) => respondCoded(await toolsFor(query), headers),
    },
  ];
}

/** A list in each language, made when it is first asked for. */
const inEach = <T>(make: (language: Language) => Promise<T>) => ({
  en: lazily(() => make('en')),
  ko: lazily(() => make('ko')),
});

const serversOf = (servers: readonly PresetServer[], language: Language): Buffer =>
  encodeJson({
    servers: servers.map((server) => toListedServer(serverInLanguage(server, language))),
  });

const toolsOf = (entries: readonly CatalogEntry[], language: Language): Buffer =>
  encodeJson({ tools: entries.map((entry) => toListedEntry(inLanguage(entry, language))) });

/** With what is known of the operator's keys, as in `tools/list`. */
const toListedEntry = ({ tool, description }: CatalogEntry) => ({
  ...toListedTool(tool),
  description,
});

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
