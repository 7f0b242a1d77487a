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

/** Where compile steps report. What is reported while `collect` runs belongs to its result alone. */
export interface FindingScope {
  readonly refuse: (pointer: string, message: string) => void;
  readonly change: (pointer: string, message: string) => void;
  /** Runs `work`, and returns what it reported. */
  collect<T>(work: () => T): { readonly result: T; readonly verdicts: readonly Verdict[] };
  /** Reports again what earlier work reported, for another operation that relies on its result. */
  repeat(verdicts: readonly Verdict[]): void;
}

/** Creates a scope; `outermost` receives what is reported outside of `collect`, which keeps `most` of each kind. */
export function createFindingScope(
  outermost: (verdict: Verdict) => void,
  most: number = MAX_FINDINGS,
): FindingScope {
  let sink: Sink = {
    add: outermost,
    addAll: (verdicts) => {
      for (const verdict of verdicts) outermost(verdict);
    },
  };
  return {
    refuse: (pointer, message) => sink.add({ outcome: 'refused', pointer, message }),
    change: (pointer, message) => sink.add({ outcome: 'changed', pointer, message }),
    collect(work) {
      const outer = sink;
      const list = createVerdictList(most);
      sink = list;
      try {
        return { result: work(), verdicts: list.verdicts };
      } finally {
        sink = outer;
      }
    },
    repeat: (verdicts) => sink.addAll(verdicts),
  };
}

interface Sink {
  add(verdict: Verdict): void;
  addAll(verdicts: readonly Verdict[]): void;
}

/** Without duplicates. Many changes never displace a refusal. */
function createVerdictList(most: number): Sink & { readonly verdicts: readonly Verdict[] } {
  const verdicts: Verdict[] = [];
  const seen = new Set<string>();
  const added = new Set<readonly Verdict[]>();
  const counts = { refused: 0, changed: 0 };

  function add(verdict: Verdict): void {
    const { outcome, pointer, message } = verdict;
    const key = `${outcome} ${pointer} ${message}`;
    if (counts[outcome] >= most || seen.has(key)) return;
    counts[outcome]++;
    seen.add(key);
    verdicts.push(verdict);
  }

  return {
    verdicts,
    add,
    addAll(list) {
      // An operation may use the same schema many thousand times.
      if (list.length === 0 || added.has(list)) return;
      added.add(list);
      for (const verdict of list) add(verdict);
    },
  };
}
