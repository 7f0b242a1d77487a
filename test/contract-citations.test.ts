import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SECURITY_EVENTS } from '../src/access/trail/security-log.ts';
import { ERROR_TABLE } from '../src/platform/kernel/error.ts';
import { dereference } from './support/api-description.ts';
import { startTestGateway, type TestGateway } from './support/gateway.ts';
import { MANAGED } from './support/managed-operations.ts';

const ROOT = resolve(import.meta.dirname, '..');
const FOLDERS = ['src', 'test', 'bench', 'attack', 'scripts', 'docs'];

const read = (path: string): string => readFileSync(resolve(ROOT, path), 'utf8');
const page = read('docs/contract.md');
const lines = page.split('\n');

/** The pages and TypeScript files of the repository, by path. */
function repositoryFiles(): ReadonlyMap<string, string> {
  const paths = FOLDERS.flatMap((folder) =>
    readdirSync(resolve(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(
      (name) => `${folder}/${name}`,
    ),
  ).filter((path) => /\.(?:ts|md)$/.test(path) && !path.includes('node_modules'));
  return new Map([...paths, 'README.md', 'SECURITY.md'].map((path) => [path, read(path)]));
}

/** The anchors of a page's headings, by GitHub's rules. */
function anchorsOf(markdown: string): string[] {
  const uses = new Map<string, number>();
  return [...markdown.matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, heading = '']) => {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const before = uses.get(slug) ?? 0;
    uses.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  });
}

/** The sections of the page that a text cites. */
const citationsIn = (text: string): string[] =>
  [...text.matchAll(/contract\.md#([\w-]*)/g)].map(([, anchor = '']) => anchor);

const isBroken = (anchor: string): boolean => !anchorsOf(page).includes(anchor);

/** Comments at the start and at the end of lines, each without line breaks. */
const commentsOf = (source: string): string[] =>
  [...source.matchAll(/^[ \t]*\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n?)+|[ \t]\/\/ .*$/gm)].map(
    ([comment = '']) => comment.replace(/\n[ \t]*(?:\*|\/\/) ?/g, ' '),
  );

/** Sources that a comment may cite instead of the page. */
const STANDARD =
  /\b(?:RFC \d+|JSON-RPC 2\.0|MCP (?:\d{4}-\d\d-\d\d|specification)|OpenAPI|JSON Schema|(?:HTML|Fetch|Encoding) Standard|Unicode|GS1)\b/i;
const NAMES_A_SECTION = /docs\/contract\.md#[\w-]+/g;
const NAMES_A_TEST = /test\/contract\b\S*|\S+\.contract\.test\.ts/g;

/** Comments that appeal to a promise without citing the section or the standard that makes it. */
const vagueComments = (source: string): string[] =>
  commentsOf(source).filter((comment) => {
    const words = comment.replace(NAMES_A_TEST, '').replace(NAMES_A_SECTION, '');
    const isCited = comment.match(NAMES_A_SECTION) !== null || STANDARD.test(comment);
    return /\b(?:contract|specification)s?\b/i.test(words) && !isCited;
  });

describe('citations of docs/contract.md', () => {
  const files = repositoryFiles();

  test('point to existing headings', () => {
    const broken = [...files].flatMap(([path, text]) =>
      citationsIn(text)
        .filter(isBroken)
        .map((anchor) => `${path}: #${anchor}`),
    );
    expect(broken).toEqual([]);
    expect([...files.values()].flatMap(citationsIn).length).toBeGreaterThan(30);
  });

  test('appear wherever a comment mentions the contract, unless it names a standard', () => {
    const vague = [...files].flatMap(([path, text]) =>
      path.endsWith('.ts') ? vagueComments(text).map((comment) => `${path}: ${comment}`) : [],
    );
    expect(vague).toEqual([]);
  });

  test('within the page point to its headings and to existing pages', () => {
    const within = [...page.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor = '']) => anchor);
    expect(within.filter(isBroken)).toEqual([]);
    const pages = [...page.matchAll(/\]\(([\w-]+\.md)/g)].map(([, name = '']) => name);
    expect(pages.filter((name) => !existsSync(resolve(ROOT, 'docs', name)))).toEqual([]);
    expect(Math.min(within.length, pages.length)).toBeGreaterThan(5);
  });
});

