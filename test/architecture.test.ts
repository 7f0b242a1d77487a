import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const SOURCE = resolve(import.meta.dirname, '../src');

/** The rings of docs/architecture.md, innermost first. A folder may import its own ring and those before it. */
const RINGS: readonly (readonly string[])[] = [
  ['kernel'],
  ['openapi', 'database', 'config'],
  [
    'redis',
    'catalog',
    'tenants',
    'api-keys',
    'audit',
    'masking',
    'cache',
    'limits',
    'trail',
    'stream',
    'upstreams',
    'payload',
    'public-data',
  ],
  ['calls'],
  ['dialects'],
  ['http', 'sandbox'],
  ['cli', 'compose.ts', 'main.ts'],
];

const ringOf = (path: string): number => {
  const top = path.split('/')[0] ?? '';
  return RINGS.findIndex((ring) => ring.includes(top));
};

const IMPORT =
  /^(?:import|export)\b[^;]*?from\s+'(\.[^']+)'|^import\s+'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm;

interface Edge {
  readonly from: string;
  readonly to: string;
}

/** Every import between two source files; type imports count. */
function edgesOf(files: ReadonlyMap<string, string>): Edge[] {
  return [...files].flatMap(([from, text]) =>
    [...text.matchAll(IMPORT)].map((match) => ({
      from,
      to: relative(SOURCE, resolve(SOURCE, dirname(from), match[1] ?? match[2] ?? match[3] ?? '')),
    })),
  );
}

function sourceFiles(): Map<string, string> {
  const names = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  return new Map(files.map((name) => [name, readFileSync(join(SOURCE, name), 'utf8')]));
}

const outward = (edges: Edge[]): Edge[] =>
  edges.filter(({ from, to }) => !to.startsWith('..') && ringOf(to) > ringOf(from));

const betweenDialects = (edges: Edge[]): Edge[] =>
  edges.filter(({ from, to }) => {
    const [top, dialect, file] = from.split('/');
    const [toTop, toDialect, toFile] = to.split('/');
    return top === 'dialects' && toTop === 'dialects' && file && toFile && dialect !== toDialect;
  });

/** A cycle among the files, or null. */
function cycleOf(edges: Edge[]): string[] | null {
  const next = Map.groupBy(edges, ({ from }) => from);
  const done = new Set<string>();
  const walk = (file: string, path: string[]): string[] | null => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const { to } of next.get(file) ?? []) {
      const cycle = walk(to, [...path, file]);
      if (cycle) return cycle;
    }
    done.add(file);
    return null;
  };
  for (const file of next.keys()) {
    const cycle = walk(file, []);
    if (cycle) return cycle;
  }
  return null;
}

describe('the source tree', () => {
  const files = sourceFiles();
  const edges = edgesOf(files);

  test('was read, and its imports were found', () => {
    expect(files.size).toBeGreaterThan(50);
    expect(edges.length).toBeGreaterThan(files.size);
  });

  test('has no folder outside the rings', () => {
    expect([...files.keys()].filter((file) => ringOf(file) < 0)).toEqual([]);
  });

  test('imports inward only', () => {
    expect(outward(edges)).toEqual([]);
  });

  test('has dialects that do not know one another', () => {
    expect(betweenDialects(edges)).toEqual([]);
  });

  test('has no import cycle', () => {
    expect(cycleOf(edges)).toBeNull();
  });

  test('reads the environment in the outermost ring only', () => {
    const readers = [...files].filter(([, text]) => /process\.env\b/.test(text));
    expect(readers.map(([file]) => file).filter((file) => ringOf(file) < RINGS.length - 1)).toEqual(
      [],
    );
  });
});

describe('the checks above', () => {
  const planted = (from: string, importLine: string) => edgesOf(new Map([[from, importLine]]));

  test('see an import that points outward, also of a type', () => {
    const edges = planted('kernel/x.ts', "import type { A } from '../calls/a.ts';");
    expect(outward(edges)).toHaveLength(1);
  });

  test('see an import between dialects', () => {
    const edges = planted('dialects/plain/x.ts', "import { a } from '../events/a.ts';");
    expect(betweenDialects(edges)).toHaveLength(1);
  });

  test('see a cycle', () => {
    const files = new Map([
      ['cache/a.ts', "import { b } from './b.ts';"],
      ['cache/b.ts', "import {\n  a,\n} from './a.ts';"],
    ]);
    expect(cycleOf(edgesOf(files))).toEqual(['cache/a.ts', 'cache/b.ts', 'cache/a.ts']);
  });
});
