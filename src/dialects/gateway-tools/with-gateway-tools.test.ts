import { describe, expect, it } from 'vitest';
import { makeOutcome } from '../../../test/support/call-outcome.ts';
import { makeApi, makePreset, makeTool } from '../../../test/support/catalog-entries.ts';
import { createListTools } from '../../calls/list-tools.ts';
import { type CallContext, CallFailure } from '../../calls/tool-call.ts';
import type { Caller } from '../../platform/kernel/caller.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { createCatalog } from '../../tools/catalog/catalog.ts';
import { createLayer } from '../../tools/catalog-layer.ts';
import type { Tool } from '../../tools/model.ts';
import type { CodeFinder } from './code-finder.ts';
import { withGatewayTools } from './with-gateway-tools.ts';

const SKY = { ...makeTool('sky_now', 'Current sky. From the roof.'), title: 'The sky' };
const PUT: Tool = {
  ...makeTool('roof_paint', 'Paints the roof.'),
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
};

const NO_CODES: CodeFinder = { kinds: [], find: () => [] };

/** No caller of these tests manages the gateway. */
const NO_MANAGEMENT = { list: () => [], call: () => Promise.reject(new Error('Not expected.')) };

function openDoor(tools: readonly Tool[] = [SKY]) {
  const catalog = createCatalog({ presets: [makePreset('weather/sky', ...tools)] });
  const called: string[] = [];
  const refused: string[] = [];
  const run = async ({ name }: { name: string }) => {
    if (!catalog.find(caller, name)) throw new GatewayError('tool_not_found');
    called.push(name);
    return makeOutcome({ tool: name });
  };
  const withTools = withGatewayTools({
    listTools: createListTools(catalog),
    callTool: run,
    callEntry: async (entry) => {
      called.push(entry.id);
      return makeOutcome({ tool: entry.tool.name });
    },
    find: catalog.find,
    codes: NO_CODES,
    servers: () => catalog.servers,
    manage: NO_MANAGEMENT,
    refused: (_caller, reason) => void refused.push(reason),
  });
  const callAs = (user: Caller, name: string, args: object) =>
    withTools.callTool({ name, arguments: args as Record<string, unknown> }, {
      caller: user,
    } as CallContext);
  return {
    ...withTools,
    catalog,
    called,
    refused,
    callAs,
    call: (name: string, args: object) => callAs(searcher, name, args),
  };
}

const caller: Caller = {
  tenantId: 'ten_a',
  tenantSlug: 'a',
  apiKeyId: 'key_a',
  allowedTools: null,
};
const searcher: Caller = { ...caller, searches: true };
const withToolset = (tools: string[], ownTools: string[]): Caller => ({
  ...caller,
  narrowing: {
    category: null,
    tools: null,
    toolset: { tools, ownTools, maxCharacters: null, style: null },
  },
});
const namesOf = (entries: readonly { tool: Tool }[]) => entries.map(({ tool }) => tool.name);

describe('the lists with own tools', () => {
  it('have the own tools for callers that search, always the same array', () => {
    const { listTools } = openDoor();
    expect(namesOf(listTools(searcher))).toHaveLength(4);
    expect(listTools(searcher)).toBe(listTools(searcher));
    expect(namesOf(listTools(caller))).toEqual(['sky_now']);
  });

  it('have the own tools that a toolset names, always the same array', () => {
    const { listTools } = openDoor();
    const user = withToolset(['sky_now'], ['find_code']);
    expect(namesOf(listTools(user))).toEqual(['find_code', 'sky_now']);
    expect(listTools(user)).toBe(listTools(user));
    expect(namesOf(listTools(withToolset(['none'], ['find_code'])))).toEqual(['find_code']);
  });

  it('declare call_tool as read-only if every tool that the caller may use is', () => {
    const hintOf = (tools: readonly Tool[]) =>
      openDoor(tools)
        .listTools(searcher)
        .find(({ tool }) => tool.name === 'call_tool')?.tool.annotations;
    expect(hintOf([SKY])).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(hintOf([SKY, PUT])).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  });
});

describe('the own tools', () => {
  it('find, describe and call tools', async () => {
    const { call, called } = openDoor();
    expect(await call('find_tools', { query: 'sky' })).toEqual({
      tool: 'find_tools',
      text: 'sky_now — The sky. Current sky.',
    });
    expect(await call('find_tools', { query: 'zebra' })).toMatchObject({
      text: expect.stringMatching(/^No tool matches/),
    });
    expect(await call('describe_tools', { names: ['sky_now'] })).toMatchObject({
      text: 'sky_now — Current sky. From the roof.',
    });
    await call('call_tool', { name: 'sky_now' });
    await call('call_tool', { name: 'find_code', arguments: { kind: 'x' } });
    expect(called).toEqual(['sky_now', 'gateway.find_code']);
  });

  it.each([
    ['find_tools', {}, 'query'],
    ['find_tools', { query: 'x', limit: 26 }, '25'],
    ['find_tools', { query: 'x'.repeat(201) }, '200'],
    ['describe_tools', { names: Array.from({ length: 11 }, String) }, '10'],
    ['describe_tools', { names: ['sky_nov'] }, 'Did you mean sky_now?'],
    ['call_tool', { name: 'nothing' }, 'find_tools'],
    ['call_tool', { name: 'sky_now', arguments: [] }, 'object'],
    ['call_tool', { name: 'find_tools' }, 'Call find_tools itself'],
  ])('refuse bad arguments: %s %j', async (name, args, message) => {
    await expect(openDoor().call(name, args)).rejects.toThrow(message);
  });

  it('are unknown where they are not listed, except find_code', async () => {
    const { callAs, called } = openDoor();
    await expect(callAs(caller, 'find_tools', { query: 'x' })).rejects.toMatchObject({
      code: 'tool_not_found',
    });
    await callAs(caller, 'find_code', { kind: 'x' });
    expect(called).toEqual(['gateway.find_code']);
  });

  it('leave a registered tool of the same name alone where they are not listed', async () => {
    const { callAs, called, catalog } = openDoor();
    const own = createLayer(makeApi('a/pets', [makeTool('find_code')]));
    catalog.setTenantLayer(caller.tenantId, own);
    await callAs(caller, 'find_code', {});
    expect(called).toEqual(['find_code']);
  });

  it('add the signature to a failure because of invalid arguments', async () => {
    const catalog = createCatalog({ presets: [makePreset('weather/sky', SKY)] });
    const refused = new GatewayError('invalid_arguments', 'sky_now: /n must be a number.');
    const { callTool } = withGatewayTools({
      listTools: createListTools(catalog),
      callTool: () => Promise.reject(new CallFailure('aud_1', 'sky_now', refused)),
      callEntry: () => Promise.reject(new Error('No call is expected.')),
      find: catalog.find,
      codes: NO_CODES,
      servers: () => catalog.servers,
      manage: NO_MANAGEMENT,
      // A call with a record was not refused.
      refused: () => expect.unreachable(),
    });
    const call = { name: 'call_tool', arguments: { name: 'sky_now' } };
    await expect(callTool(call, { caller: searcher } as CallContext)).rejects.toMatchObject({
      auditId: 'aud_1',
      error: { message: expect.stringContaining('Signature:\nsky_now — Current sky.') },
    });
  });
});