describe('the checks above', () => {
  /** Split, or the samples below would count as comments of this file. */
  const SLASHES = '//';

  test('detect a citation without its heading', () => {
    const planted = (anchor: string): string => `/** See docs/contract.md${anchor}. */`;
    expect(citationsIn(planted('#nowhere')).filter(isBroken)).toEqual(['nowhere']);
    expect(citationsIn(planted('#json-rpc')).filter(isBroken)).toEqual([]);
  });

  test.each([
    '/** As the contract says. */',
    `  ${SLASHES} See the\n  ${SLASHES} specification.\n`,
    `const a = 1; ${SLASHES} contract "HTTP"`,
    '/**\n * The rows (specification\n * "Events").\n */',
    '/** See contract.md. */',
  ])('see a vague comment: %j', (source) => {
    expect(vagueComments(source)).toHaveLength(1);
  });

  test.each([
    '/** A result (docs/contract.md#call-result). */',
    '// The specification of JSON-RPC 2.0, section 4.\n',
    '/** Run by test/contract/coverage.test.ts and rest.contract.test.ts. */',
    "const text = 'the contract';",
  ])('let pass: %j', (source) => {
    expect(vagueComments(source)).toEqual([]);
  });

  test('make anchors as GitHub does', () => {
    expect(anchorsOf('# A `b/c` d\n## E, f-g_h\n### E, f-g_h\n')).toEqual([
      'a-bc-d',
      'e-f-g_h',
      'e-f-g_h-1',
    ]);
  });
});

/** The lines of a section, up to the next heading of the same level. */
function section(heading: string): string[] {
  const [, text = ''] = page.split(`\n## ${heading}\n`);
  return (text.split('\n## ')[0] ?? '').split('\n');
}

/** Everything that the page formats as code. */
const code = [...page.matchAll(/`([^`]+)`/g)].map(([, span]) => span).join('\n');
const isNamed = (name: string): boolean =>
  new RegExp(`(?<![\\w-])${name.replaceAll('.', '\\.')}(?![\\w-])`).test(code);

interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

describe('docs/contract.md names', () => {
  let gateway: TestGateway;
  let paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  beforeAll(async () => {
    gateway = await startTestGateway();
    ({ paths } = dereference((await gateway.json('/openapi.json', { key: null })).body));
  });
  afterAll(() => gateway.close());

  test('exactly the addresses that exist, with method, access and operation', () => {
    const described = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { operationId, security }]) => {
        const access = security.length > 0 ? 'key' : 'public';
        const address = path.replace(/\{(\w+)\}/g, ':$1');
        return `${method.toUpperCase()} ${address} ${access} ${operationId}`;
      }),
    );
    const source = ['api-reference', 'dashboard']
      .map((name) => read(`src/http/files/${name}.ts`))
      .join('\n');
    const files = [...source.matchAll(/app\.get(?:<.+>)?\('([^']+)'/g)].map(
      ([, path]) => `GET ${path} public `,
    );
    const listed = section('Addresses').flatMap((line) => {
      const [, method, path, access, operation = ''] =
        /^\| ([A-Z]+) \| `([^`]+)` \| (\w+) \| (?:`(\w+)`)?/.exec(line) ?? [];
      return method ? [`${method} ${path} ${access} ${operation}`] : [];
    });
    const managed = MANAGED.map(
      ({ method, path, operation }) => `${method} ${path} key ${operation}`,
    );
    expect(files.length).toBeGreaterThan(2);
    expect([...listed, ...managed].sort()).toEqual([...described, ...files].sort());
  });

  test('every parameter, member and value that /openapi.json describes outside management', () => {
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      path.startsWith('/api/v1/admin/') ? [] : Object.values(methods),
    );
    const names = new Set([
      ...operations.flatMap(({ parameters = [] }) => parameters.map(({ name }) => name)),
      ...namesIn(operations),
    ]);
    expect(names).toContain('auditId');
    expect([...names].filter((name) => !isNamed(name))).toEqual([]);
  });

  test('the status of each error once', () => {
    const rows = Object.values(ERROR_TABLE).flatMap((row) =>
      'reason' in row ? [] : [`| ${row.httpStatus} | \`${row.httpName}\` |`],
    );
    const listed = lines.filter((line) => rows.some((row) => line.startsWith(row)));
    expect(listed).toHaveLength(new Set(rows).size);
  });

  test('every event of the security log', () => {
    expect(SECURITY_EVENTS.filter((name) => !isNamed(name))).toEqual([]);
  });
});

/** The member names and enum values anywhere in a description. */
function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (typeof value !== 'object' || value === null) return [];
  const { properties = {}, enum: values = [] } = value as { properties?: object; enum?: unknown[] };
  return [
    ...Object.keys(properties),
    ...values.filter((each) => typeof each === 'string'),
    ...Object.entries(value).flatMap(([key, member]) =>
      key === 'examples' ? [] : namesIn(member),
    ),
  ];
}
