import { describe, expect, it } from 'vitest';
import {
  makeApi,
  makePreset as preset,
  makeTool as tool,
} from '../../../test/support/catalog-entries.ts';
import type { Caller } from '../../platform/kernel/caller.ts';
import { createLayer } from '../catalog-layer.ts';
import type { Tool } from '../model.ts';
import { createCatalog } from './catalog.ts';
import { pageOf } from './catalog-page.ts';

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
const catalog = createCatalog({ presets: PRESETS, clock });

describe('the catalog', () => {
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
      createdAt: '2026-11-20T00:00:00.000Z',
    });
    expect(catalog.servers.map((server) => server.id)).toEqual(['economy/bank', 'weather/sky']);
  });

  it('finds a tool by its name and by its id, and by nothing else', () => {
    expect(catalog.find(caller(), 'sky_now')?.id).toBe('weather.sky.sky_now');
    expect(catalog.find(caller(), 'weather.sky.sky_now')?.tool.name).toBe('sky_now');
    expect(catalog.find(caller(), 'constructor')).toBeUndefined();
    expect(catalog.findById(caller(), 'weather.sky.sky_now')?.tool.name).toBe('sky_now');
    expect(catalog.findById(caller(), 'sky_now')?.tool.name).toBe('sky_now');
    expect(catalog.findById(caller(), 'constructor')).toBeUndefined();
  });

  it('hides the tools that a key may not use, in lists as well as in lookups', () => {
    const limited = caller(['sky_*']);
    expect(catalog.list(limited).map((entry) => entry.tool.name)).toEqual(['sky_later', 'sky_now']);
    expect(catalog.find(limited, 'bank_rates')).toBeUndefined();
    expect(catalog.find(limited, 'economy.bank.bank_rates')).toBeUndefined();
    expect(catalog.findById(limited, 'economy.bank.bank_rates')).toBeUndefined();
    expect(catalog.find(limited, 'sky_now')).toBeDefined();
  });

  it('returns the same list to callers with the same rights', () => {
    expect(catalog.list(caller())).toBe(catalog.list(caller()));
    expect(catalog.list(caller(['sky_*']))).toBe(catalog.list(caller(['sky_*'])));
  });

  it('mentions missing secrets in the description, and leaves the tool itself unchanged', () => {
    const keyed: Tool = { ...tool('sky_now', 'The sky.'), secrets: ['A_KEY', 'B_KEY', 'C_KEY'] };
    const presets = [preset('weather/sky', keyed)];
    const having = (...names: string[]) =>
      createCatalog({ presets, clock, hasSecret: (name) => names.includes(name) });
    const described = (some: ReturnType<typeof having>) => some.list(caller())[0]?.description;
    expect(described(having('A_KEY', 'B_KEY', 'C_KEY'))).toBe('The sky.');
    expect(described(having('A_KEY', 'C_KEY'))).toBe(
      'The sky. Needs the secret B_KEY, which is not set on this gateway.',
    );
    expect(described(having('C_KEY'))).toBe(
      'The sky. Needs the secrets A_KEY and B_KEY, which are not set on this gateway.',
    );
    expect(having().list(caller())[0]?.tool).toBe(keyed);
  });

  it('describes the tools again when other secrets are set, for every tenant', () => {
    const keyed: Tool = { ...tool('sky_now', 'The sky.'), secrets: ['A_KEY'] };
    const names = new Set<string>();
    const changing = createCatalog({
      presets: [preset('weather/sky', keyed)],
      clock,
      hasSecret: (name) => names.has(name),
    });
    const owner = { ...caller(), tenantId: 'ten_2' };
    changing.setTenantLayer('ten_2', createLayer(makeApi('two/own', [tool('own')])));
    const found = (who = caller()) => changing.find(who, 'sky_now')?.description;
    const note = 'The sky. Needs the secret A_KEY, which is not set on this gateway.';
    expect([found(), found(owner)]).toEqual([note, note]);
    const [before, index] = [
      changing.list(caller()),
      changing.search(changing.presetEntries, { q: 'sky' }),
    ];
    names.add('A_KEY');
    changing.describePresets();
    expect([found(), found(owner)]).toEqual(['The sky.', 'The sky.']);
    expect(changing.list(caller())).not.toBe(before);
    expect(before[0]?.description).toBe(note);
    const after = changing.search(changing.presetEntries, { q: 'sky' });
    expect(after.map(({ score }) => score)).toEqual(index.map(({ score }) => score));
    expect(after[0]?.entry.description).toBe('The sky.');
    names.delete('A_KEY');
    changing.describePresets();
    expect(found()).toBe(note);
  });
});

