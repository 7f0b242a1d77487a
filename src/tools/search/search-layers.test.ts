import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeApi, makeTool, makeWordyTools } from '../../../test/support/catalog-entries.ts';
import type { Caller } from '../../platform/kernel/caller.ts';
import { PUBLIC_DATA_TOOLS } from '../../public-data/tool-domain.ts';
import { type Catalog, createCatalog } from '../catalog/catalog.ts';
import { loadPresets } from '../catalog/load-presets.ts';
import { createLayer } from '../catalog-layer.ts';
import type { PresetServer, Tool } from '../model.ts';

const caller: Caller = {
  tenantId: 'ten_a',
  tenantSlug: 'a',
  apiKeyId: 'key_a',
  allowedTools: null,
};

/** Tools that have nothing to do with any query. */
const others = (count: number): Tool[] =>
  Array.from({ length: count }, (_, n) =>
    makeTool(`widget_${n}`, `Returns the parts of widget ${n}.`),
  );

describe('search in several layers', () => {
  let presets: readonly PresetServer[];
  beforeAll(async () => {
    const dir = join(import.meta.dirname, '../../../presets');
    ({ presets } = await loadPresets({ dir, domain: PUBLIC_DATA_TOOLS }));
  });

  const withOwn = (...tools: Tool[]): Catalog => {
    const catalog = createCatalog({ presets });
    catalog.setTenantLayer('ten_a', createLayer(makeApi('a/own', tools)));
    return catalog;
  };
  const search = (catalog: Catalog, q: string) => catalog.search(catalog.list(caller), { q });
  const namesOf = (matches: ReturnType<typeof search>) =>
    matches.map(({ entry }) => entry.tool.name);
  const presetNamed = (name: string): Tool => {
    const tool = presets.flatMap(({ tools }) => tools).find((each) => each.name === name);
    if (!tool) throw new Error(`There is no preset tool ${name}.`);
    return tool;
  };

  it('scores presets as without other layers', () => {
    const alone = createCatalog({ presets });
    for (const q of ['weather', '미세먼지', 'exchange rate of the won', 'movies']) {
      const scores = new Map(search(alone, q).map(({ entry, score }) => [entry, score]));
      const beside = search(withOwn(makeTool('weather_widget', 'Weather.')), q);
      for (const { entry, score } of beside.filter(
        ({ entry: { source } }) => source === 'preset',
      )) {
        expect([...scores].find(([{ id }]) => id === entry.id)?.[1]).toBe(score);
      }
    }
  });

  it.each([1, 20, 1000])(
    'scores a tool about as high as a preset with the same texts, in a layer of %i',
    (size) => {
      const cases = [
        ['kma_ultra_short_nowcast', 'current weather'],
        ['exim_exchange_rates', '환율'],
        ['kofic_daily_box_office', 'box office'],
        ['std_museum_list', 'museum opening hours'],
        ['fsc_stock_prices', 'Samsung stock price'],
      ] as const;
      for (const [name, q] of cases) {
        const own = { ...presetNamed(name), name: `${name}_own` };
        const matches = search(withOwn(own, ...others(size - 1)), q);
        const scoreOf = (wanted: string) =>
          matches.find(({ entry }) => entry.tool.name === wanted)?.score ?? 0;
        const ratio = scoreOf(`${name}_own`) / scoreOf(name);
        expect(ratio).toBeGreaterThan(1 / 3);
        expect(ratio).toBeLessThan(3);
      }
    },
  );

  it('finds a tool whose words all its neighbours have, too', () => {
    const tools = Array.from({ length: 20 }, (_, n) =>
      makeTool(`station_${n}`, `Current weather at station ${n}.`),
    );
    const found = namesOf(search(withOwn(...tools), 'current weather'));
    expect(found.filter((name) => name.startsWith('station_'))).toHaveLength(20);
    expect(found).toContain('kma_ultra_short_nowcast');
  });

  it('ranks the best match of each layer above unrelated tools of the others', () => {
    const catalog = withOwn(
      makeTool('ship_parcel', 'Ships a parcel with the carrier of your choice.'),
      makeTool('track_parcel', 'Tracks where a parcel is now, and current delays.'),
      ...others(10),
    );
    expect(namesOf(search(catalog, 'track parcel'))[0]).toBe('track_parcel');
    expect(namesOf(search(catalog, '미세먼지')).slice(0, 3)).toContain('airkorea_sido_realtime');
    expect(namesOf(search(catalog, 'current weather')).slice(0, 3)).toContain(
      'kma_ultra_short_nowcast',
    );
  });

  it('indexes a layer again that gave way to others, and of each layer a bounded number of words', () => {
    const catalog = createCatalog({ presets: [] });
    const large = (slug: string) =>
      createLayer(
        makeApi(`${slug}/own`, [makeTool('a_zebra'), ...makeWordyTools(40), makeTool('z_zebra')]),
      );
    const tenants = ['a', 'b', 'c', 'd', 'e', 'f'];
    const found = tenants.concat('a').map((slug) => {
      if (catalog.list({ ...caller, tenantId: slug, tenantSlug: slug }).length === 0) {
        catalog.setTenantLayer(slug, large(slug));
      }
      const list = catalog.list({ ...caller, tenantId: slug, tenantSlug: slug });
      return catalog.search(list, { q: 'zebra' }).map(({ entry }) => entry.id);
    });
    expect(found).toEqual([...tenants, 'a'].map((slug) => [`@${slug}.own.a_zebra`]));
  });
});
