import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { makePreset, makeTool } from '../../../test/support/catalog-entries.ts';
import { PUBLIC_DATA_TOOLS } from '../../public-data/tool-domain.ts';
import { createCatalog } from '../../tools/catalog/catalog.ts';
import { loadPresets } from '../../tools/catalog/load-presets.ts';
import { datasetsOf } from './datasets.ts';
import { keyNamesOf, presetsInLanguage, serversOf, testCallsOf } from './key-users.ts';

const { presets } = await loadPresets({
  dir: resolve(import.meta.dirname, '../../../presets'),
  domain: PUBLIC_DATA_TOOLS,
  lenient: false,
  logger: { error: () => undefined },
});
const shipped = createCatalog({ presets });

test('every key of the shipped presets can be tested, and says where to get it', () => {
  const names = keyNamesOf(shipped);
  expect(names.length).toBeGreaterThan(8);
  for (const name of names) {
    expect(testCallsOf(shipped, name)[0], name).toBeDefined();
    for (const { url, howToGet } of serversOf(shipped, name)) {
      expect([name, howToGet, url]).toEqual([
        name,
        expect.any(String),
        expect.stringMatching(/^https?:\/\/[\w./-]*\w\/?(\?[^.\s]*)?/),
      ]);
    }
  }
});

test('every key of the shipped presets says in Korean where to get it, at the same address', () => {
  const inKorean = presetsInLanguage(shipped, 'ko');
  for (const name of keyNamesOf(shipped)) {
    const korean = serversOf(inKorean, name);
    expect(korean.map(({ url }) => url)).toEqual(serversOf(shipped, name).map(({ url }) => url));
    for (const { howToGet } of korean) expect(howToGet).toMatch(/\p{Script=Hangul}/u);
    for (const { title } of datasetsOf(inKorean, name)) expect(title).toMatch(/\p{Script=Hangul}/u);
  }
});

test('the servers of the portal have an address for each dataset', () => {
  const servers = serversOf(shipped, 'PUBLIC_DATA_SERVICE_KEY');
  expect(servers.length).toBeGreaterThan(20);
  expect(servers.find(({ id }) => id === 'weather/kma-short-forecast')).toMatchObject({
    url: 'https://www.data.go.kr/data/15084084/openapi.do',
    tools: expect.arrayContaining([
      { name: 'kma_ultra_short_nowcast', title: 'Current weather in South Korea' },
    ]),
  });
});

test('a key is tested with the tool that needs the fewest arguments, and never with personal data', () => {
  const property = { type: 'string', examples: ['x'] };
  const needing = (name: string, ...required: string[]) => ({
    ...makeTool(name),
    secrets: ['A_KEY'],
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(required.map((each) => [each, property])),
      required,
    },
  });
  const catalog = createCatalog({
    presets: [
      makePreset(
        'a/b',
        needing('two', 'p', 'q'),
        needing('one', 'p'),
        { ...needing('stepping'), stepBack: 3 },
        { ...needing('personal'), personal: ['p'] },
        {
          ...needing('writing'),
          annotations: { ...makeTool('x').annotations, readOnlyHint: false },
        },
        {
          ...needing('unknown', 'p'),
          inputSchema: { type: 'object', properties: { p: { type: 'string' } }, required: ['p'] },
        },
        makeTool('keyless'),
      ),
    ],
  });
  expect(testCallsOf(catalog, 'A_KEY').map((call) => call.entry.tool.name)).toEqual([
    'one',
    'two',
    'stepping',
  ]);
  expect(testCallsOf(catalog, 'A_KEY')[1]?.arguments).toEqual({ p: 'x', q: 'x' });
});
