/** Repeatable random choices (mulberry32): the same seed makes the same requests. */
export interface Random {
  /** A whole number from 0 up to, but not including, `limit`. */
  below(limit: number): number;
  chance(part: number): boolean;
  pick<T>(choices: readonly T[]): T;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    chance: (part) => next() < part,
    pick: (choices) => {
      const choice = choices[below(choices.length)];
      if (choice === undefined) throw new Error('There are no choices.');
      return choice;
    },
  };
}

/** Changes, removes, inserts, repeats or truncates bytes. */
export function mutate(bytes: Buffer, random: Random): Buffer {
  let mutated = Buffer.from(bytes);
  for (let change = random.below(4); change >= 0; change--) {
    const at = random.below(mutated.length + 1);
    const length = random.below(20);
    const [before, after] = [mutated.subarray(0, at), mutated.subarray(at)];
    switch (random.below(5)) {
      case 0:
        mutated = Buffer.concat([before, Buffer.from([random.below(256)]), after.subarray(1)]);
        break;
      case 1:
        mutated = Buffer.concat([before, after.subarray(length)]);
        break;
      case 2:
        mutated = Buffer.concat([before, after.subarray(0, length), after]);
        break;
      case 3:
        mutated = Buffer.concat([before, random.pick(TROUBLE), after]);
        break;
      default:
        mutated = Buffer.from(before);
    }
  }
  return mutated;
}

const TROUBLE = [
  '\0',
  '\ufeff',
  '\u2028',
  '{',
  '[[[[[[[[',
  '"',
  '\\u',
  '\\ud800',
  '1e999',
  '-0',
  '99999999999999999999',
  '<![CDATA[',
  '&#0;',
  '&amp',
  '<!DOCTYPE a [<!ENTITY b "c">]>',
  '</item>',
  '%00%0d%0a',
  '%ff',
  '\r\n\r\n',
  '__proto__',
  'constructor',
].map((text) => Buffer.from(text));
