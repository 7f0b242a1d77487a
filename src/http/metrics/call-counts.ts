/** The labels by which a finished call is counted. */
export interface CallLabels {
  readonly tool: string;
  readonly outcome: 'ok' | 'upstream_error' | 'error';
  /** Cache status as in the result; `none` for a call without a result. */
  readonly cache: string;
}

/** Counts finished calls by their labels. The library would look the labels up for every call, which takes 0.4 us. */
export interface CallCounts {
  add(labels: CallLabels): void;
  entries(): IterableIterator<readonly [CallLabels, number]>;
}

interface Count {
  readonly labels: CallLabels;
  calls: number;
}

export function createCallCounts(): CallCounts {
  const byTool = new Map<string, Count[]>();

  /** A list is enough: a tool has only a few outcomes. */
  function countOf(labels: CallLabels): Count {
    let counts = byTool.get(labels.tool);
    if (!counts) {
      counts = [];
      byTool.set(labels.tool, counts);
    }
    for (const count of counts) {
      if (count.labels.outcome === labels.outcome && count.labels.cache === labels.cache)
        return count;
    }
    const fresh = { labels, calls: 0 };
    counts.push(fresh);
    return fresh;
  }

  return {
    add: (labels) => {
      countOf(labels).calls++;
    },
    *entries() {
      for (const counts of byTool.values()) {
        for (const { labels, calls } of counts) yield [labels, calls] as const;
      }
    },
  };
}
