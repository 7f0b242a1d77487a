import { BOOLEAN, INTEGER, TEXT, TIME } from '../../platform/input/schema.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import type { JsonSchema, Tool } from '../../tools/model.ts';
import { exampleArguments } from '../../tools/request/example-arguments.ts';
import { MAX_SEARCH_LENGTH } from '../../tools/search/search-entries.ts';
import {
  component,
  FREE_OBJECT,
  FREE_OBJECT_OR_NULL,
  TEXT_OR_NULL,
} from '../json-rpc/component.ts';
import { MAX_LIST_LIMIT } from '../json-rpc/list-params.ts';
import type { RouteDescription, RouteExamples } from '../route.ts';

const ROWS_SCHEMA = component(
  'Rows',
  {
    returned: INTEGER,
    omitted: { ...INTEGER, description: 'Rows that `_limit` leaves out.' },
    total: { type: ['integer', 'null'], description: 'Rows in all.' },
    next: {
      ...FREE_OBJECT_OR_NULL,
      description: 'The arguments to change.',
    },
    hint: { ...TEXT, description: 'The same in words.' },
    link: {
      ...component('ResultLink', { csv: TEXT, ndjson: TEXT, json: TEXT, expiresAt: TIME }),
      description: 'Addresses of a file with all rows, which need no API key.',
    },
  },
  ['hint', 'link'],
);

const UNITS_SCHEMA = component(
  'Units',
  {
    done: { ...INTEGER, description: 'Units that came whole.' },
    total: INTEGER,
    failed: INTEGER,
    failures: {
      type: 'array',
      description: 'The first 10 that failed: what varies, and why.',
      items: {
        type: 'object',
        required: ['unit', 'reason'],
        properties: { unit: FREE_OBJECT, reason: TEXT },
      },
    },
  },
  ['failures'],
);

const PROVENANCE_SCHEMA = component(
  'Provenance',
  {
    publisher: TEXT_OR_NULL,
    dataset: TEXT,
    docUrl: TEXT_OR_NULL,
    licence: TEXT,
    licenceUrl: TEXT_OR_NULL,
    attribution: TEXT_OR_NULL,
    fetchedAt: TIME,
    ageSeconds: INTEGER,
    asOf: { ...TEXT_OR_NULL, description: 'The time to which the data refer.' },
    asked: { ...FREE_OBJECT, description: 'The arguments that were sent, with defaults.' },
    steppedBack: {
      type: ['integer', 'null'],
      description: 'How many publications the data lie before the latest, which has none yet.',
    },
    nextPublication: TEXT_OR_NULL,
    stale: {
      type: 'object',
      description: 'Only if an older response replaces a failure, or spares a quota.',
      required: ['cause'],
      properties: { cause: TEXT },
    },
    sample: { ...BOOLEAN, description: 'Whether the sandbox made the data up.' },
  },
  ['stale', 'sample'],
);

/** The result of `tools/call` (docs/contract.md#call-result). */
const RESULT_SCHEMA = component(
  'CallResult',
  {
    tool: TEXT,
    outcome: { enum: ['ok', 'no_data', 'failed'] },
    cause: { ...TEXT_OR_NULL, description: 'Why there are no data.' },
    retryAfterSeconds: {
      ...INTEGER,
      description: 'How long the upstream that refused the call asks to wait.',
    },
    rows: ROWS_SCHEMA,
    complete: { ...BOOLEAN, description: 'With `_over`: whether every unit came whole.' },
    units: UNITS_SCHEMA,
    provenance: PROVENANCE_SCHEMA,
    upstream: {
      type: ['object', 'null'],
      description: 'Null for tools of the gateway itself.',
      required: ['method', 'url', 'status'],
      properties: {
        method: TEXT,
        url: TEXT,
        status: INTEGER,
        location: { ...TEXT, description: 'What was created, or where a redirect leads.' },
        operation: { ...TEXT, description: 'The status of what is still under way.' },
        next: { ...TEXT, description: 'The page that follows.' },
      },
    },
    data: { description: 'The upstream response, normalised to JSON.' },
    publicData: component('PublicData', { code: TEXT, message: TEXT, hint: TEXT }, ['hint']),
    cacheStatus: { enum: ['HIT', 'MISS', 'COALESCED', 'STALE', 'BYPASS'] },
    auditId: TEXT_OR_NULL,
  },
  ['retryAfterSeconds', 'rows', 'complete', 'units', 'provenance', 'publicData'],
);

const RESULT_EXAMPLE = {
  tool: 'frankfurter_rates',
  outcome: 'ok',
  cause: null,
  rows: { returned: 1, omitted: 0, total: null, next: null },
  provenance: {
    publisher: 'Frankfurter',
    dataset: 'World exchange rates (Frankfurter)',
    docUrl: 'https://frankfurter.dev/',
    licence: 'unknown',
    licenceUrl: null,
    attribution: 'Frankfurter',
    fetchedAt: '2026-11-23T01:30:00.000Z',
    ageSeconds: 0,
    asOf: '2026-11-20',
    asked: { base: 'USD', quotes: 'KRW' },
    steppedBack: null,
    nextPublication: null,
  },
  upstream: {
    method: 'GET',
    url: 'https://api.frankfurter.dev/v2/rates?base=USD&quotes=KRW',
    status: 200,
  },
  data: [{ date: '2026-11-20', base: 'USD', quote: 'KRW', rate: 1366.1 }],
  cacheStatus: 'MISS',
  auditId: 'aud_01M830R4BSZEYAQS41TG9WQCWK',
};

const JSON_RPC = { const: '2.0' };
const MESSAGE_ID = { type: ['string', 'number', 'null'], description: 'Of the request.' };
const CLIENT_ID = {
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

const ERROR_SCHEMA = component(
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
  acceptsGrants: true,
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

const CALL_RESPONSES = {
  200: {
    description: 'The result of the call, or an error.',
    schema: component(
      'ToolCallResponse',
      { jsonrpc: JSON_RPC, id: MESSAGE_ID, result: RESULT_SCHEMA, error: ERROR_SCHEMA },
      ['result', 'error'],
    ),
  },
};

/** The call of one tool as an operation of its own in `/openapi.json` (docs/contract.md#api-description). */
export function describeToolCall({ tool, category }: CatalogEntry): RouteDescription {
  const { name, title, description } = tool;
  const params = { name, arguments: exampleArguments(tool) };
  return {
    method: 'POST',
    // The fragment distinguishes the operations of one address; clients do not send it.
    path: `${MCP_DESCRIPTION.path}#${name}`,
    operation: `call_${name}`,
    access: 'key',
    tag: category,
    summary: title ?? name,
    description,
    body: {
      schema: requestOf(tool),
      examples: {
        call: {
          summary: 'A call',
          value: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
        },
      },
    },
    responses: CALL_RESPONSES,
  };
}

const requestOf = ({ name, inputSchema }: Tool): JsonSchema => ({
  type: 'object',
  required: ['jsonrpc', 'id', 'method', 'params'],
  properties: {
    jsonrpc: JSON_RPC,
    id: { type: ['string', 'number'] },
    method: { const: 'tools/call' },
    params: {
      type: 'object',
      required: [
        'name',
        ...([inputSchema['required'] ?? []].flat().length > 0 ? ['arguments'] : []),
      ],
      properties: {
        name: { const: name },
        arguments: { ...inputSchema, $id: `${name}_arguments` },
        _clientId: CLIENT_ID,
      },
    },
  },
});
