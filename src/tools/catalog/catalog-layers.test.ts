import { describe, expect, it } from 'vitest';
import { makeApi, makePreset, makeTool } from '../../../test/support/catalog-entries.ts';
import type { Caller } from '../../platform/kernel/caller.ts';
import { matchesPattern } from '../../platform/kernel/tool-policy.ts';
import { type CatalogEntry, presetEntries } from '../catalog-entry.ts';
import { createLayer } from '../catalog-layer.ts';
import { type Catalog, createCatalog } from './catalog.ts';

const PRESETS = [
  makePreset('weather/sky', makeTool('sky_now', 'Weather of now.'), makeTool('sky_later')),
  makePreset('economy/bank', makeTool('bank_rates')),
];

const callerOf = (tenant: string, rights: Partial<Caller> = {}): Caller => ({
  tenantId: `ten_${tenant}`,
  tenantSlug: tenant,
  apiKeyId: `key_${tenant}`,
  allowedTools: null,
  ...rights,
});
const [a, b, c] = [callerOf('a'), callerOf('b'), callerOf('c')];

const petsOf = (tenant: string) =>
  makeApi(
    `${tenant}/pets`,
    [
      makeTool('get_pets', `Pets of ${tenant}.`),
      makeTool(`only_${tenant}`, `Zebras of ${tenant}.`),
    ],
    { category: `own-${tenant}` },
  );

const namesOf = (entries: readonly CatalogEntry[]) => entries.map(({ tool }) => tool.name);
const listed = (catalog: Catalog, caller: Caller) => namesOf(catalog.list(caller));

function openCatalog(): Catalog {
  const catalog = createCatalog({ presets: PRESETS });
  catalog.setTenantLayer('ten_a', createLayer(petsOf('a')));
  catalog.setTenantLayer('ten_b', createLayer(petsOf('b')));
  return catalog;
}

describe('two tenants with an API of the same name', () => {
  /** What each surface shows a caller of the tenant `of`, as ids. */
  const SURFACES: Readonly<
    Record<string, (catalog: Catalog, caller: Caller, of: string) => readonly unknown[]>
  > = {
    list: (catalog, caller, of) =>
      catalog.list(caller).filter(({ id }) => id.startsWith(`@${of}.`)),
    search: (catalog, caller, of) =>
      catalog
        .search(catalog.list(caller), { q: `zebras of ${of}` })
        .filter(({ entry }) => entry.id.startsWith(`@${of}.`)),
    'search by category': (catalog, caller, of) => {
      try {
        return catalog.search(catalog.list(caller), { category: `own-${of}` });
      } catch {
        return [];
      }
    },
    'search by source': (catalog, caller, of) =>
      catalog
        .search(catalog.list(caller), { source: 'registered' })
        .filter(({ entry }) => entry.id.startsWith(`@${of}.`)),
    find: (catalog, caller, of) =>
      [catalog.find(caller, `only_${of}`), catalog.find(caller, 'get_pets')].filter((entry) =>
        entry?.id.startsWith(`@${of}.`),
      ),
    'findById by id': (catalog, caller, of) =>
      [catalog.findById(caller, `@${of}.pets.get_pets`)].filter(Boolean),
    'findById by name': (catalog, caller, of) =>
      [catalog.findById(caller, `only_${of}`)].filter(Boolean),
    categories: (catalog, caller, of) =>
      catalog.categories(caller).filter((category) => category === `own-${of}`),
    isDenied: (catalog, caller, of) =>
      [catalog.isDenied({ ...caller, allowedTools: [] }, `only_${of}`)].filter(Boolean),
  };

  it.each(Object.entries(SURFACES))('see their own tools only: %s', (_, shown) => {
    const catalog = openCatalog();
    expect(shown(catalog, a, 'a').length).toBeGreaterThan(0);
    expect(shown(catalog, b, 'b').length).toBeGreaterThan(0);
    for (const [caller, other] of [
      [a, 'b'],
      [b, 'a'],
      [c, 'a'],
      [c, 'b'],
    ] as const) {
      expect(shown(catalog, caller, other)).toEqual([]);
    }
  });

  it('find their own tool under the name that both use', () => {
    const catalog = openCatalog();
    expect(catalog.find(a, 'get_pets')?.description).toBe('Pets of a.');
    expect(catalog.find(b, 'get_pets')?.description).toBe('Pets of b.');
    expect(catalog.findById(b, 'get_pets')?.id).toBe('@b.pets.get_pets');
    expect(catalog.find(c, 'get_pets')).toBeUndefined();
  });

  it('see them sorted by id among the presets', () => {
    expect(
      openCatalog()
        .list(a)
        .map(({ id }) => id),
    ).toEqual([
      '@a.pets.get_pets',
      '@a.pets.only_a',
      'economy.bank.bank_rates',
      'weather.sky.sky_later',
      'weather.sky.sky_now',
    ]);
  });

  it('count servers and tools of their own', () => {
    const catalog = openCatalog();
    expect([a, b, c].map(catalog.counts)).toEqual([
      { servers: 3, tools: 5 },
      { servers: 3, tools: 5 },
      { servers: 2, tools: 3 },
    ]);
  });
});

