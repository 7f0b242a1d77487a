import { MAX_SEARCH_LENGTH } from '../../tools/search/search-entries.ts';
import { component, FREE_OBJECT, INTEGER, TEXT } from '../json-rpc/component.ts';
import { MAX_LIST_LIMIT } from '../json-rpc/list-limit.ts';
import type { RouteDescription, RouteExamples } from '../route.ts';
import { RESULT_EXAMPLE, RESULT_SCHEMA } from './describe-result.ts';

export const JSON_RPC = { const: '2.0' };
export const MESSAGE_ID = { type: ['string', 'number', 'null'], description: 'Of the request.' };
export const CLIENT_ID = {
  ...TEXT,
  description: 'Client stream that alone receives the event of this call.',
};

const REQUEST_SCHEMA = component(
  'JsonRpcRequest',
  {
    jsonrpc: JSON_RPC,
    id: {
      ...MESSAGE_ID,
      description: 'Echoed in the response. A request without it gets no response.',
    },
    method: { enum: ['tools/list', 'tools/call'] },
    params: {
      type: 'object',
      description:
        'For `tools/call`: the tool and its arguments. For `tools/list`: filters, or nothing to list every tool.',
      properties: {
        name: { ...TEXT, description: 'Name of the tool.' },
        arguments: { ...FREE_OBJECT, description: 'They fit the `inputSchema` of the tool.' },
        _clientId: CLIENT_ID,
        category: { ...TEXT, description: 'Only tools of this category.' },
        query: {
          ...TEXT,
          maxLength: MAX_SEARCH_LENGTH,
          description: 'Words to find, in English or Korean. The best match comes first.',
        },
        limit: {
          ...INTEGER,
          minimum: 1,
          maximum: MAX_LIST_LIMIT,
          description: 'Maximum number of tools.',
        },
      },
    },
  },
  ['id', 'params'],
);

const LIST_SCHEMA = component('ToolList', {
  tools: {
    type: 'array',
    items: component('ListedTool', {
      name: TEXT,
      description: TEXT,
      inputSchema: { ...FREE_OBJECT, description: 'JSON Schema 2020-12 of the arguments.' },
      annotations: FREE_OBJECT,
    }),
  },
});

export const ERROR_SCHEMA = component(
  'JsonRpcError',
  { code: INTEGER, message: TEXT, data: FREE_OBJECT },
  ['data'],
);

/** A response has a `result` or an `error`. */
const RESPONSE_SCHEMA = component(
  'JsonRpcResponse',
  {
    jsonrpc: JSON_RPC,
    id: MESSAGE_ID,
    result: {
      anyOf: [RESULT_SCHEMA, LIST_SCHEMA],
      description: 'The result of the call, or the tools.',
    },
    error: ERROR_SCHEMA,
  },
  ['result', 'error'],
);

const REQUEST_EXAMPLES: RouteExamples = {
  'tools/call': {
    summary: 'Call a tool',
    value: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'frankfurter_rates', arguments: { base: 'USD', quotes: 'KRW' } },
    },
  },
  'tools/list': {
    summary: 'Find tools',
    value: {
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/list',
      params: { query: 'exchange rates', limit: 3 },
    },
  },
};

const RESPONSE_EXAMPLES: RouteExamples = {
  'tools/call': {
    summary: 'The result of a call',
    value: { jsonrpc: '2.0', id: 1, result: RESULT_EXAMPLE },
  },
  'tools/list': {
    summary: 'The tools that match',
    value: {
      jsonrpc: '2.0',
      id: 2,
      result: {
        tools: [
          {
            name: 'frankfurter_rates',
            description: 'Exchange rates against one base currency, for one day or a period.',
            inputSchema: { type: 'object', properties: { base: { type: 'string' } } },
            annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: true },
          },
        ],
      },
    },
  },
  error: {
    summary: 'An error',
    value: {
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32602, message: 'Unknown tool "frankfurter_rate".' },
    },
  },
};

/** The description of `POST /mcp` in `/openapi.json`. */
export const MCP_DESCRIPTION: RouteDescription = {
  method: 'POST',
  path: '/mcp',
  operation: 'sendJsonRpc',
  access: 'key',
  tag: 'JSON-RPC',
  summary: 'List tools and run them',
  description:
    'JSON-RPC 2.0 with the methods `tools/list` and `tools/call`. Every JSON-RPC response has HTTP status 200, errors too; only a body that is not JSON gets 400. A batch is an array of at most 50 requests, and gets an array of responses; a request without `id` is a notification and gets 202. MCP clients of every revision use the same address; the headers of the protocol distinguish them. `?category=`, `?tools=` (comma-separated names or patterns) and `?toolset=` in the address narrow what a client sees and may call; `?mode=search` lists four tools that search, describe and call the others.',
  body: { schema: REQUEST_SCHEMA, examples: REQUEST_EXAMPLES },
  responses: {
    200: {
      description: 'A JSON-RPC response.',
      schema: RESPONSE_SCHEMA,
      examples: RESPONSE_EXAMPLES,
    },
    202: { description: 'Only notifications were sent.' },
    400: {
      description: 'The body is not JSON (error `-32700`), or the address names what is unknown.',
      schema: RESPONSE_SCHEMA,
    },
  },
};
