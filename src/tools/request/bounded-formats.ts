import type { Format, FormatDefinition } from 'ajv/dist/types/index.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';

/** Longest string whose format is checked, in UTF-16 units. Longer ones are left to the upstream. */
const MAX_FORMAT_INPUT = 2000;

/** The formats of JSON Schema, bounded so that they cannot block the process. */
export const BOUNDED_FORMATS: Readonly<Record<string, Format>> = Object.fromEntries(
  Object.entries<Format>(fullFormats).map(([name, format]) => [name, bounded(format)]),
);

function bounded(format: Format): Format {
  const test = testOf(format);
  return test ? (text: string) => text.length > MAX_FORMAT_INPUT || test(text) : format;
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
