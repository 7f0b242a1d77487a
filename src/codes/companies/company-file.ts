import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openSqliteFile } from '../../platform/database/sqlite-file.ts';
import { atOnce } from '../../platform/kernel/in-slices.ts';
import { CODE_LIMITS } from '../code-query.ts';
import type { CodeHit } from '../code-table.ts';
import type { Resolution } from '../resolve-code.ts';
import { indexNames, type NameIndex, type RowName, searchNames } from '../search/search-names.ts';
import { wordsOf } from '../search/words.ts';

/** A company that files with the disclosure system (DART). */
export interface Company {
  /** Eight digits. */
  readonly code: string;
  readonly name: string;
  /** Empty if it is not known, as are the two below. */
  readonly nameEn: string;
  /** Six digits or capital letters, of a listed company. */
  readonly ticker: string;
  /** The day on which the entry last changed, YYYYMMDD. */
  readonly changedOn: string;
}

/** The kind of codes under which companies are found. */
export const COMPANY_KIND = 'company';

/** Bounds of the list of companies. It has about 110,000 of them, in 20 MB of XML or a ZIP of 3.5 MB. */
export const COMPANY_LIMITS = {
  zipBytes: 16 * 1024 * 1024,
  xmlBytes: 64 * 1024 * 1024,
  rows: 300_000,
  nameCharacters: 200,
  /** Companies of one name that are considered. */
  sameName: 200,
  /** The list is fetched again after a day, and after a failure not for five minutes. */
  refreshMs: 86_400_000,
  retryMs: 300_000,
  fetchMs: 60_000,
  readMs: 60_000,
} as const;

/** The file in DATA_DIR. */
const FILE_NAME = 'companies.db';

/** Listed companies come first. The keys are those under which a company is found as a whole. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS origin (source TEXT, fetched_at INTEGER);
  CREATE TABLE IF NOT EXISTS companies (
    position INTEGER PRIMARY KEY, code TEXT, name TEXT, name_en TEXT, ticker TEXT, changed_on TEXT
  );
  CREATE INDEX IF NOT EXISTS companies_code ON companies (code);
  CREATE TABLE IF NOT EXISTS company_keys (
    key TEXT, position INTEGER, PRIMARY KEY (key, position)
  ) WITHOUT ROWID;
  DELETE FROM origin;
  DELETE FROM companies;
  DELETE FROM company_keys;
`;

const SELECT = `
  SELECT code, name, name_en AS nameEn, ticker, changed_on AS changedOn FROM companies`;

/** Words that the index of names can number, with some to spare for one company. */
const MAX_WORDS = 65_000;

/** Forms of a company, which people leave out. "Corporation" and "Company" distinguish some companies, and stay. */
const LEGAL_FORMS = new Set(['주', '유', 'co', 'ltd', 'inc', 'corp', 'limited']);
const KOREAN_FORMS = /주식회사|유한회사/g;

/** The words of a company's name in lower case, without its legal form unless it has no others. */
function companyWords(name: string): string[] {
  const words = wordsOf(name.normalize('NFKC').replace(KOREAN_FORMS, ' '));
  const own = words.filter((word) => !LEGAL_FORMS.has(word));
  return own.length > 0 ? own : words;
}

/** The same text for a name however it is spaced, punctuated or capitalised; empty if it has no words. */
const companyKey = (name: string): string => companyWords(name).join('');

export const openCompanyFile = (dataDir: string): DatabaseSync =>
  openSqliteFile({ dataDir, name: FILE_NAME });

/** Replaces the companies of the file, in one transaction. */
export function storeCompanies(
  dataDir: string,
  { source, fetchedAtMs }: { readonly source: string; readonly fetchedAtMs: number },
  companies: readonly Company[],
): void {
  const file = openCompanyFile(dataDir);
  try {
    file.exec(`BEGIN IMMEDIATE; ${SCHEMA}`);
    file.prepare('INSERT INTO origin VALUES (?, ?)').run(source, fetchedAtMs);
    const addCompany = file.prepare('INSERT INTO companies VALUES (?, ?, ?, ?, ?, ?)');
    const addKey = file.prepare('INSERT OR IGNORE INTO company_keys VALUES (?, ?)');
    const { listed = [], others = [] } = Object.groupBy(companies, ({ ticker }) =>
      ticker === '' ? 'others' : 'listed',
    );
    for (const [position, company] of [...listed, ...others].entries()) {
      const { code, name, nameEn, ticker, changedOn } = company;
      addCompany.run(position, code, name, nameEn, ticker, changedOn);
      for (const key of [name, nameEn, ticker].map(companyKey)) {
        if (key !== '') addKey.run(key, position);
      }
    }
    file.exec('COMMIT');
  } finally {
    file.close();
  }
}

