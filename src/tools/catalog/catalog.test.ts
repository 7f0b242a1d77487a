import { describe, expect, it } from 'vitest';
import type { Caller } from '../../access/keys/caller.ts';
import type { PresetServer, Tool } from '../model.ts';
import { createCatalog } from './catalog.ts';
import { pageOf } from './catalog-page.ts';

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
  stepBack: 0,
  answersContent: false,
  personal: [],
  payload: { items: null, total: null, success: null, itemWrapper: null, columns: null },
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

  it('notes the secrets that a tool lacks, and leaves the tool itself as it is', () => {
    const keyed: Tool = { ...tool('sky_now', 'The sky.'), secrets: ['A_KEY', 'B_KEY', 'C_KEY'] };
    const presets = [preset('weather/sky', keyed)];
    const having = (...names: string[]) =>
      createCatalog(presets, clock, (name) => names.includes(name));
    const described = (some: ReturnType<typeof having>) => some.list(caller())[0]?.description;
    expect(described(having('A_KEY', 'B_KEY', 'C_KEY'))).toBe('The sky.');
    expect(described(having('A_KEY', 'C_KEY'))).toBe(
      'The sky. Needs the secret B_KEY, which is not set on this gateway.',
    );
    expect(described(having('C_KEY'))).toBe(
      'The sky. Needs the secrets A_KEY and B_KEY, which are not set on this gateway.',
    );
    expect(having().list(caller())[0]?.tool).toBe(keyed);
    expect(having().version).toBe(having('A_KEY', 'B_KEY', 'C_KEY').version);
  });

  it('has a version that follows the definitions and nothing else', () => {
    expect(createCatalog(PRESETS.toReversed()).version).toBe(catalog.version);
    const changed = [preset('weather/sky', tool('sky_now', 'Another text.'))];
    expect(createCatalog(changed).version).not.toBe(catalog.version);
  });
});

describe('searching and paging', () => {
  const SEARCHED = createCatalog([
    ...PRESETS,
    preset('weather/air', tool('dust_hourly', 'Fine dust per station (초미세먼지 농도).')),
    preset(
      'culture/films',
      tool('film_ranks', 'Takings of the day, by cinema.'),
      tool('film_find', 'One film by its title; see film_ranks for takings of the day.'),
      tool('stage_find', 'Plays by their title. Films are not in it.'),
    ),
  ]);
  const entries = SEARCHED.list(caller());
  const names = (query: Parameters<typeof SEARCHED.search>[1], among = entries) =>
    SEARCHED.search(among, query).map(({ entry }) => entry.tool.name);

  it.each([
    ['whatever its case', 'CINEMA', 'film_ranks'],
    ['in the plural', 'cinemas', 'film_ranks'],
    ['by how it begins', 'excha', 'bank_rates'],
    ['with a letter wrong', 'exchnge', 'bank_rates'],
    ['inside a Korean word', '미세먼지', 'dust_hourly'],
    ['by a piece of a Korean word', '미세한먼지', 'dust_hourly'],
    ['with a Korean particle', '환율은', 'bank_rates'],
    ['in decomposed Hangul', '환율'.normalize('NFD'), 'bank_rates'],
    ['by an English word for the Korean one', 'currency', 'bank_rates'],
    ['by a Korean word for the English one', '영화', 'film_ranks'],
    ['by what it is called upstream', '대기질', 'dust_hourly'],
    ['by the name of its server', 'title of weather/air', 'dust_hourly'],
  ])('finds a word %s: %s', (_how, q, name) => {
    expect(names({ q })[0]).toBe(name);
  });

  it('puts names before descriptions', () => {
    expect(names({ q: 'stage find' })[0]).toBe('stage_find');
    expect(names({ q: 'film' }).slice(0, 2)).toEqual(['film_find', 'film_ranks']);
  });

  it('finds nothing for words that are nowhere', () => {
    expect(names({ q: 'zymurgy' })).toEqual([]);
    expect(names({ q: '!?' })).toEqual([]);
  });

  it('keeps the order given where no words are sought', () => {
    expect(names({})).toEqual(entries.map((entry) => entry.tool.name));
    expect(names({ q: '  ' })).toEqual(names({}));
    expect(names({ category: 'weather' })).toEqual(['dust_hourly', 'sky_later', 'sky_now']);
    expect(names({ source: 'registered' })).toEqual([]);
  });

  it('narrows what was found by category', () => {
    expect(names({ q: 'of the day title', category: 'weather' })).not.toContain('film_ranks');
    expect(names({ q: 'seoul', category: 'weather' })).toEqual(['sky_now']);
  });

  it('names the categories where an unknown one is given, those the caller sees and no others', () => {
    expect(() => names({ category: 'wether' })).toThrow('there are culture, economy, weather.');
    const limited = SEARCHED.list(caller(['sky_*']));
    expect(() => names({ category: 'culture' }, limited)).toThrow('there are weather.');
  });

  it('finds only what the caller may use', () => {
    expect(names({ q: 'film' }, SEARCHED.list(caller(['film_ranks'])))).toEqual(['film_ranks']);
    expect(names({ q: 'film' }, SEARCHED.list(caller(['sky_*'])))).toEqual([]);
  });

  it.each([undefined, 'title'])('walks all pages of %j without repeating or skipping', (q) => {
    const matches = SEARCHED.search(entries, q === undefined ? {} : { q });
    const all = matches.map(({ entry }) => entry);
    expect(all.length).toBeGreaterThan(4);
    const first = pageOf(matches, 2);
    expect(first.entries).toEqual(all.slice(0, 2));
    const rest = pageOf(matches, 100, first.nextCursor ?? '');
    expect(rest).toEqual({ entries: all.slice(2), nextCursor: null });
    // The last one given out is gone, as when a key loses a right.
    const fewer = matches.filter(({ entry }) => entry !== all[1]);
    expect(pageOf(fewer, 100, first.nextCursor ?? '').entries).toEqual(all.slice(2));
  });

  it.each(['', '***', 'not a cursor', 'WzEsMl0', 'e30'])('refuses the cursor %j', (cursor) => {
    expect(() => pageOf(SEARCHED.search(entries, {}), 2, cursor)).toThrow('nextCursor');
  });

  it('refuses a cursor of the whole list in a search, and the other way round', () => {
    const [list, found] = [SEARCHED.search(entries, {}), SEARCHED.search(entries, { q: 'title' })];
    expect(() => pageOf(found, 2, pageOf(list, 2).nextCursor ?? '')).toThrow('nextCursor');
    expect(() => pageOf(list, 2, pageOf(found, 2).nextCursor ?? '')).toThrow('nextCursor');
  });
});
