import type { ArgumentIssue } from '../../platform/kernel/error.ts';
import '../../platform/kernel/exact-number.ts';
import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import type { JsonSchema } from '../model.ts';
import { NOT_WELL_FORMED } from './check-text.ts';

/** Objects, lists and single values of one call. */
const MAX_VALUES = 10_000;
/** Items in one array, unless the schema allows more. */
const MAX_ITEMS = 1000;
const MAX_DEPTH = 64;

/**
 * Creates the check that runs before all others, because their cost grows with the arguments. It returns the number of
 * values, or the first issue that no schema permits: too many values, too long an array, too deep a nesting, an
 * unpaired surrogate in a string, or a number that a double cannot hold.
 */
export function createMeasure(
  schema: JsonSchema,
): (args: Readonly<Record<string, unknown>>) => number | ArgumentIssue {
  const maxItems = Math.max(MAX_ITEMS, largestMaxItems(schema));
  let values = 0;

  function visit(value: unknown, depth: number): ArgumentIssue | undefined {
    if (typeof value === 'string') return value.isWellFormed() ? undefined : UNPAIRED_SURROGATE;
    if (typeof value !== 'object' || value === null) return undefined;
    if (depth > MAX_DEPTH) return TOO_DEEP;
    if (Array.isArray(value)) return visitArray(value, depth);
    return JSON.isRawJSON(value) ? inexact(value.rawJSON) : visitObject(value, depth);
  }

  function visitArray(array: readonly unknown[], depth: number): ArgumentIssue | undefined {
    if (array.length > maxItems) return tooLong(array.length, maxItems);
    for (let index = 0; index < array.length; index++) {
      if (++values > MAX_VALUES) return TOO_MANY;
      const issue = visit(array[index], depth + 1);
      if (issue) return isWhole(issue) ? issue : within(index, issue);
    }
    return undefined;
  }

  function visitObject(object: object, depth: number): ArgumentIssue | undefined {
    for (const name in object) {
      if (++values > MAX_VALUES) return TOO_MANY;
      // The schema decides the names of the arguments themselves.
      if (depth > 0 && !name.isWellFormed()) return UNPAIRED_SURROGATE;
      const issue = visit((object as Record<string, unknown>)[name], depth + 1);
      if (issue) return isWhole(issue) ? issue : within(name, issue);
    }
    return undefined;
  }

  return (args) => {
    values = 0;
    return visitObject(args, 0) ?? values;
  };
}

/** Issues of the arguments as a whole, wherever they are found. */
const isWhole = (issue: ArgumentIssue): boolean => issue === TOO_MANY || issue === TOO_DEEP;

/** The largest `maxItems` anywhere in a schema. */
function largestMaxItems(schema: unknown): number {
  if (typeof schema !== 'object' || schema === null) return 0;
  const own = isObject(schema) ? schema['maxItems'] : 0;
  const inner = Object.values(schema).map(largestMaxItems);
  return Math.max(typeof own === 'number' ? own : 0, ...inner);
}

const issueOf = (message: string): ArgumentIssue => ({ path: '', message });

const within = (token: string | number, { path, message }: ArgumentIssue): ArgumentIssue => ({
  path: pointerTo('', token) + path,
  message,
});

const TOO_MANY = issueOf(
  `The arguments have more than ${MAX_VALUES} values. Split them over several calls.`,
);
const TOO_DEEP = issueOf(`The arguments are nested deeper than ${MAX_DEPTH} levels.`);
const UNPAIRED_SURROGATE = issueOf(NOT_WELL_FORMED);

const tooLong = (items: number, maxItems: number): ArgumentIssue =>
  issueOf(`must have at most ${maxItems} items, but has ${items}. Split them over several calls.`);

const INEXACT = 'a number that a double cannot hold';

/** Whether an issue is about a number with too many digits. */
export const isInexact = ({ message }: ArgumentIssue): boolean => message.includes(INEXACT);

const inexact = (written: string): ArgumentIssue =>
  issueOf(
    `is ${written.slice(0, 40)}, ${INEXACT} (integers: up to 2^53). If a string is allowed, send it in quotes.`,
  );
