import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../src/platform/kernel/shipped-files.ts';

/** Calls a function once, when its value is first used. */
export function onFirstUse<T>(read: () => T): () => T {
  let value: { readonly of: T } | undefined;
  return () => {
    value ??= { of: read() };
    return value.of;
  };
}

/** The text of a file in `facts`. */
export const readFactFile = (name: string): string =>
  readFileSync(join(PACKAGE_ROOT, 'sandbox/facts', name), 'utf8');

const tables = new Map<string, string[][]>();

/** The lines of a table, each split into columns, without comments. */
function readTable(path: string): string[][] {
  const known = tables.get(path);
  if (known) return known;
  const lines = readFileSync(join(PACKAGE_ROOT, path), 'utf8').trimEnd().split('\n');
  const table = lines.filter((line) => !line.startsWith('#')).map((line) => line.split('\t'));
  tables.set(path, table);
  return table;
}

/** A table in `facts`. */
export const readFacts = (name: string): string[][] => readTable(`sandbox/facts/${name}.tsv`);

/** A table of codes that the gateway ships, without the names of its columns. */
export const readCodes = (name: string): string[][] => readTable(`codes/${name}.tsv`).slice(1);
