import { describe, expect, it } from 'vitest';
import { makeApi, makePreset, makeTool } from '../../test/support/catalog-entries.ts';
import { createListTools } from '../calls/list-tools.ts';
import type { Caller } from '../platform/kernel/caller.ts';
import { createCatalog } from '../tools/catalog/catalog.ts';
import { createLayer } from '../tools/catalog-layer.ts';
import type { Method } from './json-rpc/methods.ts';
import { narrowCaller } from './json-rpc/narrow-caller.ts';
import { type Encoded, piecesOf } from './json-rpc/splice.ts';
import { LEGACY_ENCODING } from './mcp/legacy/methods.ts';
import { createToolMethods } from './mcp/shared/tool-methods.ts';
import { STATELESS_ENCODING } from './mcp/stateless/methods.ts';
import { createPlainMethods } from './plain/dialect.ts';
import { createRegistryRoutes } from './rest/registry.ts';
import { createToolRoutes } from './rest/tools.ts';
import type { RouteRequest, RouteResponse } from './route.ts';

const catalog = createCatalog({
  presets: [makePreset('weather/sky', makeTool('sky_now', 'Weather of now.'))],
});
for (const tenant of ['a', 'b']) {
  const tools = [makeTool('get_pets', `Pets of ${tenant}.`), makeTool(`only_${tenant}`, 'Zebras.')];
  const api = makeApi(`${tenant}/pets`, tools, { category: `own-${tenant}` });
  catalog.setTenantLayer(`ten_${tenant}`, createLayer(api));
}

const callerOf = (tenant: string): Caller => ({
  tenantId: `ten_${tenant}`,
  tenantSlug: tenant,
  apiKeyId: `key_${tenant}`,
  allowedTools: null,
});

const parse = (encoded: Encoded) => JSON.parse(Buffer.concat(piecesOf(encoded)).toString());
const tools = {
  listTools: createListTools(catalog),
  callTool: () => Promise.reject(new Error('No call is expected.')),
  maxCharacters: 500,
  linkRows: () => Promise.reject(new Error('No call is expected.')),
  instructions: () => '',
};

async function listOver(list: Method | undefined, caller: Caller, params?: object) {
  if (!list) throw new Error('The dialect has no tools/list.');
  const message = { id: 1, method: 'tools/list', params };
  const response = await list(message, { caller } as never, { query: {} } as never);
  return parse(response).result.tools.map(({ name }: { name: string }) => name);
}

const routeTo = (routes: ReturnType<typeof createToolRoutes>, path: string) =>
  routes.find((route) => route.method === 'GET' && route.path === path);

async function getOver(path: string, caller: Caller, request: Partial<RouteRequest>) {
  const routes = [...createToolRoutes(catalog), ...createRegistryRoutes(catalog)];
  const facts = { query: { limit: 100 }, params: {}, headers: {}, ...request, caller };
  return (await routeTo(routes, path)?.handle(facts as RouteRequest)) as RouteResponse;
}

const MCP = new Map([
  ['up to 2025-11-25', createToolMethods(tools, LEGACY_ENCODING)],
  ['of 2026-07-28', createToolMethods(tools, STATELESS_ENCODING)],
]);
const plain = createPlainMethods(tools).get('tools/list');

describe('the tools that a tenant registered', () => {
  it.each([...MCP])('are in its list over MCP %s, and in no other', async (_, methods) => {
    const list = new Map(methods).get('tools/list');
    expect(await listOver(list, callerOf('a'))).toEqual(['get_pets', 'only_a', 'sky_now']);
    expect(await listOver(list, callerOf('b'))).toEqual(['get_pets', 'only_b', 'sky_now']);
    expect(await listOver(list, callerOf('c'))).toEqual(['sky_now']);
    expect(await listOver(list, callerOf('a'), { limit: 1 })).toEqual(['get_pets']);
  });

  it('are in its list and search over plain JSON-RPC, and in no other', async () => {
    expect(await listOver(plain, callerOf('a'))).toEqual(['get_pets', 'only_a', 'sky_now']);
    expect(await listOver(plain, callerOf('c'))).toEqual(['sky_now']);
    expect(await listOver(plain, callerOf('a'), { query: 'zebra' })).toEqual(['only_a']);
    expect(await listOver(plain, callerOf('c'), { query: 'zebra' })).toEqual([]);
    expect(await listOver(plain, callerOf('b'), { category: 'own-b' })).toEqual([
      'get_pets',
      'only_b',
    ]);
    await expect(listOver(plain, callerOf('b'), { category: 'own-a' })).rejects.toThrow(
      'Available: own-b, weather.',
    );
  });

  it('are in its list over REST, and found there by id and by name', async () => {
    const names = async (tenant: string, query: object) => {
      const { body } = await getOver('/api/v1/tools', callerOf(tenant), {
        query: { limit: 100, ...query },
      });
      return (body as { tools: { name: string }[] }).tools.map(({ name }) => name);
    };
    expect(await names('a', {})).toEqual(['get_pets', 'only_a', 'sky_now']);
    expect(await names('b', { source: 'registered' })).toEqual(['get_pets', 'only_b']);
    expect(await names('c', { source: 'registered' })).toEqual([]);
    expect(await names('a', { q: 'zebras' })).toEqual(['only_a']);
    const one = (tenant: string, toolId: string) =>
      getOver('/api/v1/tools/:toolId', callerOf(tenant), { params: { toolId } });
    expect((await one('a', '@a.pets.get_pets')).body).toMatchObject({
      id: '@a.pets.get_pets',
      name: 'get_pets',
      description: 'Pets of a.',
      server: { id: '@a/pets', name: 'Title of a/pets' },
      category: 'own-a',
      source: 'registered',
      visibility: 'private',
    });
    expect((await one('b', 'get_pets')).body).toMatchObject({ description: 'Pets of b.' });
    for (const toolId of ['@a.pets.get_pets', 'only_a']) {
      await expect(one('b', toolId)).rejects.toThrow('No such tool');
    }
  });

  it('are not in the registry', async () => {
    const { body } = await getOver('/registry/tools', callerOf('a'), { query: {} });
    expect(JSON.parse(String(body)).tools).toHaveLength(1);
  });

  it('have a category that only its tenant may name in the address', () => {
    const narrow = (tenant: string, category: string) =>
      narrowCaller(
        callerOf(tenant),
        { category },
        { categoriesOf: catalog.categories, toolsets: new Map() },
      );
    expect(catalog.list(narrow('a', 'own-a')).map(({ tool }) => tool.name)).toEqual([
      'get_pets',
      'only_a',
    ]);
    expect(() => narrow('b', 'own-a')).toThrow(
      'Unknown category "own-a" in the address. Available: own-b, weather.',
    );
    expect(() => narrow('c', 'own-a')).toThrow('Available: weather.');
  });
});
