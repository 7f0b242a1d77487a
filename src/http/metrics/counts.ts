/** Counts of rare events by their labels, whose values must be few. */
export interface Counts<Label extends string> {
  add(labels: Readonly<Record<Label, string>>): void;
  entries(): Iterable<readonly [Readonly<Record<Label, string>>, number]>;
}

export function createCounts<Label extends string>(): Counts<Label> {
  const counts = new Map<string, { labels: Readonly<Record<Label, string>>; count: number }>();
  return {
    add(labels) {
      const key = Object.values(labels).join(' ');
      const known = counts.get(key);
      if (known) known.count += 1;
      else counts.set(key, { labels, count: 1 });
    },
    *entries() {
      for (const { labels, count } of counts.values()) yield [labels, count] as const;
    },
  };
}
