import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { SETTINGS } from '../src/platform/config/settings.ts';

const page = readFileSync(resolve(import.meta.dirname, '../docs/limits.md'), 'utf8');

type Name = keyof typeof SETTINGS;

/** The default of a setting as the page writes it: `1 MiB`, `10 s`, `5,000`. */
function shown(name: Name): string {
  const value = Number(SETTINGS[name].default);
  if (name.endsWith('_BYTES'))
    return value % 1024 ** 2 ? `${value / 1024} KiB` : `${value / 1024 ** 2} MiB`;
  if (name.endsWith('_SECONDS')) return `${value} s`;
  return name.endsWith('_MS') ? `${value / 1000} s` : value.toLocaleString('en');
}

const isSetting = (name: string): name is Name => name in SETTINGS;

test('docs/limits.md names settings that exist, with their defaults', () => {
  const named = [...page.matchAll(/([\d.,]+(?: (?:[KM]iB|s\b))?)[^|;(]*\(`([A-Z]+_[A-Z_]+)`/g)];
  expect(named.length).toBeGreaterThan(15);
  const wrong = named.filter(
    ([, limit, name = '']) => !isSetting(name) || (limit !== shown(name) && SETTINGS[name].default),
  );
  expect(wrong.map(([text]) => text)).toEqual([]);
});
