/** A number in decimals: `digits` divided by ten to the power of `scale`. */
export interface Decimal {
  readonly digits: bigint;
  /** Digits after the point. */
  readonly scale: number;
}

export const ZERO: Decimal = { digits: 0n, scale: 0 };

/** Every decimal of so many digits is read and written by a double as it is. */
const DOUBLE_DIGITS = 15;

/** Characters of a written number; a longer text is not read as one. */
const MAX_LENGTH = 100;
/** With commas between groups of three digits, or with an exponent of two digits. */
const WRITTEN = /^([+\-\u2212]?)(\d+|\d{1,3}(?:,\d{3})+)?(?:\.(\d+))?(?:[eE]([+-]?\d{1,2}))?$/;

/** A number as sources write it, such as `82,500` or ` -0.5`; null for any other text. */
export function decimalOf(text: string): Decimal | null {
  const written = text.length > MAX_LENGTH ? '' : text.trim();
  const [, sign, whole = '', fraction = '', exponent] = WRITTEN.exec(written) ?? [];
  if (whole === '' && fraction === '') return null;
  const unsigned = BigInt(whole.replaceAll(',', '') + fraction);
  const digits = sign === '' || sign === '+' ? unsigned : -unsigned;
  const scale = fraction.length - Number(exponent ?? 0);
  return scale < 0 ? { digits: digits * powerOfTen(-scale), scale: 0 } : { digits, scale };
}

const powerOfTen = (exponent: number): bigint => 10n ** BigInt(exponent);

/** The digits of a number with more digits after the point than it has. */
const scaledTo = ({ digits, scale }: Decimal, wanted: number): bigint =>
  wanted === scale ? digits : digits * powerOfTen(wanted - scale);

export function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { digits: scaledTo(a, scale) + scaledTo(b, scale), scale };
}

/** Below 0 if the first is less, above 0 if it is more. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale);
  const difference = scaledTo(a, scale) - scaledTo(b, scale);
  return difference < 0n ? -1 : Number(difference > 0n);
}

/** Digits after the point of a mean, unless its numbers have more. */
const MEAN_SCALE = 10;

/**
 * A sum divided by a number of values, rounded to `MEAN_SCALE` digits after the point and to as many in all as a double
 * keeps. Half a digit is rounded away from zero.
 */
export function meanOf(sum: Decimal, count: number): Decimal {
  const scale = Math.max(MEAN_SCALE, sum.scale);
  const mean = divide(sum, count, scale);
  const excess = String(mean.digits).replace('-', '').length - DOUBLE_DIGITS;
  return excess > 0 && scale > 0 ? divide(sum, count, Math.max(0, scale - excess)) : mean;
}

function divide(sum: Decimal, count: number, scale: number): Decimal {
  const most = Math.max(scale, sum.scale);
  const dividend = scaledTo(sum, most);
  const divisor = BigInt(count) * powerOfTen(most - scale);
  const half = dividend < 0n ? -divisor : divisor;
  return { digits: (2n * dividend + half) / (2n * divisor), scale };
}

/** The exact mean of two numbers. */
export function middleOf(a: Decimal, b: Decimal): Decimal {
  const { digits, scale } = add(a, b);
  return { digits: digits * 5n, scale: scale + 1 };
}

/** A number in its shortest form without an exponent. */
export function decimalText({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? '-' : '';
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  const whole = text.slice(0, text.length - scale);
  const fraction = text.slice(text.length - scale).replace(/0+$/, '');
  return sign + (fraction === '' ? whole : `${whole}.${fraction}`);
}

/** A number as JSON: in quotes if a double, as most parsers use it, would not keep its digits. */
export function decimalJson(decimal: Decimal): string {
  const text = decimalText(decimal);
  const significant = text.replace(/[-.]/g, '').replace(/^0+|0+$/g, '');
  return significant.length <= DOUBLE_DIGITS ? text : `"${text}"`;
}

const MOST_OF_DOUBLE = powerOfTen(DOUBLE_DIGITS);
/** The powers of ten that a double represents, so that a division by one of them is rounded once. */
const POWERS = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/** The double from which `decimalOfDouble` returns the same number; undefined if no double keeps its digits. */
export function doubleOf({ digits, scale }: Decimal): number | undefined {
  const power = POWERS[scale];
  const isShort = digits < MOST_OF_DOUBLE && digits > -MOST_OF_DOUBLE;
  return isShort && power !== undefined ? Number(digits) / power : undefined;
}

/** The number of a double that `doubleOf` returned: the shortest that is read as this double. */
export const decimalOfDouble = (value: number): Decimal => decimalOf(String(value)) ?? ZERO;