describe('searching and paging', () => {
  const presets = [
    ...PRESETS,
    preset('weather/air', tool('dust_hourly', 'Fine dust per station (초미세먼지 농도).')),
    preset(
      'culture/films',
      tool('film_ranks', 'Takings of the day, by cinema.'),
      tool('film_find', 'One film by its title; see film_ranks for takings of the day.'),
      tool('stage_find', 'Plays by their title. Films are not in it.'),
    ),
  ];
  const SEARCHED = createCatalog({ presets });
  const entries = SEARCHED.list(caller());
  const names = (query: Parameters<typeof SEARCHED.search>[1], among = entries) =>
    SEARCHED.search(among, query).map(({ entry }) => entry.tool.name);

  it.each([
    ['in any case', 'CINEMA', 'film_ranks'],
    ['in the plural', 'cinemas', 'film_ranks'],
    ['by its prefix', 'excha', 'bank_rates'],
    ['with a typo', 'exchnge', 'bank_rates'],
    ['inside a Korean word', '미세먼지', 'dust_hourly'],
    ['by a piece of a Korean word', '미세한먼지', 'dust_hourly'],
    ['with a Korean particle', '환율은', 'bank_rates'],
    ['in decomposed Hangul', '환율'.normalize('NFD'), 'bank_rates'],
    ['by an English word for the Korean one', 'currency', 'bank_rates'],
    ['by a Korean word for the English one', '영화', 'film_ranks'],
    ['by a synonym', '대기질', 'dust_hourly'],
    ['by the name of its server', 'title of weather/air', 'dust_hourly'],
  ])('finds a word %s: %s', (_how, q, name) => {
    expect(names({ q })[0]).toBe(name);
  });

  it('ranks names above descriptions', () => {
    expect(names({ q: 'stage find' })[0]).toBe('stage_find');
    expect(names({ q: 'film' }).slice(0, 2)).toEqual(['film_find', 'film_ranks']);
  });

  it('finds nothing for words that do not occur', () => {
    expect(names({ q: 'zymurgy' })).toEqual([]);
    expect(names({ q: '!?' })).toEqual([]);
  });

  it('keeps the given order without words', () => {
    expect(names({})).toEqual(entries.map((entry) => entry.tool.name));
    expect(names({ q: '  ' })).toEqual(names({}));
    expect(names({ category: 'weather' })).toEqual(['dust_hourly', 'sky_later', 'sky_now']);
    expect(names({ source: 'registered' })).toEqual([]);
  });

  it('filters matches by category', () => {
    expect(names({ q: 'of the day title', category: 'weather' })).not.toContain('film_ranks');
    expect(names({ q: 'seoul', category: 'weather' })).toEqual(['sky_now']);
  });

  it('rejects an unknown category and lists those that the caller sees', () => {
    expect(() => names({ category: 'wether' })).toThrow('Available: culture, economy, weather.');
    const limited = SEARCHED.list(caller(['sky_*']));
    expect(() => names({ category: 'culture' }, limited)).toThrow('Available: weather.');
  });

  it('finds only tools that the caller may use', () => {
    expect(names({ q: 'film' }, SEARCHED.list(caller(['film_ranks'])))).toEqual(['film_ranks']);
    expect(names({ q: 'film' }, SEARCHED.list(caller(['sky_*'])))).toEqual([]);
  });

  it.each([undefined, 'title'])(
    'returns all pages of %j without repeating or skipping a tool',
    (q) => {
      const matches = SEARCHED.search(entries, q === undefined ? {} : { q });
      const all = matches.map(({ entry }) => entry);
      expect(all.length).toBeGreaterThan(4);
      const first = pageOf(matches, 2);
      expect(first.entries).toEqual(all.slice(0, 2));
      const rest = pageOf(matches, 100, first.nextCursor ?? '');
      expect(rest).toEqual({ entries: all.slice(2), nextCursor: null });
      // The last entry of the first page disappears, as when a key loses a right.
      const fewer = matches.filter(({ entry }) => entry !== all[1]);
      expect(pageOf(fewer, 100, first.nextCursor ?? '').entries).toEqual(all.slice(2));
    },
  );

  it.each(['', '***', 'not a cursor', 'WzEsMl0', 'e30'])('rejects the cursor %j', (cursor) => {
    expect(() => pageOf(SEARCHED.search(entries, {}), 2, cursor)).toThrow('nextCursor');
  });

  it('rejects a cursor of the whole list in a search, and vice versa', () => {
    const [list, found] = [SEARCHED.search(entries, {}), SEARCHED.search(entries, { q: 'title' })];
    expect(() => pageOf(found, 2, pageOf(list, 2).nextCursor ?? '')).toThrow('nextCursor');
    expect(() => pageOf(list, 2, pageOf(found, 2).nextCursor ?? '')).toThrow('nextCursor');
  });
});
