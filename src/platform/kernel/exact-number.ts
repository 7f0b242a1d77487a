/**
 * A number in a JSON text that a double cannot represent, kept as written: `JSON.stringify` writes it unchanged
 * (TC39 "JSON.parse source text access").
 */
export interface ExactNumber {
  readonly rawJSON: string;
}

declare global {
  interface JSON {
    rawJSON(text: string): ExactNumber;
    isRawJSON(value: unknown): value is ExactNumber;
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
  }
}

/** Whether a number is a multiple of a positive one as both are written in decimals: 19.99 is one of 0.01. */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const [a, b] = [decimalOf(value), decimalOf(divisor)];
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = (of: Decimal): bigint => of.digits * 10n ** BigInt(of.exponent - exponent);
  return scaled(a) % scaled(b) === 0n;
}

/** `digits` times ten to the power of `exponent`. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** The shortest decimal that is read as this double: as it was written, up to 15 digits. */
function decimalOf(value: number): Decimal {
  const [mantissa = '', power = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

/** A number of JSON, and nothing else. */
export const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** No double has more significant digits than these. */
const MOST_DIGITS = 17;

/** Whether a written number has no more digits than a double keeps. */
export function keepsDigits(written: string): boolean {
  if (!fitsDouble(written)) return false;
  if (written.length <= MOST_DIGITS) return true;
  const [mantissa = ''] = written.split(/e/i);
  const digits = mantissa.replace(/[-.]/g, '').replace(/^0+/, '');
  return digits.replace(/0+$/, '').length <= MOST_DIGITS;
}

/** Whether a text is a number with more digits than a double keeps. */
export const isExactText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 400 && NUMBER.test(value) && !keepsDigits(value);

/** Whether reading a written number and writing it again gives other digits. */
export const losesDigits = (written: unknown): written is string =>
  isExactText(written) && String(Number(written)) !== written;

/** Numbers with up to this many digits survive conversion to a double. */
const SAFE_DIGITS = 15;

/**
 * Whether a double can represent the written number. Fractions and numbers with an exponent are approximate by nature
 * (RFC 8259 section 6), but must not become infinite or zero. Everything else beyond 2^53 is refused.
 */
export function fitsDouble(written: string): boolean {
  const hasExponent = written.includes('e') || written.includes('E');
  if (!hasExponent && written.length <= SAFE_DIGITS) return true;
  const value = Math.abs(Number(written));
  if (value > Number.MAX_SAFE_INTEGER) return hasExponent && Number.isFinite(value);
  // Only a number written with zeros may become 0.
  return value > 0 || !/^[^e]*[1-9]/i.test(written);
}

/** Parses JSON. A number that a double cannot represent becomes an `ExactNumber`. */
export const parseExactly = (text: string): unknown =>
  JSON.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && !keepsDigits(source)
      ? JSON.rawJSON(source)
      : value,
  );
