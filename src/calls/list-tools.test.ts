import { describe, expect, it } from 'vitest';
import type { Caller } from '../access/keys/caller.ts';
import { createCatalog } from '../tools/catalog/catalog.ts';
import { compileText } from '../tools/compile/fixtures/compile-text.ts';
import { createListTools, type ToolListQuery } from './list-tools.ts';

const documentOf = (title: string, operations: readonly string[]) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title, version: '1' },
    servers: [{ url: 'https://api.example' }],
    paths: Object.fromEntries(
      operations.map((operationId) => [
        `/${operationId}`,
        { get: { operationId, description: `Tells the ${operationId}.`, responses: {} } },
      ]),
    ),
  });

async function openList() {
  const preset = async (id: string, operations: readonly string[]) => ({
    ...(await compileText(documentOf(id, operations))),
    id,
    category: id.split('/')[0] ?? '',
    filePath: `/presets/${id}.yaml`,
  });
  const catalog = createCatalog([
    await preset('weather/sky', ['rain', 'wind']),
    await preset('economy/bank', ['rates', 'prices']),
  ]);
  const listTools = createListTools(catalog);
  const caller: Caller = {
    tenantId: 'ten_a',
    tenantSlug: 'a',
    apiKeyId: 'key_a',
    allowedTools: null,
  };
  const list = (query?: ToolListQuery, allowedTools: readonly string[] | null = null) =>
    listTools({ ...caller, allowedTools }, query);
  const names = (...args: Parameters<typeof list>) => list(...args).map(({ tool }) => tool.name);
  return { list, names };
}

describe('the list of tools', () => {
  it('has every tool the caller may use, sorted by id, in the same array every time', async () => {
    const { list, names } = await openList();
    expect(names()).toEqual(['prices', 'rates', 'rain', 'wind']);
    expect(list()).toBe(list());
    expect(names(undefined, ['r*'])).toEqual(['rates', 'rain']);
  });

  it.each<[ToolListQuery, string[]]>([
    [{}, ['prices', 'rates', 'rain', 'wind']],
    [{ category: 'weather' }, ['rain', 'wind']],
    [{ limit: 3 }, ['prices', 'rates', 'rain']],
    [{ category: 'economy', limit: 1 }, ['prices']],
    [{ query: 'rain' }, ['rain']],
    [{ query: 'rain', category: 'economy' }, []],
    [{ query: ' ' }, ['prices', 'rates', 'rain', 'wind']],
  ])('is narrowed by %j', async (query, expected) => {
    expect((await openList()).names(query)).toEqual(expected);
  });

  it('finds no tool that the caller may not use', async () => {
    const { names } = await openList();
    expect(names({ query: 'rain' }, ['wind'])).toEqual([]);
  });

  it('refuses a category of which the caller has no tool', async () => {
    const { list } = await openList();
    expect(() => list({ category: 'culture' })).toThrow(/culture.*there are economy, weather/);
    expect(() => list({ category: 'economy' }, ['wind'])).toThrow(/there are weather/);
  });
});
