/** What is wrong with one argument: where in the arguments, as a JSON pointer, and what. */
export interface ArgumentIssue {
  readonly path: string;
  readonly message: string;
}

export interface SplitIssues {
  /** What is wrong with each argument that has a field, in words. */
  readonly byName: Readonly<Record<string, string>>;
  /** What belongs to no field. */
  readonly others: readonly ArgumentIssue[];
}

/** Divides what is wrong with arguments into what stands at a field and the rest. */
export function splitIssues(
  issues: readonly ArgumentIssue[],
  names: readonly string[],
): SplitIssues {
  const byName = new Map<string, string>();
  const others: ArgumentIssue[] = [];
  for (const issue of issues) {
    const [first = '', ...within] = issue.path.split('/').slice(1).map(unescapeToken);
    if (!names.includes(first)) {
      others.push(issue);
      continue;
    }
    const text = [...(within.length > 0 ? [`${within.join('.')}:`] : []), issue.message].join(' ');
    const before = byName.get(first);
    byName.set(first, before === undefined ? capitalise(text) : `${before} ${capitalise(text)}`);
  }
  return { byName: Object.fromEntries(byName), others };
}

const unescapeToken = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
