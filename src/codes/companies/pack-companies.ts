import { indexNames, type NameIndex, type RowName } from '../search/name-index.ts';
import type { Company } from './company.ts';
import { companyKey, companyWords, hashOf } from './company-name.ts';

/** The list of companies in a few arrays, which a thread can hand over. */
export interface PackedCompanies {
  /** The lines of the file: one that says where the list is from, then one for each company, listed ones first. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where the lines of listed companies start. */
  readonly listed: Uint32Array<ArrayBuffer>;
  /** The words of the names of listed companies, by their position in `listed`. */
  readonly names: NameIndex;
  /** Hashes of whole names and of tickers, ascending, and where the line of each starts. */
  readonly hashes: Uint32Array<ArrayBuffer>;
  readonly starts: Uint32Array<ArrayBuffer>;
  readonly count: number;
}

/** Words that the index of names can number, with some to spare for one company. */
const MAX_WORDS = 65_000;

/** Packs companies behind a first line. */
export function packCompanies(head: string, companies: readonly Company[]): PackedCompanies {
  const listed = companies.filter(({ ticker }) => ticker !== '');
  const ordered = [...listed, ...companies.filter(({ ticker }) => ticker === '')];
  const lines = [head, ...ordered.map(lineOf)].map((line) => Buffer.from(`${line}\n`));
  const bytes = new Uint8Array(lines.reduce((sum, line) => sum + line.length, 0));
  const lineStarts = new Uint32Array(lines.length);
  let end = 0;
  for (const [number, line] of lines.entries()) {
    bytes.set(line, end);
    lineStarts[number] = end;
    end += line.length;
  }
  const ownStarts = lineStarts.slice(1);
  return {
    bytes,
    listed: ownStarts.slice(0, listed.length),
    names: indexNames(namesOf(listed)),
    ...indexKeys(ordered, ownStarts),
    count: ordered.length,
  };
}

/** Reads a file that was written from `bytes`: its first line and its companies. */
export function unpackCompanies(bytes: Uint8Array): { head: string; companies: Company[] } {
  const [head = '', ...lines] = new TextDecoder().decode(bytes).split('\n');
  return { head, companies: lines.filter((line) => /^\d{8}\t./.test(line)).map(readLine) };
}

const lineOf = ({ code, name, nameEn, ticker, changedOn }: Company): string =>
  [code, name, nameEn, ticker, changedOn].join('\t');

/** The company of a line. */
export function readLine(line: string): Company {
  const [code = '', name = '', nameEn = '', ticker = '', changedOn = ''] = line.split('\t');
  return { code, name, nameEn, ticker, changedOn };
}

/** The keys under which a company is found as a whole. */
export const keysOf = ({ name, nameEn, ticker }: Company): Set<string> =>
  new Set([companyKey(name), companyKey(nameEn), companyKey(ticker)].filter((key) => key !== ''));

function* namesOf(companies: readonly Company[]): Generator<{ row: number; name: RowName }> {
  const words = new Set<string>();
  for (const [row, { name, nameEn }] of companies.entries()) {
    for (const own of [name, nameEn].map(companyWords)) {
      for (const word of own) words.add(word);
      if (words.size > MAX_WORDS) return;
      if (own.length > 0) yield { row, name: { own: own.join(' '), parents: [], rank: 0 } };
    }
  }
}

function indexKeys(
  companies: readonly Company[],
  lineStarts: Uint32Array,
): Pick<PackedCompanies, 'hashes' | 'starts'> {
  const pairs = companies.flatMap((company, number) =>
    [...keysOf(company)].map(
      (key) => (BigInt(hashOf(key)) << 32n) | BigInt(lineStarts[number] ?? 0),
    ),
  );
  const sorted = BigUint64Array.from(pairs).sort();
  return {
    hashes: Uint32Array.from(sorted, (pair) => Number(pair >> 32n)),
    starts: Uint32Array.from(sorted, (pair) => Number(pair & 0xffff_ffffn)),
  };
}
