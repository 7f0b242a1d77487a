import type { ArgumentFault } from '../../platform/kernel/error.ts';
import '../../platform/kernel/exact-number.ts';
import type { JsonSchema } from '../model.ts';
import { isObject, pointerTo } from '../plain-json.ts';

/** Values of one call, whatever its schema allows. */
const MAX_VALUES = 10_000;
/** Items of one list, unless the schema allows longer ones. */
const MAX_ITEMS = 1000;
const MAX_DEPTH = 64;

/**
 * Makes the look at arguments that comes before every other check, whose costs grow with them. It returns the number
 * of values, or the first fault that no schema allows: too many values, a list too long, nesting too deep, half a
 * character in a text, a number that cannot be kept as it is.
 */
export function createMeasure(
  schema: JsonSchema,
): (args: Readonly<Record<string, unknown>>) => number | ArgumentFault {
  const maxItems = Math.max(MAX_ITEMS, longestList(schema));
  let values = 0;

  function visit(value: unknown, depth: number): ArgumentFault | undefined {
    if (typeof value === 'string') return value.isWellFormed() ? undefined : HALF_CHARACTER;
    if (typeof value !== 'object' || value === null) return undefined;
    if (depth > MAX_DEPTH) return TOO_DEEP;
    if (Array.isArray(value)) return visitList(value, depth);
    return JSON.isRawJSON(value) ? inexact(value.rawJSON) : visitObject(value, depth);
  }

  function visitList(list: readonly unknown[], depth: number): ArgumentFault | undefined {
    if (list.length > maxItems) return tooLong(list.length, maxItems);
    for (let index = 0; index < list.length; index++) {
      if (++values > MAX_VALUES) return TOO_MANY;
      const fault = visit(list[index], depth + 1);
      if (fault) return within(index, fault);
    }
    return undefined;
  }

  function visitObject(object: object, depth: number): ArgumentFault | undefined {
    for (const name in object) {
      if (++values > MAX_VALUES) return TOO_MANY;
      // The names of arguments are those of the schema.
      if (depth > 0 && !name.isWellFormed()) return HALF_CHARACTER;
      const fault = visit((object as Record<string, unknown>)[name], depth + 1);
      if (fault) return within(name, fault);
    }
    return undefined;
  }

  return (args) => {
    values = 0;
    return visitObject(args, 0) ?? values;
  };
}

/** The largest `maxItems` anywhere in a schema. */
function longestList(schema: unknown): number {
  if (typeof schema !== 'object' || schema === null) return 0;
  const own = isObject(schema) ? schema['maxItems'] : 0;
  const inner = Object.values(schema).map(longestList);
  return Math.max(typeof own === 'number' ? own : 0, ...inner);
}

/** Faults of the call as a whole, which have no path. */
const TOO_DEEP = { path: '', message: `The arguments are nested deeper than ${MAX_DEPTH} levels.` };
const TOO_MANY = {
  path: '',
  message: `The arguments have more than ${MAX_VALUES} values. Send them in parts.`,
};

const within = (token: string | number, fault: ArgumentFault): ArgumentFault =>
  fault === TOO_DEEP || fault === TOO_MANY
    ? fault
    : { path: pointerTo('', token) + fault.path, message: fault.message };

const HALF_CHARACTER = {
  path: '',
  message: 'must be well-formed text (it has half a character).',
};

const tooLong = (items: number, maxItems: number): ArgumentFault => ({
  path: '',
  message: `must have at most ${maxItems} items, but has ${items}. Send them in parts.`,
});

const inexact = (written: string): ArgumentFault => ({
  path: '',
  message: `is ${written.slice(0, 40)}, a number beyond the range of doubles (integers: 2^53). Where a text is allowed, send it in quotes.`,
});
