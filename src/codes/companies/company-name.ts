import { wordsOf } from '../search/words.ts';

/** Forms of a company, which people leave out. "Corporation" and "Company" distinguish some companies, and stay. */
const LEGAL_FORMS = new Set(['주', '유', 'co', 'ltd', 'inc', 'corp', 'limited']);
const KOREAN_FORMS = /주식회사|유한회사/g;

/** The words of a company's name in lower case, without its legal form unless it has no others. */
export function companyWords(name: string): string[] {
  const words = wordsOf(name.normalize('NFKC').replace(KOREAN_FORMS, ' '));
  const own = words.filter((word) => !LEGAL_FORMS.has(word));
  return own.length > 0 ? own : words;
}

/** The same text for a name however it is spaced, punctuated or capitalised; empty if it has no words. */
export const companyKey = (name: string): string => companyWords(name).join('');

/** FNV-1a of the code units of a key, 32 bits. */
export function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) {
    hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}
