import { describe, expect, it } from 'vitest';
import { makeApi, makeTool } from '../../test/support/catalog-entries.ts';
import { compileText } from '../../test/support/compile-text.ts';
import type { Caller } from '../platform/kernel/caller.ts';
import { createCatalog } from '../tools/catalog/catalog.ts';
import { createLayer } from '../tools/catalog-layer.ts';
import { createListTools, type ToolListQuery } from './list-tools.ts';

const documentOf = (title: string, operations: readonly string[]) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title, version: '1' },
    servers: [{ url: 'https://api.example' }],
    paths: Object.fromEntries(
      operations.map((operationId) => [
        `/${operationId}`,
        { get: { operationId, description: `Returns the ${operationId}.`, responses: {} } },
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
  const catalog = createCatalog({
    presets: [
      await preset('weather/sky', ['rain', 'wind']),
      await preset('economy/bank', ['rates', 'prices']),
    ],
  });
  const listTools = createListTools(catalog);
  const caller: Caller = {
    tenantId: 'ten_a',
    tenantSlug: 'a',
    apiKeyId: 'key_a',
    allowedTools: null,
  };
  const list = (query?: ToolListQuery, allowedTools: readonly string[] | null = null) =>
    listTools({ ...caller, allowedTools }, query);
  const names = async (...args: Parameters<typeof list>) =>
    (await list(...args)).map(({ tool }) => tool.name);
  return { list, names, catalog };
}

describe('the list of tools', () => {
  it('contains every tool that the caller may use, sorted by id, in the same array every time', async () => {
    const { list, names } = await openList();
    expect(await names()).toEqual(['prices', 'rates', 'rain', 'wind']);
    expect(list()).toBe(list());
    expect(await names(undefined, ['r*'])).toEqual(['rates', 'rain']);
  });

  it('prepares a search among registered tools once, while other work continues', async () => {
    const { list, names, catalog } = await openList();
    const tools = Array.from({ length: 300 }, (_, n) => makeTool(`zebra_${n}`, 'Zebras and rain.'));
    catalog.setTenantLayer('ten_a', createLayer(makeApi('a/zoo', tools)));
    let turns = 0;
    const count = setInterval(() => turns++);
    const found = await names({ query: 'zebra', limit: 2 });
    clearInterval(count);
    expect(found).toEqual(['zebra_0', 'zebra_1']);
    expect(turns).toBeGreaterThan(0);
    expect(list({ query: 'zebra' })).toHaveLength(300);
    expect(list({ query: ' ' })).toHaveLength(304);
  });
});
