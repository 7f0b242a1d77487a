import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REQUIREMENTS } from './requirements.ts';

const cited = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'))
  .flatMap((text) => [...text.matchAll(/verifies\(([^)]*)\)/g)])
  .flatMap((match) => [...(match[1] ?? '').matchAll(/'([^']+)'/g)])
  .map((match) => match[1] ?? '');

test('every requirement is cited by a test', () => {
  const missing = Object.keys(REQUIREMENTS).filter((id) => !cited.includes(id));
  expect(missing).toEqual([]);
});

test('no test cites a requirement that does not exist', () => {
  expect(cited.length).toBeGreaterThan(0);
  expect(cited.filter((id) => !(id in REQUIREMENTS))).toEqual([]);
});
