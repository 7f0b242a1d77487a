import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PUBLIC_DATA_TOOLS } from '../../src/public-data/tool-domain.ts';
import { loadPresets } from '../../src/tools/catalog/load-presets.ts';
import { LAST_GOOD_HOURS, PUBLISHED_QUOTAS } from './published-limits.ts';

const WEEK_HOURS = 7 * 24;

const { presets } = await loadPresets({
  dir: resolve(import.meta.dirname, '../../presets'),
  domain: PUBLIC_DATA_TOOLS,
});

describe.each(presets)('$id', ({ id, tools }) => {
  it('has the quota that its provider publishes, or none', () => {
    for (const { quota } of tools) expect(quota).toEqual(PUBLISHED_QUOTAS[id] ?? null);
  });

  it.each(tools)(
    'lets an old response of $name replace a failure as long as it does not mislead',
    (tool) => {
      expect(tool.lastGoodSeconds / 3600).toBe(LAST_GOOD_HOURS[tool.name] ?? WEEK_HOURS);
    },
  );
});

it('knows limits of presets and tools that exist only', () => {
  expect(presets.map(({ id }) => id)).toEqual(
    expect.arrayContaining(Object.keys(PUBLISHED_QUOTAS)),
  );
  const names = presets.flatMap(({ tools }) => tools.map(({ name }) => name));
  expect(names).toEqual(expect.arrayContaining(Object.keys(LAST_GOOD_HOURS)));
});