describe('lists', () => {
  it('are the same array until something changes', () => {
    const catalog = openCatalog();
    const before = [catalog.list(a), catalog.categories(a), catalog.list(c)];
    expect([catalog.list(a), catalog.categories(a), catalog.list(c)]).toEqual(before);
    expect(catalog.list(a)).toBe(before[0]);
    expect(catalog.categories(a)).toBe(before[1]);
    catalog.setTenantLayer('ten_b', createLayer(petsOf('b'), 1));
    expect(catalog.list(a)).toBe(before[0]);
    catalog.setTenantLayer('ten_a', createLayer(petsOf('a'), 1));
    expect(catalog.list(a)).not.toBe(before[0]);
    const limited = callerOf('a', { allowedTools: ['sky_*', '@a.*'] });
    expect(catalog.list(limited)).toBe(catalog.list(limited));
  });

  it('are those of the presets, the very same array, for every tenant without a layer', () => {
    const catalog = openCatalog();
    expect(catalog.list(c)).toBe(catalog.presetEntries);
    expect(catalog.list(callerOf('d'))).toBe(catalog.presetEntries);
    catalog.setTenantLayer('ten_a', createLayer([], 2));
    catalog.setTenantLayer('ten_b', null);
    expect(catalog.list(a)).toBe(catalog.presetEntries);
    expect(catalog.list(b)).toBe(catalog.presetEntries);
  });

  it('of keys with fewer rights are not shared with a tenant that has other tools', () => {
    const catalog = openCatalog();
    const names = (tenant: string) =>
      listed(catalog, callerOf(tenant, { allowedTools: ['get_pets', 'sky_now'] }));
    expect([names('a'), names('c'), names('b')]).toEqual([
      ['get_pets', 'sky_now'],
      ['sky_now'],
      ['get_pets', 'sky_now'],
    ]);
    expect(catalog.list(callerOf('a', { allowedTools: ['get_pets'] }))[0]?.id).toBe(
      '@a.pets.get_pets',
    );
  });
});

describe('remembered lists of keys with fewer rights', () => {
  it.each([
    ['a tenant without a layer', 'c', 256],
    ['a tenant with one', 'a', 16],
  ])('are bounded for %s', (_, tenant, max) => {
    const catalog = openCatalog();
    const list = (n: number) =>
      catalog.list(callerOf(tenant, { allowedTools: ['sky_now', `tool_${n}`] }));
    const first = list(0);
    for (let n = 1; n < max; n++) list(n);
    expect(list(0)).toBe(first);
    for (let n = 1; n <= max; n++) list(n);
    expect(list(0)).not.toBe(first);
    expect(list(0)).toEqual(first);
  });
});

