import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const DASHBOARD = join(ROOT, 'dashboard');

/**
 * The rings of docs/architecture.md in `src`, and `sandbox` beside it, innermost first. An entry may import the entries before it, and its own files;
 * a file belongs to the longest entry with which its path starts.
 */
const RINGS: readonly string[] = [
  'platform/kernel',
  'platform/input',
  'platform/config',
  'platform/database',
  'platform/redis',
  'platform/vault',
  'codes/search',
  'codes/code-table.ts',
  'codes/kinds',
  'codes/',
  'codes/companies',
  'access/trail',
  'access/tenants',
  'access/keys',
  'access/limits',
  'access/connect',
  'access/people',
  'access/oauth',
  'access/provider-keys',
  'tools/', // the files beside the folders: the model of a tool
  'tools/document',
  'tools/request',
  'tools/rows',
  'tools/compile',
  'tools/report',
  'tools/search',
  'tools/catalog',
  'upstreams/redaction',
  'upstreams/payload',
  'upstreams/client',
  'upstreams/guard',
  'upstreams/oauth',
  'upstreams/cache',
  'audit/record',
  'audit/masking',
  'audit/seals',
  'audit/shipping',
  'audit/retention',
  'audit/reading',
  'audit/ledger',
  'audit/',
  'statistics',
  'events',
  'calls/view',
  'calls/quotas',
  'calls/results',
  'calls/',
  'calls/model',
  'calls/over',
  'calls/traces',
  'calls/provider-keys',
  'calls/problems',
  'registrations/request',
  'registrations/steps',
  'registrations/store',
  'registrations/jobs',
  'registrations/serving',
  'registrations/refresh',
  'registrations/proposals',
  'registrations/', // the files beside the folders: the service
  'dialects/route.ts',
  'dialects/send-file.ts',
  'dialects/json-rpc',
  'dialects/gateway-tools',
  'dialects/manage',
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
  'public-data',
  'sandbox/tables.ts',
  'sandbox/sandbox-response.ts',
  'sandbox/families.ts',
  'sandbox/answers',
  'sandbox/', // the files beside the folders: the server
  'compose',
  'cli/shared',
  'cli/operations',
  'cli/audit',
  'cli/backup',
  'cli/tools',
  'cli/completion',
  'cli/connect',
  'cli/database',
  'cli/doctor',
  'cli/people',
  'cli/keys',
  'cli/oauth',
  'cli/openapi',
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

/** The features of `dashboard`: none imports another, except as FEATURE_IMPORTS says. */
const FEATURES = [
  'playground',
  'catalogue',
  'home',
  'audit',
  'live',
  'overview',
  'provider-keys',
  'apis',
  'keys',
  'connect',
  'people',
  'sign-in',
];

/** The rings of `dashboard`, innermost first. */
const DASHBOARD_RINGS: readonly string[] = [
  'api',
  'texts',
  'session',
  'shared',
  ...FEATURES,
  'app/texts',
  'app/outage.ts',
  'app/sign-out.ts',
  'app/shell',
  'app/',
  'main.tsx',
  'modules.d.ts',
  'map-outlines.ts',
  'mantine-styles.ts',
  'vite.config.ts',
];

const FEATURE_IMPORTS = [
  'catalogue -> playground', // on the page of a tool
  'home -> catalogue', // some of its tools
  'keys -> overview', // the charts of one key
  'live -> audit', // the columns of calls
  'people -> connect', // what a person has connected
  'provider-keys -> overview', // the quota of a key
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
const MAX_FOLDERS = 16;
const MAX_ARROWS = 56;

/** A folder with a trailing slash stands for the files directly in it. */
const isIn = (path: string, ring: string): boolean =>
  ring.endsWith('/')
    ? path.startsWith(ring) && !path.slice(ring.length).includes('/')
    : path === ring || path.startsWith(`${ring}/`);

const ringOf = (path: string, rings = RINGS): number => rings.findIndex((ring) => isIn(path, ring));

const IMPORT =
  /^(?:import|export)\b[^;]*?from\s+'(\.[^']+)'|^import\s+'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm;

interface Edge {
  readonly from: string;
  readonly to: string;
}

/** A file of `src` is named by its path within it, one of the sandbox by its path within the repository. */
const nameOf = (path: string): string => path.replace(/^(?:\.\.\/(?=sandbox\/)|src\/)/, '');
const isInSandbox = (name: string): boolean => name.startsWith('sandbox/');

/** Every import between two files of a tree; type imports count. */
function edgesOf(files: ReadonlyMap<string, string>): Edge[] {
  return [...files].flatMap(([from, text]) =>
    [...text.matchAll(IMPORT)].map((match) => ({
      from,
      to: nameOf(join(dirname(from), match[1] ?? match[2] ?? match[3] ?? '')),
    })),
  );
}

