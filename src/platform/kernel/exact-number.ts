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
