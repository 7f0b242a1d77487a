import { describe, expect, it } from 'vitest';
import type { Caller } from '../../platform/kernel/caller.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { McpDialect } from '../json-rpc/methods.ts';
import type { RouteRequest } from '../route.ts';
import { createMcpEndpoint } from './mcp-endpoint.ts';

const CALLER: Caller = {
  tenantId: 'ten_1',
  tenantSlug: 'ours',
  apiKeyId: 'key_1',
  allowedTools: null,
};
const ANSWER = { status: 200, body: 'answered' };
const dialect: McpDialect = { respond: () => ANSWER, refuse: () => ({ status: 400, body: null }) };

/** What a message waits for while the tools of its tenant are being loaded: names, or undefined for all of them. */
async function waitsFor(body: unknown, query = {}): Promise<readonly string[] | undefined> {
  let asked: readonly string[] | undefined = ['not asked'];
  const endpoint = createMcpEndpoint({
    dialects: {
      plain: dialect,
      'streamable-http': dialect,
      'http-sse': dialect,
      stateless: dialect,
    },
    categoriesOf: () => ['economy'],
    toolsets: new Map(),
    charge: () => undefined,
    isSharedName: (name) => ['rates', 'weather'].includes(name),
    isReady: () => false,
    ready: async (_caller, names) => {
      asked = names();
    },
  });
  await endpoint.handle({
    caller: CALLER,
    query,
    headers: {},
    body: Buffer.from(JSON.stringify(body)),
    memory: () => ({ hold: () => true, take: () => true }),
  } as unknown as RouteRequest);
  return asked;
}

const call = (name: unknown, args: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});
const message = (method: string) => ({ jsonrpc: '2.0', id: 1, method });

describe('while the tools of a tenant are being loaded', () => {
  it.each([
    [call('rates'), ['rates']],
    [call('find_code', { kind: 'currency' }), ['find_code']],
    [call('call_tool', { name: 'rates' }), ['call_tool', 'rates']],
    [
      [call('rates'), call('weather')],
      ['rates', 'weather'],
    ],
    [message('initialize'), []],
    [message('ping'), []],
  ])('%j only waits if the tenant has a tool of such a name', async (body, names) => {
    expect(await waitsFor(body)).toEqual(names);
  });

  it.each([
    [message('tools/list')],
    [call('mine')],
    [call('find_tools', { query: 'rates' })],
    [call('describe_tools', { names: ['rates'] })],
    [call('call_tool', { name: 'mine' })],
    [call('call_tool')],
    [call(7)],
    [[call('rates'), message('tools/list')]],
    [message('subscriptions/listen')],
    ['nothing'],
  ])('%j waits for all of them', async (body) => {
    expect(await waitsFor(body)).toBeUndefined();
  });

  it('an address waits that names a category which may be theirs, and no other', async () => {
    expect(await waitsFor(call('rates'), { category: 'economy' })).toEqual(['rates']);
    expect(await waitsFor(call('rates'), { category: 'mine' })).toBeUndefined();
  });

  it('the refusal of a request that waited too long is that of the request', async () => {
    const refusal = new GatewayError('overloaded');
    const endpoint = createMcpEndpoint({
      dialects: {
        plain: dialect,
        'streamable-http': dialect,
        'http-sse': dialect,
        stateless: dialect,
      },
      categoriesOf: () => [],
      toolsets: new Map(),
      charge: () => undefined,
      isSharedName: () => false,
      isReady: () => false,
      ready: () => Promise.reject(refusal),
    });
    const request = { caller: CALLER, query: {}, headers: {}, body: Buffer.from('{}') };
    await expect(endpoint.handle(request as unknown as RouteRequest)).rejects.toBe(refusal);
  });
});
