const MAX_SLUG_LENGTH = 32;

/** What two names of one API have in common: "My API" and "my-api" are the same. */
export const nameKeyOf = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/**
 * A slug that is not taken: from the name, or from the host if the name has letters that ASCII lacks. Ends with a number
 * if needed.
 */
export function chooseSlug(name: string, host: string, isTaken: (slug: string) => boolean): string {
  const fromName = isLatin(name) ? slugOf(name) : '';
  const base = fromName || slugOf(host) || 'api';
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : `-${number}`;
    const slug = `${trimHyphens(base.slice(0, MAX_SLUG_LENGTH - suffix.length))}${suffix}`;
    if (!isTaken(slug)) return slug;
  }
}

/** Without accents: "Café" becomes "Cafe". */
const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '');

const isLatin = (name: string): boolean => !/[^\p{ASCII}\P{L}]/u.test(plain(name));

const slugOf = (text: string): string =>
  trimHyphens(
    plain(text)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-'),
  );

const trimHyphens = (text: string): string => text.replace(/^-+|-+$/g, '');

/** A tool's name by its description, and the one that its tenant sees. */
export interface NamedTool {
  readonly compiled: string;
  readonly name: string;
}
