import type { Ajv2020 } from 'ajv/dist/2020.js';
import stringify from 'safe-stable-stringify';
import type { JsonSchema } from '../model.ts';
import { isObject } from '../plain-json.ts';

/** Work that one check may still do. */
export interface Budget {
  left: number;
}

const SPENDS = 'x-spends';

/**
 * Makes every definition of a schema cost one of `budget`; the check throws a RangeError when it is used up. Only
 * definitions can refer to themselves, and a recursive choice doubles its work with every level of the arguments.
 */
export function limitDefinitions(ajv: Ajv2020, schema: JsonSchema, budget: Budget): JsonSchema {
  const definitions = schema['$defs'];
  if (!isObject(definitions)) return schema;
  ajv.addKeyword({
    keyword: SPENDS,
    // Ahead of the keywords that lead into further definitions.
    before: '$ref',
    schema: false,
    validate: () => {
      if (budget.left-- <= 0) throw new RangeError('The budget of this check is used up.');
      return true;
    },
  });
  const spending = Object.entries(definitions).map(([name, definition]) => [
    name,
    isObject(definition) ? { ...definition, [SPENDS]: true } : definition,
  ]);
  return { ...schema, $defs: Object.fromEntries(spending) };
}

/** Compares the items of a list by their canonical texts; Ajv compares each with each, in quadratic time. */
export function compareItemsByText(ajv: Ajv2020): void {
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (wanted: boolean, items: readonly unknown[]) =>
      !wanted || new Set(items.map((item) => stringify(item))).size === items.length,
  });
}
