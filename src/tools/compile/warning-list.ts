import type { Finding } from './findings.ts';

/** Warnings of one document; further ones are counted. */
export const MAX_WARNINGS = 100;

/** What is worth knowing about a document without changing a tool. The same message is given once, with its first place. */
export interface WarningList {
  readonly add: (pointer: string, message: string) => void;
  warnings(): Warning[];
}

export interface Warning extends Finding {
  /** Number of places. */
  readonly count: number;
}

export function createWarningList(): WarningList {
  const places = new Map<string, { pointer: string; count: number }>();
  let dropped = 0;
  return {
    add(pointer, message) {
      const known = places.get(message);
      if (known) known.count++;
      else if (places.size < MAX_WARNINGS) places.set(message, { pointer, count: 1 });
      else dropped++;
    },
    warnings() {
      const listed = [...places].map(([message, place]) => ({ ...place, message }));
      return dropped === 0 ? listed : [...listed, more(dropped)];
    },
  };
}

const more = (count: number): Warning => ({
  pointer: '',
  message: 'Further warnings are not listed. Correct those above first.',
  count,
});
