import { expect, it } from 'vitest';
import { PORTAL_FAMILY } from '../../public-data/tool-domain.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import { createMaySend } from './tool-readiness.ts';

const entry = (baseUrl: string, ...secrets: string[]) =>
  ({ tool: { baseUrl, secrets } }) as unknown as CatalogEntry;

it('a key may go to hosts of presets that name it, of publishers, and to origins that are allowed', () => {
  const presets = {
    presetEntries: [
      entry('http://one.example/v1', 'ONE'),
      entry('https://two.example:8443', 'TWO', 'ONE'),
      entry('https://three.example', 'THREE'),
    ],
  };
  const maySend = createMaySend(presets, [PORTAL_FAMILY]);
  const key = { name: 'ONE', origins: ['https://allowed.example'] };
  for (const origin of [
    ...['https://one.example', 'https://two.example:8443', 'https://allowed.example'],
    ...['https://apis.data.go.kr', 'http://api.odcloud.kr'],
  ])
    expect([origin, maySend(key, origin)]).toEqual([origin, true]);
  for (const origin of [
    ...['https://three.example', 'https://two.example', 'https://one.example:8443'],
    ...['http://allowed.example', 'https://apis.data.go.kr.example', 'https://one.example.com'],
  ])
    expect([origin, maySend(key, origin)]).toEqual([origin, false]);
  // Presets that are loaded again may name it elsewhere.
  presets.presetEntries = [entry('https://three.example', 'ONE')];
  expect(maySend(key, 'https://three.example')).toBe(true);
  expect(maySend(key, 'https://one.example')).toBe(false);
});
