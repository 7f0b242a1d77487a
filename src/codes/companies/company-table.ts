import type { CodeHit } from '../code-hit.ts';
import { CODE_LIMITS } from '../code-query.ts';
import type { Resolution } from '../resolve-code.ts';
import { searchNames } from '../search/search-names.ts';
import { COMPANY_KIND, COMPANY_LIMITS, type Company } from './company.ts';
import { companyKey, companyWords, hashOf } from './company-name.ts';
import { keysOf, type PackedCompanies, readLine } from './pack-companies.ts';

/** The companies, by name, ticker or code. */
export interface CompanyTable {
  readonly count: number;
  /** Companies of exactly this name, ticker or code, listed ones first; then listed ones whose names fit. */
  find(text: string, limit: number): CodeHit[];
  /** The company that has this name as a whole, or this ticker, if no other has; else the choices. */
  resolve(text: string): Resolution;
}

/** Opens a list that was packed. */
export function openCompanyTable(packed: PackedCompanies): CompanyTable {
  const { listed, names, count } = packed;
  const bytes = Buffer.from(packed.bytes.buffer);

  function companyAt(start: number): Company {
    const end = bytes.indexOf(0x0a, start);
    return readLine(bytes.toString('utf8', start, end));
  }
  const show = (start: number): CodeHit => hitOf(companyAt(start));

  /** Where the companies start that a text means as a whole. */
  function named(text: string): number[] {
    const value = text.trim();
    if (/^\d{8}$/.test(value)) {
      const at = bytes.indexOf(`\n${value}\t`);
      if (at >= 0) return [at + 1];
    }
    const key = companyKey(value);
    return withHash(packed, hashOf(key)).filter((start) => keysOf(companyAt(start)).has(key));
  }

  function find(text: string, limit: number): CodeHit[] {
    const similar = searchNames(names, companyWords(text).join(' ')).map(
      ({ row }) => listed[row] ?? 0,
    );
    return [...new Set([...named(text), ...similar])].slice(0, limit).map(show);
  }

  return {
    count,
    find,
    resolve(text) {
      const meant = named(text);
      const [only] = meant;
      if (only !== undefined && meant.length === 1) {
        const hit = show(only);
        return { code: hit.code, hit };
      }
      if (only === undefined) return { choices: find(text, CODE_LIMITS.defaultHits) };
      return { choices: meant.slice(0, CODE_LIMITS.defaultHits).map(show) };
    },
  };
}

/** Where the lines start that have a key with this hash; in the order of the list. */
function withHash({ hashes, starts }: PackedCompanies, hash: number): number[] {
  let low = 0;
  let high = hashes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((hashes[middle] ?? 0) < hash) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (hashes[end] === hash && end - low < COMPANY_LIMITS.sameName) end++;
  return [...starts.subarray(low, end)];
}

const hitOf = ({ code, name, nameEn, ticker, changedOn }: Company): CodeHit => ({
  code,
  name,
  kind: COMPANY_KIND,
  ...(nameEn === '' || nameEn === name ? {} : { nameEn }),
  ...(ticker === '' ? {} : { ticker }),
  ...(changedOn === '' ? {} : { changedOn: changedOn.replace(/(....)(..)(..)/, '$1-$2-$3') }),
});
