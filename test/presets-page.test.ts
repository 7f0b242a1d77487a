import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { documentOf, faultsOf } from '../src/tools/compile/fixtures/compile-text.ts';
import { COMPUTED_DEFAULTS } from '../src/tools/model.ts';

const page = readFileSync(new URL('../docs/presets.md', import.meta.url), 'utf8');

/** What stands in backquotes at the beginning of each row of a section's table. */
function tableNames(section: string, name: RegExp): string[] {
  const [, text = ''] = page.split(`\n## ${section}\n`);
  const rows = (text.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) => row.split(' | ')[0]?.match(name) ?? []).sort();
}

test('docs/presets.md has every default that the compiler lets through, and no other', () => {
  const names = tableNames('Defaults worked out when a tool is called', /(?<=`)[a-z0-9-]+(?=`)/g);
  expect(names).toEqual(COMPUTED_DEFAULTS.toSorted());
});

test('docs/presets.md has every extension that the compiler knows, and no other', async () => {
  const [fault = ''] = await faultsOf(documentOf({}, { 'x-nothing-like-it': 1 }));
  const known = fault.match(/(?<=Known: ).*(?=\.)/)?.[0].split(', ') ?? [];
  expect(tableNames('Extensions', /(?<=`)x-[a-z-]+/g)).toEqual(known.toSorted());
});
