import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const ROOT = new URL('../', import.meta.url);
const GLOSSARY = 'docs/glossary.md';
const CHECKED = 'src test scripts bin attack bench docs README.md SECURITY.md'.split(' ');
const EXEMPT = [
  GLOSSARY,
  'docs/catalogue.md',
  'docs/contract.md',
  'test/corpus/requests/',
  'test/corpus/responses/',
  'test/rows/cases/',
  'test/model/questions.tsv',
];

interface TextFile {
  readonly path: string;
  readonly text: string;
}

interface Retired {
  readonly pattern: RegExp;
  readonly instead: string;
}

const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

function readFiles(): TextFile[] {
  const listed = execFileSync('git', ['ls-files', '-z', ...CHECKED], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return listed
    .split('\0')
    .filter((path) => path && !isExempt(path))
    .map((path) => ({ path, text: read(path) }))
    .filter(({ text }) => !text.includes('\0'));
}

const isExempt = (path: string): boolean =>
  EXEMPT.some((start) => path.startsWith(start)) ||
  path.includes('/samples/') ||
  path.endsWith('package-lock.json');

/** The rows of a section's table, by their cells; `\|` in a cell is a `|`. */
function readTable(page: string, section: string): string[][] {
  const [, text = ''] = page.split(`\n## ${section}\n`);
  const lines = (text.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  );
}

/** A space of the pattern also matches a line break, and the comment mark after it. */
function compile(source: string): RegExp {
  const hasCapital = /[A-Z]/.test(source.replace(/\\./g, ''));
  const wrapped = source.replaceAll(' ', '(?: |\\n[ \\t]*(?:(?:\\*|//|#|>)[ \\t]*)?)');
  return new RegExp(wrapped, hasCapital ? 'g' : 'gi');
}

const readRetired = (page: string): Retired[] =>
  readTable(page, 'Retired').map(([source = '', instead = '']) => ({
    pattern: compile(source.replace(/^`|`$/g, '')),
    instead,
  }));

/** Every retired phrase of a file: where it is, and what to write instead. */
const findRetired = ({ path, text }: TextFile, retired: readonly Retired[]): string[] =>
  retired.flatMap(({ pattern, instead }) =>
    [...text.matchAll(pattern)].map((match) => {
      const line = text.slice(0, match.index).split('\n').length;
      return `${path}:${line}: "${match[0]}" (instead: ${instead})`;
    }),
  );

/** Whether a word occurs in a text, or as part of an identifier or a file name. */
function isUsed(word: string, texts: readonly string[]): boolean {
  const pattern = new RegExp(word.replaceAll(' ', '[ -]?'), 'i');
  return texts.some((text) => pattern.test(text));
}

describe('docs/glossary.md', () => {
  const page = read(GLOSSARY);
  const files = readFiles();
  const words = readTable(page, 'Words').map(([word = '']) => word);

  test('has no retired phrase that is still in use', () => {
    const retired = readRetired(page);
    expect(retired.length).toBeGreaterThan(30);
    expect(files.length).toBeGreaterThan(500);
    const found = files.flatMap((file) => findRetired(file, retired));
    expect(found.join('\n'), `${found.length} retired phrases`).toBe('');
  });

  test('lists its words in alphabetical order', () => {
    expect(words.length).toBeGreaterThan(50);
    expect(words).toEqual(words.toSorted((a, b) => a.localeCompare(b, 'en')));
  });

  test('lists only words that the source or another page uses', () => {
    const texts = files.filter(({ path }) => /^(src|docs)\//.test(path)).map(({ text }) => text);
    const unused = words.flatMap((cell) => cell.split(', ')).filter((word) => !isUsed(word, texts));
    expect(unused).toEqual([]);
  });
});

describe('the check above', () => {
  const row = (pattern: string): Retired[] =>
    readRetired(`# Page\n\n## Retired\n\n| retired | instead |\n|---|---|\n| ${pattern} | x |\n`);
  const find = (pattern: string, text: string): string[] =>
    findRetired({ path: 'a.ts', text }, row(pattern)).map((found) => found.split(' ')[0] ?? '');

  test('reports file, line and replacement', () => {
    const file = { path: 'a.ts', text: 'one\ntwo old\n' };
    expect(findRetired(file, row('`\\bold\\b`'))).toEqual(['a.ts:2: "old" (instead: x)']);
  });

  test('reads an escaped bar as an alternative', () => {
    expect(find('`old\\|worn`', 'worn\nold')).toEqual(['a.ts:1:', 'a.ts:2:']);
  });

  test('regards case only if the pattern has a capital', () => {
    expect(find('`\\Wold`', ' OLD')).toHaveLength(1);
    expect(find('`isOld`', 'isold')).toEqual([]);
  });

  test('finds a phrase that continues on the next line of a comment', () => {
    const [star, slashes] = [
      ' * a very\n * old thing',
      `${'/'.repeat(2)} a very\n  ${'/'.repeat(2)} old thing`,
    ];
    expect(find('`very old`', `${star}\n${slashes}`)).toEqual(['a.ts:1:', 'a.ts:3:']);
  });
});
