import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const SOURCE = resolve(import.meta.dirname, '../src');

/**
 * The rings of docs/architecture.md, innermost first. An entry may import the entries before it, and its own files;
 * a file belongs to the longest entry with which its path starts.
 */
const RINGS: readonly string[] = [
  'platform/kernel',
  'platform/config',
  'platform/database',
  'platform/redis',
  'platform/vault',
  'codes/search',
  'codes/code-table.ts',
  'codes/code-hit.ts',
  'codes/kinds',
  'codes/',
  'codes/companies',
  'access/trail',
  'access/tenants',
  'access/keys',
  'access/limits',
  'access/connect',
  'access/people',
  'access/provider-keys',
  'tools/', // the files beside the folders: the model of a tool
  'tools/document',
  'tools/request',
  'tools/compile',
  'tools/report',
  'tools/search',
  'tools/catalog',
  'upstreams/redaction',
  'upstreams/payload',
  'upstreams/client',
  'upstreams/guard',
  'upstreams/oauth',
  'cache',
  'audit/record',
  'audit/masking',
  'audit/chain',
  'audit/shipping',
  'audit/retention',
  'audit/reading',
  'audit/ledger',
  'audit/',
  'statistics/tally',
  'statistics/statistics.ts',
  'statistics/writing',
  'statistics/reading',
  'statistics/threads',
  'statistics/',
  'events',
  'calls/view',
  'calls/',
  'calls/model',
  'calls/traces',
  'calls/provider-keys',
  'registrations/request',
  'registrations/steps',
  'registrations/store',
  'registrations/compile',
  'registrations/jobs',
  'registrations/serving',
  'registrations/refresh',
  'registrations/', // the files beside the folders: the service
  'dialects/route.ts',
  'dialects/json-rpc',
  'dialects/door',
  'dialects/plain',
  'dialects/events',
  'dialects/rest',
  'dialects/admin',
  'dialects/mcp/shared',
  'dialects/mcp/legacy',
  'dialects/mcp/stateless',
  'dialects/mcp/',
  'http/bodies',
  'http/errors',
  'http/connections',
  'http/description',
  'http/files',
  'http/',
  'http/metrics',
  'public-data',
  'sandbox',
  'compose',
  'cli/shared',
  'cli/audit',
  'cli/backup',
  'cli/tools',
  'cli/call',
  'cli/completion',
  'cli/connect',
  'cli/database',
  'cli/keys',
  'cli/openapi',
  'cli/people',
  'cli/presets',
  'cli/register',
  'cli/registrations',
  'cli/secrets',
  'cli/start',
  'cli/stdio',
  'cli/',
  'cli/testing',
  'main.ts',
];

/** No dialect may import another. */
const DIALECTS = [
  'dialects/plain',
  'dialects/events',
  'dialects/rest',
  'dialects/admin',
  'dialects/mcp',
];

/** Limits for `src`; new capabilities may raise them with a decision record. */
const MAX_FOLDERS = 18;
const MAX_ARROWS = 75;

/** A folder with a trailing slash stands for the files directly in it. */
const isIn = (path: string, ring: string): boolean =>
  ring.endsWith('/')
    ? path.startsWith(ring) && !path.slice(ring.length).includes('/')
    : path === ring || path.startsWith(`${ring}/`);

const ringOf = (path: string): number => RINGS.findIndex((ring) => isIn(path, ring));

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

const dialectOf = (path: string): string | undefined =>
  DIALECTS.find((folder) => isIn(path, folder));

const betweenDialects = (edges: Edge[]): Edge[] =>
  edges.filter(({ from, to }) => {
    const [one, other] = [dialectOf(from), dialectOf(to)];
    return one !== undefined && other !== undefined && one !== other;
  });

/** The files that read the environment. */
const OUTERMOST = ['cli', 'main.ts'];

const topOf = (path: string): string => path.split('/')[0] ?? '';

/** The arrows between the folders of `src`, each once. */
const arrowsOf = (edges: Edge[]): Set<string> =>
  new Set(
    edges
      .map(({ from, to }) => [topOf(from), topOf(to)])
      .filter(([from, to]) => from !== to && to !== '..')
      .map((pair) => pair.join(' -> ')),
  );

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

  test('has no file outside the rings', () => {
    expect([...files.keys()].filter((file) => ringOf(file) < 0)).toEqual([]);
  });

  test('imports inward only', () => {
    expect(outward(edges)).toEqual([]);
  });

  test('has few folders, and few arrows between them', () => {
    const folders = new Set([...files.keys()].map(topOf));
    const arrows = arrowsOf(edges);
    console.log(`src: ${folders.size} entries, ${arrows.size} arrows between them`);
    expect(folders.size).toBeLessThanOrEqual(MAX_FOLDERS);
    expect(arrows.size).toBeLessThanOrEqual(MAX_ARROWS);
  });

  test('has only rings that exist', () => {
    const isEmpty = (ring: string) => ![...files.keys()].some((file) => isIn(file, ring));
    expect(RINGS.filter(isEmpty)).toEqual([]);
  });

  test('has dialects that do not know one another', () => {
    expect(betweenDialects(edges)).toEqual([]);
  });

  test('has no import cycle', () => {
    expect(cycleOf(edges)).toBeNull();
  });

  test('reads the environment in the outermost ring only', () => {
    const readers = [...files].filter(([, text]) => /process\.env\b/.test(text));
    expect(
      readers.map(([file]) => file).filter((file) => !OUTERMOST.includes(topOf(file))),
    ).toEqual([]);
  });
});

describe('the checks above', () => {
  const planted = (from: string, importLine: string) => edgesOf(new Map([[from, importLine]]));

  test('detect an import that points outward, also of a type', () => {
    const edges = planted('platform/kernel/x.ts', "import type { A } from '../../calls/a.ts';");
    expect(outward(edges)).toHaveLength(1);
  });

  test('detect an import that points outward from a file beside folders', () => {
    const edges = planted('tools/x.ts', "import { a } from './compile/a.ts';");
    expect(outward(edges)).toHaveLength(1);
  });

  test('detect an import between dialects', () => {
    const edges = planted('dialects/plain/x.ts', "import { a } from '../events/a.ts';");
    expect(betweenDialects(edges)).toHaveLength(1);
  });

  test('detect a cycle', () => {
    const files = new Map([
      ['cache/a.ts', "import { b } from './b.ts';"],
      ['cache/b.ts', "import {\n  a,\n} from './a.ts';"],
    ]);
    expect(cycleOf(edgesOf(files))).toEqual(['cache/a.ts', 'cache/b.ts', 'cache/a.ts']);
  });
});
