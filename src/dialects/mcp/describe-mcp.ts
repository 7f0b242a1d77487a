import { MAX_SEARCH_LENGTH } from '../../tools/search/search-entries.ts';
import { MAX_LIST_LIMIT } from '../json-rpc/list-limit.ts';
import type { Route } from '../route.ts';

/** The description of `POST /mcp` in `/openapi.json`. */
export const MCP_DESCRIPTION: Omit<Route, 'handle'> = {
  method: 'POST',
  path: '/mcp',
  access: 'key',
  tag: 'JSON-RPC',
  summary: 'List tools and run them',
  description:
    'JSON-RPC 2.0 with the methods `tools/list` and `tools/call`. Every JSON-RPC response has HTTP status 200, errors too; only a body that is not JSON gets 400. A batch has at most 50 entries; a request without `id` is a notification and gets 202. MCP clients of every revision use the same address; the headers of the protocol distinguish them. `?category=`, `?tools=` (comma-separated names or patterns) and `?toolset=` in the address narrow what a client sees and may call; `?mode=search` lists four tools that search, describe and call the others.',
  body: {
    type: 'object',
    required: ['jsonrpc', 'method'],
    properties: {
      jsonrpc: { const: '2.0' },
      id: { type: ['string', 'number', 'null'] },
      method: { enum: ['tools/list', 'tools/call'] },
      params: {
        type: 'object',
        description:
          'For `tools/call`: the tool and its arguments. For `tools/list`: filters, or nothing to list every tool.',
        properties: {
          name: { type: 'string' },
          arguments: { type: 'object' },
          _clientId: {
            type: 'string',
            description: 'Client stream that alone receives the event of this call.',
          },
          category: { type: 'string', description: 'Only tools of this category.' },
          query: {
            type: 'string',
            maxLength: MAX_SEARCH_LENGTH,
            description: 'Words to find, in English or Korean. The best match comes first.',
          },
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: MAX_LIST_LIMIT,
            description: 'Maximum number of tools.',
          },
        },
      },
    },
    examples: [
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'frankfurter_rates', arguments: { base: 'USD', quotes: 'KRW' } },
      },
    ],
  },
  responses: {
    200: {
      description: 'A JSON-RPC response, or an array of them.',
      schema: {
        type: 'object',
        properties: {
          jsonrpc: { const: '2.0' },
          id: { type: ['string', 'number', 'null'] },
          result: {
            type: 'object',
            description: 'The tools, or the result of the call.',
            properties: {
              tools: { type: 'array', items: { type: 'object' } },
              tool: { type: 'string' },
              upstream: {
                type: 'object',
                properties: {
                  method: { type: 'string' },
                  url: { type: 'string' },
                  status: { type: 'integer' },
                },
              },
              data: { description: 'The upstream response, normalised to JSON.' },
              publicData: {
                type: 'object',
                properties: {
                  code: { type: 'string' },
                  message: { type: 'string' },
                  hint: { type: 'string' },
                },
              },
              outcome: { enum: ['ok', 'no_data', 'failed'] },
              cause: { type: ['string', 'null'], description: 'Why there are no data.' },
              rows: {
                type: 'object',
                description: 'Of a response with rows: how many there are, and how to get more.',
                properties: {
                  returned: { type: 'integer' },
                  omitted: { type: 'integer', description: 'Rows that `_limit` leaves out.' },
                  total: { type: ['integer', 'null'], description: 'Rows in all.' },
                  next: { type: ['object', 'null'], description: 'The arguments to change.' },
                  hint: { type: 'string', description: 'The same in words.' },
                },
              },
              provenance: {
                type: 'object',
                description:
                  'Who published the data, the time to which they refer, and the arguments.',
                properties: {
                  publisher: { type: ['string', 'null'] },
                  dataset: { type: 'string' },
                  docUrl: { type: ['string', 'null'] },
                  licence: { type: 'string' },
                  licenceUrl: { type: ['string', 'null'] },
                  attribution: { type: ['string', 'null'] },
                  fetchedAt: { type: 'string', format: 'date-time' },
                  ageSeconds: { type: 'integer' },
                  asOf: { type: ['string', 'null'] },
                  asked: { type: 'object' },
                  steppedBack: { type: ['integer', 'null'] },
                  nextPublication: { type: ['string', 'null'] },
                  sample: { type: 'boolean' },
                },
              },
              cacheStatus: { enum: ['HIT', 'MISS', 'COALESCED', 'STALE', 'BYPASS'] },
              auditId: { type: 'string' },
            },
          },
          error: {
            type: 'object',
            properties: {
              code: { type: 'integer' },
              message: { type: 'string' },
              data: { type: 'object' },
            },
          },
        },
      },
    },
    202: { description: 'Only notifications were sent.' },
    400: { description: 'The body is not JSON (error `-32700`).' },
  },
};