describe('changing a layer', () => {
  it('replaces all of its tools, and leaves the entry of a call in flight as it was', () => {
    const catalog = openCatalog();
    const found = catalog.find(a, 'only_a');
    catalog.setTenantLayer('ten_a', createLayer(makeApi('a/cars', [makeTool('get_cars')]), 1));
    expect(listed(catalog, a)).toEqual(['get_cars', 'bank_rates', 'sky_later', 'sky_now']);
    expect(catalog.find(a, 'only_a')).toBeUndefined();
    expect(catalog.search(catalog.list(a), { q: 'zebras' })).toEqual([]);
    expect(found?.tool.description).toBe('Zebras of a.');
  });

  it('ignores a layer that is older than the present one', () => {
    const catalog = createCatalog({ presets: PRESETS });
    expect(catalog.setTenantLayer('ten_a', createLayer(petsOf('a'), 2))).toBe(true);
    expect(catalog.setTenantLayer('ten_a', createLayer([], 1))).toBe(false);
    expect(listed(catalog, a)).toContain('get_pets');
    catalog.setTenantLayer('ten_a', null);
    expect(catalog.setTenantLayer('ten_a', createLayer(petsOf('a'), 1))).toBe(true);
  });

  it('refuses a layer with the same id twice', () => {
    expect(() => createLayer([...petsOf('a'), ...petsOf('a')])).toThrow('@a.pets.get_pets');
  });
});

describe('a preset that is added after a tool was registered under its name', () => {
  it('changes nothing for that tool, and gets another name for its tenant', () => {
    const catalog = createCatalog({ presets: PRESETS });
    catalog.setTenantLayer('ten_a', createLayer(makeApi('a/own', [makeTool('sky_now', 'Mine.')])));
    expect(catalog.find(a, 'sky_now')?.description).toBe('Mine.');
    expect(catalog.find(a, 'sky_sky_now')?.id).toBe('weather.sky.sky_now');
    expect(catalog.findById(a, 'weather.sky.sky_now')?.tool.name).toBe('sky_sky_now');
    expect(catalog.find(c, 'sky_now')).toBe(catalog.findById(c, 'weather.sky.sky_now'));
    expect(new Set(listed(catalog, a)).size).toBe(4);
  });

  it('is still found by its patterns', () => {
    const catalog = createCatalog({ presets: PRESETS });
    catalog.setTenantLayer('ten_a', createLayer(makeApi('a/own', [makeTool('sky_now', 'Mine.')])));
    const limited = callerOf('a', { allowedTools: ['sky_*'] });
    expect(catalog.list(limited).map(({ id }) => id)).toEqual([
      'weather.sky.sky_later',
      'weather.sky.sky_now',
    ]);
  });
});

it('lists every visible tool once, under a name that finds it, for any mixture of names', () => {
  const names = ['get', 'own_get', 'sky_get', 'own_own_get', 'sky_now', 'sky_sky_now'];
  const presets = [makePreset('weather/sky', makeTool('sky_now'), makeTool('get'))];
  for (let bits = 0; bits < 1 << names.length; bits++) {
    const own = names.filter((_, at) => bits & (1 << at));
    const catalog = createCatalog({ presets });
    const tools = own.map((name) => makeTool(name));
    catalog.setTenantLayer('ten_a', createLayer(makeApi('a/own', tools)));
    const list = catalog.list(a);
    expect(list).toHaveLength(2 + own.length);
    for (const entry of list) {
      expect(catalog.find(a, entry.tool.name)).toBe(entry);
      expect(catalog.findById(a, entry.id)).toBe(entry);
    }
    expect(own.map((name) => catalog.find(a, name)?.id)).toEqual(
      own.map((name) => `@a.own.${name}`),
    );
  }
});

