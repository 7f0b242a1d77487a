import { whenReady } from '../../platform/kernel/awaitable.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import { pageOf } from '../../tools/catalog/catalog-page.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import {
  BOOLEAN,
  component,
  FREE_OBJECT,
  INTEGER,
  NEXT_CURSOR,
  TEXT,
  TIME,
} from '../json-rpc/component.ts';
import { callerOf, type Route } from '../route.ts';
import { findTool } from './find-tool.ts';
import { LISTED_TOOL } from './listed-tool.ts';
import { CURSOR_QUERY, LIMIT_QUERY, optionalText } from './paging.ts';
import { refusal } from './refusals.ts';
import { SEARCH_QUERY } from './search-query.ts';

/** `GET /api/v1/tools` and `/api/v1/tools/:toolId`. */
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
      },
      responses: { 200: { description: 'A page of tools.', schema: PAGE_SCHEMA } },
      handle: (request) => {
        const list = catalog.list(callerOf(request));
        const query = optionalText(request.query, 'q', 'category', 'source');
        return whenReady(catalog.prepareSearch(list, query), () => {
          const { limit, cursor } = request.query;
          const matches = catalog.search(list, query);
          const page = pageOf(matches, Number(limit), optionalText({ cursor }, 'cursor').cursor);
          const tools = page.entries.map(toToolRecord);
          return { status: 200, body: { tools, nextCursor: page.nextCursor } };
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
      responses: {
        200: { description: 'The tool.', schema: TOOL_SCHEMA },
        404: refusal('The API key has no such tool.'),
      },
      handle: (request) => ({ status: 200, body: toToolRecord(findTool(catalog, request)) }),
    },
  ];
}

/** The tool record (docs/contract.md#tools-over-rest). */
export function toToolRecord(entry: CatalogEntry) {
  const { tool } = entry;
  return {
    id: entry.id,
    name: tool.name,
    description: entry.description,
    inputSchema: tool.inputSchema,
    annotations: tool.annotations,
    method: tool.method,
    path: tool.path,
    baseUrl: tool.baseUrl,
    server: entry.server,
    category: entry.category,
    source: entry.source,
    visibility: entry.visibility,
    isPublicData: tool.isPublicData,
    cacheTtlSeconds: tool.cacheTtlSeconds,
    createdAt: entry.createdAt,
  };
}

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
