/** The number that a figure such as "790,000", "-.19" or 37.5 stands for; undefined for any other text. */
export function readFigure(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const text = typeof value === 'string' ? value.trim() : '';
  return /^[+-]?[\d,]*\.?\d+$/.test(text) ? Number(text.replaceAll(',', '')) : undefined;
}

/** A figure in the form of another: a number or a text, with as many decimals, commas and a plus sign if that has them. */
export function printFigure(figure: number, form: unknown): unknown {
  const text = String(form);
  const decimals = /\.(\d+)$/.exec(text)?.[1]?.length ?? 0;
  const digits = figure.toFixed(decimals).replace(/^-(?=[0.]*$)/, '');
  if (typeof form === 'number') return Number(digits);
  const [integer = '', fraction] = digits.split('.');
  const grouped = text.includes(',') ? integer.replace(/\B(?=(\d{3})+$)/g, ',') : integer;
  const sign = text.startsWith('+') && figure >= 0 ? '+' : '';
  return sign + (fraction === undefined ? grouped : `${grouped}.${fraction}`);
}

/** An id such as "PF287093" or "OL27448W" with its last digits increased. */
export function increaseId(id: unknown, by: number): unknown {
  if (typeof id === 'number') return id + by;
  if (typeof id !== 'string') return id;
  return id.replace(/\d+(?=\D*$)/, (digits) =>
    String(BigInt(digits) + BigInt(by)).padStart(digits.length, '0'),
  );
}

/** Parts of a seed: what a figure belongs to, such as a tool, a station and an hour. */
type Seed = readonly (string | number)[];

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

/** A number from 0 to 1 that changes gradually over time: random at every `step`, interpolated between. */
export function smooth(time: number, step: number, ...seed: Seed): number {
  const knot = Math.floor(time / step);
  const share = (1 - Math.cos((Math.PI * (time - knot * step)) / step)) / 2;
  return noise(...seed, knot) * (1 - share) + noise(...seed, knot + 1) * share;
}