it('never lets a pattern for names reach more presets than it did', () => {
  const entries = PRESETS.flatMap((preset) => presetEntries(preset, ''));
  const catalog = createCatalog({ presets: PRESETS });
  for (const pattern of ['*', 'sky_*', '*_now', '*weather*', 'sky', 'bank_rates']) {
    expect(listed(catalog, callerOf('a', { allowedTools: [pattern] }))).toEqual(
      namesOf(entries)
        .filter((name) => matchesPattern(pattern, name))
        .sort(),
    );
  }
});

describe('other presets', () => {
  it('replace all tools of presets for every tenant, and leave what did not change as it was', () => {
    const [sky = makePreset('weather/sky')] = PRESETS;
    const catalog = openCatalog();
    const before = catalog.find(c, 'sky_now');
    const found = catalog.find(c, 'bank_rates');
    catalog.setPresets([makePreset('sea/ship', makeTool('ship_now', 'Ships at sea.')), sky]);
    expect(catalog.servers.map(({ id }) => id)).toEqual(['sea/ship', 'weather/sky']);
    expect(namesOf(catalog.presetEntries)).toEqual(['ship_now', 'sky_later', 'sky_now']);
    expect(catalog.find(a, 'bank_rates')).toBeUndefined();
    expect(catalog.find(a, 'ship_now')?.id).toBe('sea.ship.ship_now');
    expect(catalog.find(c, 'sky_now')?.tool).toBe(before?.tool);
    expect(found?.tool.name).toBe('bank_rates');
    expect(catalog.categories(a)).toEqual(['own-a', 'sea', 'weather']);
    expect(catalog.counts(a)).toEqual({ servers: 3, tools: 5 });
  });

  it('are searched, with the registered tools beside them', () => {
    const catalog = openCatalog();
    const search = (q: string) =>
      catalog.search(catalog.list(a), { q }).map(({ entry }) => entry.tool.name);
    expect([search('ships at sea'), search('zebras')]).toEqual([[], ['only_a']]);
    catalog.setPresets([makePreset('sea/ship', makeTool('ship_now', 'Ships at sea.'))]);
    expect([search('ships at sea'), search('zebras')]).toEqual([['ship_now'], ['only_a']]);
    expect(search('bank rates')).toEqual([]);
  });
});

describe('a tenant to which presets describe themselves otherwise', () => {
  const hasSecret = () => true;
  const describeSky = { hasSecret, noteOn: ({ tool }: Pick<CatalogEntry, 'tool'>) => noteOn(tool) };
  const noteOn = ({ name }: CatalogEntry['tool']) => (name === 'sky_now' ? 'Own note.' : undefined);
  const said = (catalog: Catalog, caller: Caller) => catalog.find(caller, 'sky_now')?.description;

  it('sees its own texts wherever it looks, and others see theirs', () => {
    const catalog = openCatalog();
    const before = catalog.list(c);
    catalog.describeTenants(new Map([a, c].map(({ tenantId }) => [tenantId, describeSky])));
    for (const caller of [a, c]) {
      expect(said(catalog, caller)).toBe('Weather of now. Own note.');
      const shown = [
        catalog.findById(caller, 'weather.sky.sky_now'),
        catalog.list(caller).find(({ tool }) => tool.name === 'sky_now'),
        catalog.search(catalog.list(caller), { q: 'weather of now' })[0]?.entry,
      ];
      expect(shown.map((entry) => entry?.description)).toEqual(
        shown.map(() => 'Weather of now. Own note.'),
      );
    }
    expect(said(catalog, b)).toBe('Weather of now.');
    expect(listed(catalog, a)).toContain('only_a');
    catalog.describeTenants(new Map());
    expect([a, c].map((caller) => said(catalog, caller))).toEqual(Array(2).fill('Weather of now.'));
    expect(catalog.list(c)).toBe(before);
  });

  it('shares the list of all if nothing differs', () => {
    const catalog = createCatalog({ presets: PRESETS });
    catalog.describeTenants(new Map([['ten_a', { hasSecret, noteOn: () => undefined }]]));
    expect(catalog.list(a)).toBe(catalog.list(b));
  });
});
