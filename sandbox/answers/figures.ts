/** The number that a figure such as "790,000", "-.19" or 37.5 stands for; undefined for any other text. */
export function readFigure(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const text = typeof value === 'string' ? value.trim() : '';
  return /^[+-]?[\d,]*\.?\d+$/.test(text) ? Number(text.replaceAll(',', '')) : undefined;
}

/** A figure with a comma between thousands. */
export function withCommas(figure: string | number): string {
  const [integer = '', fraction] = String(figure).split('.');
  const grouped = integer.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** An id such as "PF287093" with its last digits increased. */
export function increaseId(id: unknown, by: number): unknown {
  if (typeof id === 'number') return id + by;
  if (typeof id !== 'string') return id;
  return id.replace(/\d+$/, (digits) =>
    String(BigInt(digits) + BigInt(by)).padStart(digits.length, '0'),
  );
}

/** Parts of a seed: what a figure belongs to, such as a tool, a station and an hour. */
export type Seed = readonly (string | number)[];

/** A number from 0 to 1 (exclusive) that depends only on the seed: the same in every run. */
export function noise(...seed: Seed): number {
  let hash = 0x811c9dc5;
  for (const character of seed.join('|')) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** A number from `low` to `high` (exclusive). */
export const between = (low: number, high: number, ...seed: Seed): number =>
  low + (high - low) * noise(...seed);

/** A whole number from `low` to `high`, both included. */
export const whole = (low: number, high: number, ...seed: Seed): number =>
  Math.floor(between(low, high + 1, ...seed));

/** One of the values. */
export const pick = <T>(values: readonly [T, ...T[]], ...seed: Seed): T =>
  values[whole(0, values.length - 1, ...seed)] ?? values[0];

/** A number from 0 to 1 that changes gradually over time: random at every `step`, interpolated between. */
export function smooth(time: number, step: number, ...seed: Seed): number {
  const knot = Math.floor(time / step);
  const share = (1 - Math.cos((Math.PI * (time - knot * step)) / step)) / 2;
  return noise(...seed, knot) * (1 - share) + noise(...seed, knot + 1) * share;
}
