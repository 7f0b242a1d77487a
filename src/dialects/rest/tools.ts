import { BOOLEAN, INTEGER, NEXT_CURSOR, TEXT, TIME } from '../../platform/input/schema.ts';
import { whenReady } from '../../platform/kernel/awaitable.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import { pageOf } from '../../tools/catalog/catalog-page.ts';
import { inLanguage } from '../../tools/catalog/in-language.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import { component, FREE_OBJECT, refusal } from '../json-rpc/component.ts';
import { callerOf, type Route, type RouteRequest } from '../route.ts';
import {
  CURSOR_QUERY,
  LANGUAGE_QUERY,
  LIMIT_QUERY,
  languageIn,
  optionalText,
  SEARCH_QUERY,
} from './list-query.ts';

export function createToolRoutes(catalog: Catalog): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/v1/tools',
      operation: 'listTools',
      access: 'key',
      tag: 'Tools',
      summary: 'Tools that this key may use',
      description:
        'Sorted by id, or by relevance with `q`. A cursor is valid only for the query that returned it.',
      query: {
        ...SEARCH_QUERY,
        source: { enum: ['preset', 'registered'], description: 'Only tools of this source.' },
        limit: LIMIT_QUERY,
        cursor: CURSOR_QUERY,
        lang: LANGUAGE_QUERY,
      },
      responses: { 200: { description: 'A page of tools.', schema: PAGE_SCHEMA } },
      handle: (request) => {
        const list = catalog.list(callerOf(request));
        const query = optionalText(request.query, 'q', 'category', 'source');
        return whenReady(catalog.prepareSearch(list, query), () => {
          const { cursor } = optionalText(request.query, 'cursor');
          const limit = Number(request.query['limit']);
          const { entries, nextCursor } = pageOf(catalog.search(list, query), limit, cursor);
          const language = languageIn(request.query['lang']);
          const tools = entries.map((entry) => toToolRecord(inLanguage(entry, language)));
          return { status: 200, body: { tools, nextCursor } };
        });
      },
    },
    {
      method: 'GET',
      path: '/api/v1/tools/:toolId',
      operation: 'getTool',
      access: 'key',
      tag: 'Tools',
      summary: 'One tool',
      params: { toolId: 'The id, or the tool name alone.' },
      query: { lang: LANGUAGE_QUERY },
      responses: {
        200: { description: 'The tool.', schema: TOOL_SCHEMA },
        404: refusal('The API key has no such tool.'),
      },
      handle: (request) => {
        const language = languageIn(request.query['lang']);
        return {
          status: 200,
          body: toToolRecord(inLanguage(findTool(catalog, request), language)),
        };
      },
    },
  ];
}

/** The tool that a path names by id or by name. Throws `not_found` for one that the caller's key may not use. */
export function findTool(catalog: Pick<Catalog, 'findById'>, request: RouteRequest): CatalogEntry {
  const entry = catalog.findById(callerOf(request), request.params['toolId'] ?? '');
  if (!entry) throw new GatewayError('not_found', 'No such tool. GET /api/v1/tools lists all.');
  return entry;
}

/** The tool record (docs/contract.md#tools-over-rest). */
export function toToolRecord(entry: CatalogEntry) {
  const { id, description, server, category, source, createdAt, tool } = entry;
  return {
    id,
    name: tool.name,
    description,
    inputSchema: tool.inputSchema,
    annotations: tool.annotations,
    method: tool.method,
    path: tool.path,
    baseUrl: tool.baseUrl,
    server,
    category,
    source,
    visibility: source === 'registered' ? 'private' : 'public',
    isPublicData: tool.isPublicData,
    cacheTtlSeconds: tool.cacheTtlSeconds,
    createdAt,
  };
}

/** The members of a tool in the registry (docs/contract.md#registry); the tool record has them too. */
export const LISTED_TOOL = {
  name: TEXT,
  description: TEXT,
  inputSchema: { ...FREE_OBJECT, description: 'JSON Schema 2020-12 of the arguments.' },
  method: { ...TEXT, description: 'Of the upstream request.' },
  path: { ...TEXT, description: 'Of the upstream request, relative to `baseUrl`.' },
};

const TOOL_SCHEMA = component('Tool', {
  id: TEXT,
  ...LISTED_TOOL,
  annotations: FREE_OBJECT,
  baseUrl: TEXT,
  server: component('ToolServer', { id: TEXT, name: TEXT }),
  category: TEXT,
  source: { enum: ['preset', 'registered'] },
  visibility: { enum: ['public', 'private'] },
  isPublicData: BOOLEAN,
  cacheTtlSeconds: INTEGER,
  createdAt: TIME,
});

const PAGE_SCHEMA = component('ToolPage', {
  tools: { type: 'array', items: TOOL_SCHEMA },
  nextCursor: NEXT_CURSOR,
});
