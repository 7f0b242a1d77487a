import { shortenToolName, toolName } from '../compile/tool-name.ts';

/**
 * A name for each wanted one, in the given order: the wanted name if it is free, otherwise with `<slug>_` in front, as
 * often as necessary. Every name is different from the others and from those taken, and short enough for model APIs.
 * The same arguments always give the same names.
 */
export function assignNames(
  wanted: readonly string[],
  isTaken: (name: string) => boolean,
  slug: string,
): string[] {
  const assigned = new Set<string>();
  for (const name of wanted) {
    assigned.add(
      freeName(name, (candidate) => isTaken(candidate) || assigned.has(candidate), slug),
    );
  }
  return [...assigned];
}

/** Ends because the digest that replaces the end of a long name changes with every prefix. */
function freeName(name: string, isTaken: (name: string) => boolean, slug: string): string {
  const prefix = `${toolName(slug)}_`;
  let whole = name;
  let short = shortenToolName(whole);
  while (isTaken(short)) {
    whole = `${prefix}${whole}`;
    short = shortenToolName(whole);
  }
  return short;
}
