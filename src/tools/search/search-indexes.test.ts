import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { makeApi, makeTool, makeWordyTools } from '../../../test/support/catalog-entries.ts';
import { createLayer } from '../catalog-layer.ts';
import { createSearchIndexes } from './search-indexes.ts';

const layerOf = (slug: string, tools = 200) =>
  createLayer(
    makeApi(
      `${slug}/own`,
      Array.from({ length: tools }, (_, n) => makeTool(`zebra_${n}`, `Zebra ${n} of ${slug}.`)),
    ),
  );
const presets = createLayer([]);

/** A layer with more words than an index may have. */
const wordyLayer = (slug: string) => createLayer(makeApi(`${slug}/own`, makeWordyTools(30)));

describe('the search indexes', () => {
  it('are prepared once, without blocking the event loop', async () => {
    const indexes = createSearchIndexes(presets);
    const layer = layerOf('a');
    const preparing = indexes.prepare([layer]);
    let turns = 0;
    let prepared = false;
    void preparing?.then(() => {
      prepared = true;
    });
    while (!prepared) {
      await nextTurn();
      turns++;
    }
    expect(turns).toBeGreaterThan(2);
    expect(indexes.prepare([layer])).toBeUndefined();
    expect(indexes.of(layer).score('zebra').size).toBe(200);
  });

  it('share the work of searches that start together', async () => {
    const indexes = createSearchIndexes(presets);
    const [one, two] = [layerOf('a'), layerOf('b')];
    await Promise.all([
      indexes.prepare([one]),
      indexes.prepare([one, two]),
      indexes.prepare([two]),
    ]);
    expect(indexes.of(one)).toBe(indexes.of(one));
    expect(indexes.prepare([one, two])).toBeUndefined();
  });

  it('of presets are prepared and kept, too', async () => {
    const indexes = createSearchIndexes(presets);
    await indexes.prepare([presets]);
    expect(indexes.prepare([presets])).toBeUndefined();
  });

  it('have a bounded number of terms, each and together', async () => {
    const indexes = createSearchIndexes(presets);
    const layers = ['a', 'b', 'c', 'd', 'e'].map(wordyLayer);
    for (const layer of layers) {
      await indexes.prepare([layer]);
      // The tool that reaches the bound is the last one.
      expect(indexes.of(layer).terms).toBeGreaterThanOrEqual(25_000);
      expect(indexes.of(layer).terms).toBeLessThan(27_000);
    }
    const kept = layers.filter((layer) => indexes.prepare([layer]) === undefined);
    expect(kept).toEqual(layers.slice(1));
  });
});
