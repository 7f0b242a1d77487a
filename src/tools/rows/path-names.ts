/** A path without its parameters: `/v1/pets/{id}/photos` has `v1`, `pets`, `photos`. */
const STATIC = /^[^{}]+$/;

/** The words of a path by which its list of rows may be named: of the last segment that is no parameter. */
export function rowSearchOf(path: string): {
  readonly names: readonly string[];
  readonly isOne: boolean;
} {
  const segments = path.split('/').filter(Boolean);
  const last = segments.findLast((segment) => STATIC.test(segment));
  const word = last?.replace(/\.(json|xml|csv)$/i, '') ?? '';
  const names = [word, word.replace(/^(get|list|search|find|fetch|all)[-_]?/i, '')];
  const forms = names.flatMap((name) => [
    name,
    `${name}s`,
    name.replace(/ies$/, 'y'),
    name.replace(/e?s$/, ''),
  ]);
  return {
    names: [...new Set(forms)].filter((name) => name.length > 2),
    isOne: segments.at(-1)?.includes('{') ?? false,
  };
}
