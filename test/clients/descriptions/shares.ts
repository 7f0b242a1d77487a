import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { table } from '../../../scripts/catalogue/markdown.ts';
import type { Played } from './play.ts';

const PAGE = resolve(import.meta.dirname, '../../../docs/openapi-report.md');
const BEGIN = '<!-- shares: npm run descriptions:record -->\n';
const END = '<!-- end of shares -->\n';

/** What became of the operations of all documents of a package. */
export interface Share {
  readonly name: string;
  readonly played: readonly Played[];
}

/** The rows of the page, by package. */
export function sharesOf(played: readonly Played[]): Share[] {
  const rows = Map.groupBy(played, ({ name }) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
  return [...rows].map(([name, documents]) => ({ name, played: documents }));
}

const HEADINGS = ['Package', 'Version', 'Operations', 'Accepted', 'Changed', 'Refused', 'Called'];

/** The table of shares as the page has it. */
export const sharesTable = (shares: readonly Share[]): string =>
  table(
    HEADINGS,
    [...shares, { name: 'All', played: shares.flatMap(({ played }) => played) }].map(rowOf),
  );

function rowOf({ name, played }: Share): string[] {
  const operations = played.flatMap((each) => each.operations);
  const count = (wanted: string): number =>
    operations.filter(({ outcome }) => outcome === wanted).length;
  // Rounded down, so that 100 % has no exception.
  const percent = Math.floor((100 * count('accepted')) / Math.max(1, operations.length));
  const versions = [...new Set(played.map(({ version }) => version.slice(0, 3)))];
  const called = played.reduce((sum, each) => sum + each.called, 0);
  return [
    name,
    versions.toSorted().join(', '),
    String(operations.length),
    `${count('accepted')} (${percent} %)`,
    String(count('changed')),
    String(count('refused')),
    String(called),
  ];
}

function parts(): [before: string, table: string, after: string] {
  const [before = '', rest = ''] = readFileSync(PAGE, 'utf8').split(BEGIN);
  const [recorded = '', after = ''] = rest.split(END);
  return [before, recorded, after];
}

export const recordedTable = (): string => parts()[1].trim();

export function recordTable(text: string): void {
  const [before, , after] = parts();
  writeFileSync(PAGE, `${before}${BEGIN}\n${text}\n\n${END}${after}`);
}
