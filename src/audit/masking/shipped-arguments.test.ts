import { glob, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { PUBLIC_DATA_TOOLS } from '../../public-data/tool-domain.ts';
import { loadPresets } from '../../tools/catalog/load-presets.ts';
import { maskArguments } from './mask-arguments.ts';
import { maskText } from './mask-text.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** Every value of an `example`, `examples`, `default` or `enum` of a schema, with its property. */
function valuesOf(schema: unknown, property = 'q'): [string, unknown][] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (key === 'properties') {
      return Object.entries(value).flatMap(([name, inner]) => valuesOf(inner, name));
    }
    if (key === 'example' || key === 'default') return [[property, value]];
    if (key === 'examples' || key === 'enum') {
      return Array.isArray(value) ? value.map((item) => [property, item]) : [];
    }
    return valuesOf(value, property);
  });
}

it('leaves the examples, defaults and choices of every preset unchanged', async () => {
  const { presets } = await loadPresets({
    domain: PUBLIC_DATA_TOOLS,
    dir: join(ROOT, 'presets'),
    lenient: false,
    logger: pino({ level: 'silent' }),
  });
  const values = presets.flatMap(({ tools }) =>
    tools.flatMap(({ inputSchema }) => valuesOf(inputSchema)),
  );
  expect(values.length).toBeGreaterThan(300);
  for (const [name, value] of values) {
    const args = { [name]: value };
    expect(maskArguments(args)).toBe(args);
  }
});

it('leaves the arguments of the catalogue tests unchanged', async () => {
  let texts = 0;
  for await (const file of glob('test/catalogue/*.test.ts', { cwd: ROOT })) {
    const source = await readFile(join(ROOT, file), 'utf8');
    for (const [, args = ''] of source.matchAll(/args: (\{[^}]*\})/g)) {
      texts++;
      expect(maskText(args)).toBe(args);
    }
  }
  expect(texts).toBeGreaterThan(30);
});