/** What a search needs beside the file. */
export interface CompanyIndex {
  readonly count: number;
  readonly fetchedAtMs: number;
  /** The codes of the listed companies, by the numbers of their names in the index. */
  readonly codes: readonly string[];
  readonly names: NameIndex;
}

/** Indexes the listed companies of the file; undefined if it has no list of this source. A broken file is deleted. */
export function indexCompanies(dataDir: string, source: string): CompanyIndex | undefined {
  const path = join(dataDir, FILE_NAME);
  if (!existsSync(path)) return undefined;
  try {
    return readIndex(openCompanyFile(dataDir), source);
  } catch {
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    return undefined;
  }
}

function readIndex(file: DatabaseSync, source: string): CompanyIndex | undefined {
  try {
    const origin = file
      .prepare(
        'SELECT fetched_at, (SELECT count(*) FROM companies) AS count FROM origin WHERE source = ?',
      )
      .get(source);
    if (!origin) return undefined;
    const listed = file.prepare(`${SELECT} WHERE ticker <> '' ORDER BY position`).all();
    return {
      count: Number(origin['count']),
      fetchedAtMs: Number(origin['fetched_at']),
      codes: listed.map(({ code }) => String(code)),
      names: atOnce(indexNames(namesOf(listed as unknown as Company[]))),
    };
  } finally {
    file.close();
  }
}

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

export type CompanyTable = ReturnType<typeof createCompanyTable>;

/** The companies of an open file, by name, ticker or code. */
export function createCompanyTable(file: DatabaseSync, index: CompanyIndex) {
  const { codes, names, count, fetchedAtMs } = index;
  const ofCode = file.prepare(`${SELECT} WHERE code = ? LIMIT 1`);
  const ofKey = file.prepare(
    `${SELECT} JOIN company_keys USING (position) WHERE key = ? ORDER BY position LIMIT ${COMPANY_LIMITS.sameName}`,
  );
  const withCode = (code: string): CodeHit[] => ofCode.all(code).map(hitOf);

  /** The companies that a text means as a whole. */
  function named(text: string): CodeHit[] {
    const value = text.trim();
    const [coded] = /^\d{8}$/.test(value) ? withCode(value) : [];
    return coded ? [coded] : ofKey.all(companyKey(tickerIn(value) ?? value)).map(hitOf);
  }

  /** Companies of exactly this name, ticker or code, listed ones first; then listed ones whose names fit. */
  function find(text: string, limit: number): CodeHit[] {
    const hits = new Map(named(text).map((hit) => [hit.code, hit]));
    for (const { row } of searchNames(names, companyWords(text).join(' '))) {
      if (hits.size >= limit) break;
      const code = codes[row] ?? '';
      if (!hits.has(code)) for (const hit of withCode(code)) hits.set(code, hit);
    }
    return [...hits.values()].slice(0, limit);
  }

  return {
    count,
    fetchedAtMs,
    find,
    /** The company that has this name as a whole, or this ticker, if no other has; else the choices. */
    resolve(text: string): Resolution {
      const meant = named(text);
      const [hit] = meant;
      if (hit && meant.length === 1) return { code: hit.code, hit };
      const choices = hit ? meant : find(text, CODE_LIMITS.defaultHits);
      return { choices: choices.slice(0, CODE_LIMITS.defaultHits) };
    },
  };
}

/**
 * The ticker in a text that is nothing else: as a number that has lost its zeros, in groups, with the letter or the market
 * of the exchange (`A005930`, `KRX:005930`, `005930.KS`), or in an ISIN (`KR7005930003`).
 */
function tickerIn(text: string): string | undefined {
  const value = text.toUpperCase();
  const [, inIsin] = /^KR7([0-9A-Z]{6})\d{3}$/.exec(value) ?? [];
  const [, marked] =
    /^(?:KRX:|KOSPI:|KOSDAQ:|A)?(\d{5}[0-9A-Z])(?:\.K[SQ])?$/.exec(value.replaceAll(/[ -]/g, '')) ??
    [];
  return inIsin ?? marked ?? (/^\d{1,5}$/.test(value) ? value.padStart(6, '0') : undefined);
}

function hitOf(row: Record<string, unknown>): CodeHit {
  const { code, name, nameEn, ticker, changedOn } = row as unknown as Company;
  return {
    code,
    name,
    kind: COMPANY_KIND,
    ...(nameEn === '' || nameEn === name ? {} : { nameEn }),
    ...(ticker === '' ? {} : { ticker }),
    ...(changedOn === '' ? {} : { changedOn: changedOn.replace(/(....)(..)(..)/, '$1-$2-$3') }),
  };
}
