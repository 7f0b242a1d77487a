/** Longest value that the gateway stores, in characters. */
export const MAX_VALUE_LENGTH = 4096;

/** What is wrong with a value, as the gateway would say after it was sent; null if nothing is. */
export function valueIssue(value: string): 'tooLong' | 'control' | null {
  const text = value.trim();
  if (text.length > MAX_VALUE_LENGTH) return 'tooLong';
  return /[\p{Cc}\u2028\u2029]/u.test(text) ? 'control' : null;
}
