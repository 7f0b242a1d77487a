import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeApi, makePreset, makeTool } from '../../../test/support/catalog-entries.ts';
import type { Caller } from '../../platform/kernel/caller.ts';
import { createCatalog } from '../../tools/catalog/catalog.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import { createLayer } from '../../tools/catalog-layer.ts';
import { encodeOnce } from './encode-once.ts';

const TENANTS = 1000;
const PRESET_TOOLS = 100;

const presets = [
  makePreset(
    'weather/sky',
    ...Array.from({ length: PRESET_TOOLS }, (_, n) => makeTool(`sky_${n}`)),
  ),
];

const callerOf = (n: number, allowedTools: string[] | null = null): Caller => ({
  tenantId: `ten_${n}`,
  tenantSlug: `t${n}`,
  apiKeyId: `key_${n}`,
  allowedTools,
});

/** An encoder that counts how often it encodes an entry. */
function countingEncoder() {
  let encodings = 0;
  const encode = encodeOnce(({ id, tool }) => {
    encodings++;
    return { id, name: tool.name };
  });
  return { encode, encodings: () => encodings };
}

const layerOf = (n: number, ...names: string[]) =>
  createLayer(
    makeApi(
      `t${n}/own`,
      names.map((name) => makeTool(name)),
    ),
    n,
  );

const parse = (pieces: readonly Buffer[]) => JSON.parse(`[${Buffer.concat(pieces)}]`);
const valuesOf = (entries: readonly CatalogEntry[]) =>
  entries.map(({ id, tool }) => ({ id, name: tool.name }));

describe('lists of tools', () => {
  it('are encoded once per layer, however many tenants there are and however often they list', () => {
    const catalog = createCatalog({ presets });
    for (let n = 0; n < TENANTS; n++) catalog.setTenantLayer(`ten_${n}`, layerOf(n, 'x', 'y'));
    const { encode, encodings } = countingEncoder();
    for (let round = 0; round < 2; round++) {
      for (let n = 0; n < TENANTS; n++) encode(catalog.list(callerOf(n)));
    }
    expect(encodings()).toBe(PRESET_TOOLS + 2 * TENANTS);
    catalog.setTenantLayer('ten_7', layerOf(TENANTS + 7, 'x'));
    encode(catalog.list(callerOf(7)));
    expect(encodings()).toBe(PRESET_TOOLS + 2 * TENANTS + 1);
  });

  it('share the bytes of the presets, which are a single piece', () => {
    const catalog = createCatalog({ presets });
    catalog.setTenantLayer('ten_1', layerOf(1, 'x', 'y'));
    catalog.setTenantLayer('ten_2', layerOf(2, 'x'));
    const { encode } = countingEncoder();
    const alone = encode(catalog.list(callerOf(0)));
    const [one, two] = [encode(catalog.list(callerOf(1))), encode(catalog.list(callerOf(2)))];
    expect([alone, one, two].map((pieces) => pieces.length)).toEqual([1, 3, 3]);
    expect(one[2]).toBe(alone[0]);
    expect(two[2]).toBe(alone[0]);
    expect(encode(catalog.list(callerOf(1)))).toBe(one);
    expect(parse(one)).toEqual(valuesOf(catalog.list(callerOf(1))));
  });

  it('of keys with fewer rights, of searches and of pages are not encoded again', () => {
    const catalog = createCatalog({ presets });
    catalog.setTenantLayer('ten_1', layerOf(1, 'x', 'y'));
    const { encode, encodings } = countingEncoder();
    const all = catalog.list(callerOf(1));
    encode(all);
    const before = encodings();
    const limited = catalog.list(callerOf(1, ['sky_*1', 'y']));
    for (const list of [limited, all.slice(1, 40), all.toReversed(), []]) {
      expect(parse(encode(list))).toEqual(valuesOf(list));
    }
    expect(encodings()).toBe(before);
  });

  it('have few pieces', () => {
    const catalog = createCatalog({ presets });
    const { encode } = countingEncoder();
    expect(encode(catalog.list(callerOf(1, ['sky_*1'])))).toHaveLength(1);
    expect(encode(catalog.list(callerOf(1, ['sky_1', 'sky_3'])))).toHaveLength(3);
  });

  it('have a tool under the name that its tenant sees', () => {
    const catalog = createCatalog({ presets });
    catalog.setTenantLayer('ten_1', layerOf(1, 'sky_50'));
    const { encode, encodings } = countingEncoder();
    const list = catalog.list(callerOf(1));
    expect(parse(encode(list))).toEqual(valuesOf(list));
    expect(parse(encode(list))).toContainEqual({
      id: 'weather.sky.sky_50',
      name: 'sky_sky_50',
    });
    expect(encodings()).toBe(PRESET_TOOLS + 2);
  });

  it('are the same bytes as without preparation, with any tools left out', () => {
    const catalog = createCatalog({ presets });
    catalog.setTenantLayer('ten_1', layerOf(1, 'x', 'y', 'z'));
    const all = catalog.list(callerOf(1));
    const places = fc.uniqueArray(fc.nat(all.length - 1));
    fc.assert(
      fc.property(places, fc.array(places, { maxLength: 3 }), (omitted, requests) => {
        const without = new Set(omitted.map((at) => all[at]));
        const value = ({ id, tool }: CatalogEntry) => ({ id, text: `"${tool.name}" 날씨` });
        const encode = encodeOnce((entry) => (without.has(entry) ? undefined : value(entry)));
        for (const list of [
          ...requests.map((request) => request.flatMap((at) => all[at] ?? [])),
          all,
        ]) {
          const expected = JSON.stringify(list.filter((entry) => !without.has(entry)).map(value));
          expect(`[${Buffer.concat(encode(list))}]`).toBe(expected);
        }
      }),
    );
  });
});
