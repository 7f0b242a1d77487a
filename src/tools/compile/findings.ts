/** Findings of each kind that are kept for one operation of a stranger, or for one shared schema. */
export const MAX_FINDINGS = 50;

/** Something that the compiler has to say about a place in the document. */
export interface Finding {
  /** JSON pointer into the document in its OpenAPI 3.1 form. */
  readonly pointer: string;
  readonly message: string;
}

/** A finding that decides the outcome of an operation. */
export interface Verdict extends Finding {
  /** Whether the operation cannot become a tool, or becomes another tool than the document describes. */
  readonly outcome: 'refused' | 'changed';
}

export type FindingScope = ReturnType<typeof createFindingScope>;

/**
 * Creates the scope to which compile steps report; `outermost` receives what is reported outside of `collect`, which keeps
 * `most` of each kind.
 */
export function createFindingScope(
  outermost: (verdict: Verdict) => void,
  most: number = MAX_FINDINGS,
) {
  let list: VerdictList | undefined;
  const add = (verdict: Verdict): void => (list ? list.add(verdict) : outermost(verdict));
  return {
    refuse: (pointer: string, message: string) => add({ outcome: 'refused', pointer, message }),
    change: (pointer: string, message: string) => add({ outcome: 'changed', pointer, message }),
    /** Runs `work`. What it reports belongs to its result alone. */
    collect<T>(work: () => T): { readonly result: T; readonly verdicts: readonly Verdict[] } {
      const outer = list;
      const inner = createVerdictList(most);
      list = inner;
      try {
        return { result: work(), verdicts: inner.verdicts };
      } finally {
        list = outer;
      }
    },
    /** Reports again what earlier work reported, for another operation that relies on its result. */
    repeat(verdicts: readonly Verdict[]): void {
      if (list?.isNew(verdicts) ?? true) for (const verdict of verdicts) add(verdict);
    },
  };
}

type VerdictList = ReturnType<typeof createVerdictList>;

/** Without duplicates. Many changes never displace a refusal. */
function createVerdictList(most: number) {
  const verdicts: Verdict[] = [];
  const seen = new Set<string>();
  const repeated = new Set<readonly Verdict[]>();
  const counts = { refused: 0, changed: 0 };
  return {
    verdicts,
    add(verdict: Verdict): void {
      const { outcome, pointer, message } = verdict;
      const key = `${outcome} ${pointer} ${message}`;
      if (counts[outcome] >= most || seen.has(key)) return;
      counts[outcome]++;
      seen.add(key);
      verdicts.push(verdict);
    },
    /** An operation may use the same schema many thousand times. */
    isNew(list: readonly Verdict[]): boolean {
      const { size } = repeated;
      return list.length > 0 && repeated.add(list).size > size;
    },
  };
}

/** Warnings of one document; further ones are counted. */
export const MAX_WARNINGS = 100;

/** What is worth knowing about a document without changing a tool. The same message is given once, with its first place. */
export interface Warning extends Finding {
  readonly count: number;
}

export function createWarningList() {
  const places = new Map<string, { pointer: string; count: number }>();
  let dropped = 0;
  return {
    add(pointer: string, message: string): void {
      const known = places.get(message);
      if (known) known.count++;
      else if (places.size < MAX_WARNINGS) places.set(message, { pointer, count: 1 });
      else dropped++;
    },
    warnings(): Warning[] {
      const listed = [...places].map(([message, place]) => ({ ...place, message }));
      const message = 'Further warnings are not listed. Correct those above first.';
      return dropped === 0 ? listed : [...listed, { pointer: '', message, count: dropped }];
    },
  };
}
