/**
 * A number of a JSON text that a double cannot hold, kept as it was written: `JSON.stringify` writes it unchanged
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

/** Digits that every double of this many keeps. */
const SAFE_DIGITS = 15;

/**
 * Does a double hold the number that is written so? Fractions and numbers with an exponent are approximate by nature
 * (RFC 8259 section 6), but must not become infinite or zero; beyond 2^53 everything else is refused.
 */
export function fitsDouble(written: string): boolean {
  const hasExponent = written.includes('e') || written.includes('E');
  if (!hasExponent && written.length <= SAFE_DIGITS) return true;
  const value = Math.abs(Number(written));
  if (value > Number.MAX_SAFE_INTEGER) return hasExponent && Number.isFinite(value);
  // Too small for any double but 0, which only zeros may become.
  return value > 0 || !/^[^e]*[1-9]/i.test(written);
}