/** The code in a folder, by its path within `root`. */
function filesOf(root: string, folder = ''): Map<string, string> {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.test.ts'));
  return new Map(names.map((name) => [nameOf(name), readFileSync(join(root, name), 'utf8')]));
}

const sourceFiles = (): Map<string, string> =>
  new Map([...filesOf(ROOT, 'src'), ...filesOf(ROOT, 'sandbox')]);

const outward = (edges: Edge[], rings = RINGS): Edge[] =>
  edges.filter(({ from, to }) => !to.startsWith('..') && ringOf(to, rings) > ringOf(from, rings));

/** The only file of `src` that imports the sandbox. */
const STARTS_SANDBOX = 'cli/start/sandbox-command.ts';

/** The folders of `src` from which the sandbox imports. */
const SANDBOX_MAY_USE = ['sandbox', 'platform', 'public-data', 'tools'];

/** The imports of the sandbox by other files, and its own from elsewhere. */
const acrossSandbox = (edges: Edge[]): Edge[] =>
  edges.filter(({ from, to }) =>
    isInSandbox(from)
      ? !SANDBOX_MAY_USE.includes(topOf(to))
      : isInSandbox(to) && from !== STARTS_SANDBOX,
  );

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

/** The arrows between the top folders of a tree, each once. */
const arrowsOf = (edges: Edge[]): Set<string> =>
  new Set(
    edges
      .map(({ from, to }) => [topOf(from), topOf(to)])
      .filter(([from, to]) => from !== to && from !== 'sandbox' && to !== 'sandbox')
      .map((pair) => pair.join(' -> ')),
  );

const isFeature = (folder = ''): boolean => FEATURES.includes(folder);

const betweenFeatures = (edges: Edge[]): string[] =>
  [...arrowsOf(edges)].filter((arrow) => arrow.split(' -> ').every(isFeature)).sort();

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
    const folders = new Set([...files.keys()].filter((name) => !isInSandbox(name)).map(topOf));
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

  test('starts the sandbox in one place, which uses little of the gateway', () => {
    expect(acrossSandbox(edges)).toEqual([]);
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

describe('the dashboard', () => {
  const files = filesOf(DASHBOARD);
  const edges = edgesOf(files);
  const isEmpty = (ring: string) => ![...files.keys()].some((file) => isIn(file, ring));

  test('was read, and its imports were found', () => {
    expect([...files.keys()].filter((file) => file.endsWith('.tsx')).length).toBeGreaterThan(50);
    expect(edges.length).toBeGreaterThan(files.size);
  });

  test('has no file outside the rings, and only rings that exist', () => {
    expect([...files.keys()].filter((file) => ringOf(file, DASHBOARD_RINGS) < 0)).toEqual([]);
    expect(DASHBOARD_RINGS.filter(isEmpty)).toEqual([]);
  });

  test('imports inward only', () => {
    expect(outward(edges, DASHBOARD_RINGS)).toEqual([]);
  });

  test('has features that do not know one another', () => {
    expect(betweenFeatures(edges)).toEqual(FEATURE_IMPORTS);
  });

  test('has no import cycle', () => {
    expect(cycleOf(edges)).toBeNull();
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

  test('detect another import of the sandbox, also a dynamic one', () => {
    const edges = planted('cli/cli.ts', "await import('../../sandbox/sandbox.ts');");
    expect(acrossSandbox(edges)).toHaveLength(1);
  });

  test('detect an import of the sandbox from a folder that it does not need', () => {
    const edges = planted('sandbox/x.ts', "import { a } from '../src/calls/a.ts';");
    expect(acrossSandbox(edges)).toHaveLength(1);
    expect(outward(edges)).toEqual([]);
  });

  test('detect a cycle', () => {
    const files = new Map([
      ['cache/a.ts', "import { b } from './b.ts';"],
      ['cache/b.ts', "import {\n  a,\n} from './a.ts';"],
    ]);
    expect(cycleOf(edgesOf(files))).toEqual(['cache/a.ts', 'cache/b.ts', 'cache/a.ts']);
  });

  test('detect an import in the dashboard that points outward', () => {
    const edges = planted('keys/x.tsx', "import type { A } from '../app/shell/a.tsx';");
    expect(outward(edges, DASHBOARD_RINGS)).toHaveLength(1);
  });

  test('detect an import between features, also of a page that is loaded later', () => {
    const edges = planted('keys/x.tsx', "const load = () => import('../audit/a.tsx');");
    expect(betweenFeatures(edges)).toEqual(['keys -> audit']);
  });

  test('detect a cycle of components', () => {
    const files = new Map([
      ['keys/a.tsx', "const B = lazy(() => import('./b.tsx'));"],
      ['keys/b.tsx', "import type { A } from './a.tsx';"],
    ]);
    expect(cycleOf(edgesOf(files))).toEqual(['keys/a.tsx', 'keys/b.tsx', 'keys/a.tsx']);
  });
});
