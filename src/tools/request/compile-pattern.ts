import { runWithin } from '../../platform/kernel/run-within.ts';

/** Longest pattern of a schema, in UTF-16 units. */
const MAX_PATTERN_LENGTH = 2000;

/**
 * A pattern as a regular expression, whatever it costs to match; undefined if it is invalid or too long. V8's engine
 * backtracks, so a stranger's pattern is only matched where a deadline ends it.
 */
export function compilePattern(pattern: string): RegExp | undefined {
  if (pattern.length > MAX_PATTERN_LENGTH) return undefined;
  // JSON Schema recommends patterns for the `u` flag, but many descriptions do not follow it.
  return compile(pattern, 'u') ?? compile(pattern, '');
}

function compile(pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return undefined;
  }
}

/** Texts on which patterns that backtrack take long. */
const HARD_TEXTS = ['a', '1', ' '].map((letter) => `${letter.repeat(20_000)}!`);
const MAX_MATCH_MS = 100;

/**
 * A preset's pattern as a regular expression; undefined, too, if it takes long on a long text. It is matched on the event
 * loop, and this keeps authors from mistakes that callers could exploit.
 */
export function quickPattern(pattern: string): RegExp | undefined {
  const expression = compilePattern(pattern);
  try {
    runWithin(MAX_MATCH_MS, () => HARD_TEXTS.map((text) => expression?.test(text)));
    return expression;
  } catch {
    return undefined;
  }
}
