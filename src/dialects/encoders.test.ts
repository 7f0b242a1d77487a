import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../test/support/arbitrary-text.ts';
import { makeOutcome } from '../../test/support/call-outcome.ts';
import { type Rendering, renderFailure, renderOutcome } from '../calls/model/render-result.ts';
import { CallFailure, type CallOutcome } from '../calls/tool-call.ts';
import { ERROR_TABLE, type ErrorCode, GatewayError } from '../platform/kernel/error.ts';
import type { CatalogEntry } from '../tools/catalog-entry.ts';
import { encodeMembers, encodeResponse, type RpcId } from './json-rpc/json-rpc.ts';
import { type Encoded, piecesOf } from './json-rpc/splice.ts';
import { initialize, LEGACY_ENCODING } from './mcp/legacy/methods.ts';
import { encodeError as encodeMcpError, type McpEncoding } from './mcp/shared/encode.ts';
import { createToolMethods } from './mcp/shared/tool-methods.ts';
import {
  discovery,
  STATELESS_ENCODING,
  stringifySubscriptionEnd,
} from './mcp/stateless/methods.ts';
import {
  createToolListEncoder,
  encodeOutcome,
  encodeError as encodePlainError,
  encodeTools,
} from './plain/encode.ts';

const text = anyText();
const anyId: fc.Arbitrary<RpcId> = fc.oneof(
  text,
  fc.integer(),
  fc.constant(null),
  fc.stringMatching(/^[1-9][0-9]{0,30}$/).map((digits) => JSON.rawJSON(digits)),
);
const anyOutcome: fc.Arbitrary<CallOutcome> = fc
  .record({
    tool: text,
    server: text,
    url: text,
    status: fc.integer({ min: 200, max: 599 }),
    isError: fc.boolean(),
    returnsMcpContent: fc.boolean(),
    json: fc.json().map((json) => Buffer.from(JSON.stringify(JSON.parse(json)))),
    publicData: fc.option(fc.record({ code: text, message: text, hint: text }), {
      nil: undefined,
    }),
    count: fc.option(
      fc.record({
        returned: fc.nat(),
        omitted: fc.nat(),
        total: fc.option(fc.nat()),
        next: fc.option(fc.dictionary(text, fc.nat())),
        hint: text,
      }),
      { nil: undefined },
    ),
  })
  .map(makeOutcome);
const anyRendering = fc.record<Rendering>({
  style: fc.constantFrom('full', 'text', 'structured', 'json'),
  maxCharacters: fc.integer({ min: 1, max: 500 }),
  knowsLinks: fc.boolean(),
});
const anyError = fc
  .record({
    code: fc.constantFrom(...(Object.keys(ERROR_TABLE) as ErrorCode[])),
    message: text,
    path: text,
    auditId: fc.option(fc.uuid()),
  })
  .map(({ code, message, path, auditId }) => {
    const error = new GatewayError(code, message, { details: { errors: [{ path, message }] } });
    return auditId === null ? error : new CallFailure(auditId, path, error);
  });
const anyEntries = fc
  .array(fc.record({ name: text, title: fc.option(text), description: text }))
  .map((tools) =>
    tools.map(({ description, ...tool }) => ({
      description,
      tool: {
        ...tool,
        inputSchema: { type: 'object' },
        parameters: [],
        annotations: { readOnlyHint: true },
      },
    })),
  )
  .map((entries) => entries as unknown as CatalogEntry[]);

const textOf = (encoded: Encoded): string => Buffer.concat(piecesOf(encoded)).toString();

/** The response as a client parses it, with the given id. */
function parse(id: RpcId, response: string): { result?: object; error?: object } {
  expect(response.startsWith(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},`)).toBe(true);
  return JSON.parse(response);
}

const MCP: [string, McpEncoding][] = [
  ['the legacy revisions', LEGACY_ENCODING],
  ['2026-07-28', STATELESS_ENCODING],
];

describe('every response is valid JSON', () => {
  it('for a call over plain JSON-RPC', () => {
    fc.assert(
      fc.property(anyId, anyOutcome, (id, outcome) => {
        const { result } = parse(id, textOf(encodeOutcome(id, outcome)));
        expect(result).toMatchObject({ auditId: outcome.auditId });
      }),
    );
  });

  it.each(MCP)('for a call over %s', (_, { callMembers }) => {
    fc.assert(
      fc.property(anyId, anyOutcome, anyRendering, (id, outcome, rendering) => {
        const { members, meta } = renderOutcome(outcome, rendering);
        const { result } = parse(id, textOf(encodeMembers(id, members, callMembers(meta))));
        expect(result).toMatchObject({ _meta: { 'toolgateway/auditId': outcome.auditId } });
      }),
    );
  });

  it.each(MCP)('for a failed call over %s', (_, { callMembers }) => {
    fc.assert(
      fc.property(anyId, text, anyError, (id, tool, error) => {
        fc.pre(!(error instanceof GatewayError && error.code === 'tool_not_found'));
        const { members, meta } = renderFailure(tool, error);
        const { result } = parse(id, textOf(encodeMembers(id, members, callMembers(meta))));
        expect(result).toMatchObject({ isError: true });
      }),
    );
  });

  it('for a list over plain JSON-RPC', () => {
    fc.assert(
      fc.property(anyId, anyEntries, (id, entries) => {
        const tools = createToolListEncoder()(entries);
        const { result } = parse(id, textOf(encodeTools(id, tools)));
        expect(result).toMatchObject({ tools: entries.map(({ tool: { name } }) => ({ name })) });
      }),
    );
  });

  it.each(MCP)('for a list over %s', async (_, encoding) => {
    const limit = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(anyId, anyEntries, limit, async (id, found, size) => {
        const entries = found.map((entry, n) => ({ ...entry, id: `id_${n}` }));
        const deps = {
          listTools: () => entries,
          callTool: () => Promise.reject(new Error('No call is expected.')),
          maxCharacters: 500,
          linkRows: () => Promise.reject(new Error('No call is expected.')),
          instructions: () => '',
        };
        const list = new Map(createToolMethods(deps, encoding)).get('tools/list');
        const params = size === undefined ? undefined : { limit: size };
        const message = { id, method: 'tools/list', params };
        const response = await list?.(message, { caller: {} } as never, { query: {} } as never);
        const { result } = parse(id, textOf(response ?? Buffer.alloc(0)));
        expect(result).toHaveProperty('tools');
      }),
    );
  });

  it.each([
    ['plain JSON-RPC', encodePlainError],
    ['MCP', encodeMcpError],
  ])('for an error over %s', (_, encodeError) => {
    fc.assert(
      fc.property(anyId, anyError, (id, thrown) => {
        const { error } = parse(id, encodeError(id, thrown).toString());
        expect(error).toHaveProperty('code');
      }),
    );
  });

  it('for initialize, server/discover and the end of a subscription', () => {
    fc.assert(
      fc.property(anyId, (id) => {
        const responses = [
          textOf(encodeResponse(id, initialize(undefined, 'http-sse', ''))),
          textOf(encodeResponse(id, discovery(''))),
          stringifySubscriptionEnd(id),
        ];
        for (const response of responses) expect(parse(id, response)).toHaveProperty('result');
      }),
    );
  });
});
