import { isObject } from '../../platform/kernel/plain-json.ts';
import type { JsonSchema } from '../model.ts';
import { measureSchema } from './measure-schema.ts';

/**
 * Parts of a schema times values of a call. A check may meet each value with each part, as a choice of many forms does, and
 * takes up to half a microsecond for it: a tenth of a second in all.
 */
const MAX_WORK = 200_000;

/** How many parts a pattern on a long string counts for, and values of an `enum` that count for one. */
const PARTS_PER_PATTERN = 40;
const ENUM_VALUES_PER_PART = 8;

/** How often the check of a schema may do what at most, so that no call blocks the others. */
export interface CheckBounds {
  /** Values in the arguments of one call. */
  readonly maxValues: number;
  /** Definitions that one check may enter; a schema that refers to itself enters them again and again. */
  readonly maxDefinitions: number;
}

const MAX_VALUES = 10_000;
const MAX_DEFINITIONS = 10_000;

export function boundsOf(schema: JsonSchema): CheckBounds {
  const fitting = Math.floor(MAX_WORK / (measureSchema(schema).size + costOfTexts(schema)));
  return {
    maxValues: Math.max(1, Math.min(MAX_VALUES, fitting)),
    maxDefinitions: Math.max(1, Math.min(MAX_DEFINITIONS, fitting)),
  };
}

/** What patterns and long lists of values cost beyond their keywords, wherever they are. */
function costOfTexts(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value).reduce((sum: number, each) => sum + costOfTexts(each), 0);
  if (!isObject(value)) return inner;
  const { pattern, patternProperties, enum: choices } = value;
  const patterns =
    Number(typeof pattern === 'string') +
    (isObject(patternProperties) ? Object.keys(patternProperties).length : 0);
  const values = Array.isArray(choices) ? choices.length : 0;
  return inner + PARTS_PER_PATTERN * patterns + Math.ceil(values / ENUM_VALUES_PER_PART);
}
