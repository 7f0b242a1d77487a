import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { SETTINGS } from '../src/platform/config/settings.ts';

const page = readFileSync(resolve(import.meta.dirname, '../docs/limits.md'), 'utf8');

test('docs/limits.md names settings that exist', () => {
  const named = [...page.matchAll(/`([A-Z]+_[A-Z_]+)`/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(20);
  const other = ['NAME_FILE'];
  expect(named.filter((name) => !(name in SETTINGS) && !other.includes(name))).toEqual([]);
});
