import { describe, expect, it } from 'vitest';
import type { Caller } from '../api-keys/caller.ts';
import type { PresetServer, Tool } from '../openapi/tool.ts';
import { createCatalog } from './catalog.ts';
import { pageOf, searchEntries } from './catalog-page.ts';

const tool = (name: string, description = 'Nothing to see.'): Tool => ({
  name,
  title: null,
  description,
  inputSchema: { type: 'object', properties: {}, required: [], additionalProperties: false },
  annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  method: 'GET',
  path: `/${name}`,
  baseUrl: 'https://upstream.example',
  parameters: [],
  body: null,
  isPublicData: false,
  grid: false,
  cacheTtlSeconds: 60,
  payload: { items: null, total: null, success: null },
  secrets: [],
  version: `v-${name}-${description}`,
});

const preset = (id: string, ...tools: Tool[]): PresetServer => ({
  id,
  category: id.split('/')[0] ?? '',
  filePath: `/presets/${id}.yaml`,
  title: `Title of ${id}`,
  baseUrl: 'https://upstream.example',
  isPublicData: false,
  tools,
});

const caller = (allowedTools: string[] | null = null): Caller => ({
  tenantId: 'ten_1',
  tenantSlug: 'default',
  apiKeyId: 'key_1',
  allowedTools,
});

const PRESETS = [
  preset('weather/sky', tool('sky_now', 'Current weather in Seoul.'), tool('sky_later')),
  preset('economy/bank', tool('bank_rates', 'Exchange RATES of the won (환율 조회).')),
];
const clock = { now: () => Date.UTC(2026, 10, 20) };
const catalog = createCatalog(PRESETS, clock);

describe('catalog', () => {
  it('lists every tool with its server, sorted by id', () => {
    expect(catalog.list(caller()).map((entry) => entry.id)).toEqual([
      'economy.bank.bank_rates',
      'weather.sky.sky_later',
      'weather.sky.sky_now',
    ]);
    expect(catalog.list(caller())[0]).toMatchObject({
      server: { id: 'economy/bank', name: 'Title of economy/bank' },
      category: 'economy',
      source: 'preset',
      visibility: 'public',
      createdAt: '2026-11-20T00:00:00.000Z',
    });
    expect(catalog.servers.map((server) => server.id)).toEqual(['economy/bank', 'weather/sky']);
  });

  it('finds a tool by name, by id, and not by anything else', () => {
    expect(catalog.find(caller(), 'sky_now')?.id).toBe('weather.sky.sky_now');
    expect(catalog.find(caller(), 'weather.sky.sky_now')).toBeUndefined();
    expect(catalog.findById(caller(), 'weather.sky.sky_now')?.tool.name).toBe('sky_now');
    expect(catalog.findById(caller(), 'sky_now')?.tool.name).toBe('sky_now');
    expect(catalog.findById(caller(), 'constructor')).toBeUndefined();
  });

  it('hides what a key may not use, alike in listing and in finding', () => {
    const limited = caller(['sky_*']);
    expect(catalog.list(limited).map((entry) => entry.tool.name)).toEqual(['sky_later', 'sky_now']);
    expect(catalog.find(limited, 'bank_rates')).toBeUndefined();
    expect(catalog.findById(limited, 'economy.bank.bank_rates')).toBeUndefined();
    expect(catalog.find(limited, 'sky_now')).toBeDefined();
  });

  it('gives callers of the same rights the same list', () => {
    expect(catalog.list(caller())).toBe(catalog.list(caller()));
    expect(catalog.list(caller(['sky_*']))).toBe(catalog.list(caller(['sky_*'])));
  });

  it('has a version that follows the definitions and nothing else', () => {
    expect(createCatalog(PRESETS.toReversed()).version).toBe(catalog.version);
    const changed = [preset('weather/sky', tool('sky_now', 'Another text.'))];
    expect(createCatalog(changed).version).not.toBe(catalog.version);
  });
});

describe('searching and paging', () => {
  const entries = catalog.list(caller());
  const ids = (q: Parameters<typeof searchEntries>[1]) =>
    searchEntries(entries, q).map((entry) => entry.tool.name);

  it('finds words in name and description whatever their case', () => {
    expect(ids({ q: 'SKY_' })).toEqual(['sky_later', 'sky_now']);
    expect(ids({ q: 'rates of' })).toEqual(['bank_rates']);
    expect(ids({ q: '환율' })).toEqual(['bank_rates']);
    expect(ids({ q: 'nowhere' })).toEqual([]);
  });

  it('narrows by category and source', () => {
    expect(ids({ category: 'weather' })).toEqual(['sky_later', 'sky_now']);
    expect(ids({ category: 'weather', q: 'seoul' })).toEqual(['sky_now']);
    expect(ids({ source: 'registered' })).toEqual([]);
    expect(ids({})).toHaveLength(3);
  });

  it('walks all pages without repeating or skipping', () => {
    const first = pageOf(entries, 2);
    expect(first.entries).toHaveLength(2);
    const second = pageOf(entries, 2, first.nextCursor ?? '');
    expect([...first.entries, ...second.entries]).toEqual(entries);
    expect(second.nextCursor).toBeNull();
    expect(pageOf(entries, 3).nextCursor).toBeNull();
  });

  it.each(['', '***', 'not a cursor'])('refuses the cursor %j', (cursor) => {
    expect(() => pageOf(entries, 2, cursor)).toThrow('nextCursor');
  });
});
