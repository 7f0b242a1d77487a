import type { Format, FormatDefinition } from 'ajv/dist/types/index.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { MAX_PATTERN_INPUT, registeredPattern, safePattern } from './safe-pattern.ts';

export interface Matching {
  readonly regExp: PatternFactory;
  readonly formats: Readonly<Record<string, Format>>;
  /** Wraps the arguments of a check that is about to start, to follow which one it is at. */
  readonly watch?: (args: Record<string, unknown>) => Record<string, unknown>;
}

interface PatternFactory {
  (pattern: string): { test(text: string): boolean; toString(): string };
  code: string;
}

/** Longest string whose format is checked on the event loop, in UTF-16 units. Longer ones are left to the upstream. */
const MAX_FORMAT_INPUT = 2000;

/** The same for formats whose time grows with the square of the string. */
const SLOW_FORMATS = new Set(['uri', 'uri-reference', 'uri-template', 'url']);
const MAX_SLOW_FORMAT_INPUT = 200;

const FORMATS = Object.entries<Format>(fullFormats);

/** For the event loop: patterns that were found safe, and short strings only. */
export const BOUNDED_MATCHING: Matching = {
  regExp: factory((pattern) => {
    const expression = safePattern(pattern);
    return (text) => !expression || text.length > MAX_PATTERN_INPUT || expression.test(text);
  }),
  formats: Object.fromEntries(FORMATS.map(([name, format]) => [name, bounded(name, format)])),
};

/** For a thread where a deadline ends the check: every pattern and every string. Throws for a pattern that V8 refuses. */
export const WHOLE_MATCHING: Matching = {
  regExp: factory((pattern) => {
    const expression = registeredPattern(pattern);
    if (!expression) throw new SyntaxError('The pattern is invalid.');
    // V8 refuses some patterns only when it first runs them.
    expression.test('');
    return (text) => expression.test(text);
  }),
  formats: Object.fromEntries(FORMATS),
};

function factory(testOf: (pattern: string) => (text: string) => boolean): PatternFactory {
  // Ajv stores one expression per string, and the name in code that it does not keep.
  const create = (pattern: string) => ({ test: testOf(pattern), toString: () => pattern });
  return Object.assign(create, { code: 'pattern' });
}

function bounded(name: string, format: Format): Format {
  const test = testOf(format);
  const maxLength = SLOW_FORMATS.has(name) ? MAX_SLOW_FORMAT_INPUT : MAX_FORMAT_INPUT;
  return test ? (text: string) => text.length > maxLength || test(text) : format;
}

/** The check of a string format; undefined for a number format, which needs no bound. */
function testOf(format: Format): ((text: string) => boolean) | undefined {
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === 'function') return format;
  if (typeof format !== 'object' || format.type === 'number' || format.async) return undefined;
  const { validate } = format as FormatDefinition<string>;
  if (validate instanceof RegExp) return (text) => validate.test(text);
  return typeof validate === 'function' ? (text) => validate(text) : undefined;
}
