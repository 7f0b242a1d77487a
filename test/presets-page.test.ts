import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COMPUTED_DEFAULTS } from '../src/public-data/computed-defaults.ts';
import { documentOf, issuesOf } from './support/compile-text.ts';

const page = readFileSync(new URL('../docs/presets.md', import.meta.url), 'utf8');

/** The code in the first cell of each row of a section's table. */
function tableNames(section: string, name: RegExp): string[] {
  const [, text = ''] = page.split(`\n## ${section}\n`);
  const rows = (text.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) => row.split(' | ')[0]?.match(name) ?? []).sort();
}

test('docs/presets.md lists exactly the defaults that the compiler accepts', () => {
  const names = tableNames('Computed defaults', /(?<=`)[a-z0-9-]+(?=`)/g);
  expect(names).toEqual([...COMPUTED_DEFAULTS.keys()].sort());
});

test('docs/presets.md lists exactly the extensions that the compiler knows', async () => {
  const [fault = ''] = await issuesOf(documentOf({}, { 'x-nothing-like-it': 1 }));
  const known = fault.match(/(?<=Known: ).*(?=\.)/)?.[0].split(', ') ?? [];
  expect(tableNames('Extensions', /(?<=`)x-[a-z-]+/g)).toEqual(known.toSorted());
});
