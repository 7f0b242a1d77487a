import type { Ajv2020 } from 'ajv/dist/2020.js';
import stringify from 'safe-stable-stringify';
import { isObject } from '../../platform/kernel/plain-json.ts';
import type { JsonSchema } from '../model.ts';

/** Definitions that one check may still enter. */
export interface Budget {
  left: number;
}

const SPENDS = 'x-spends';

/**
 * Makes every definition of a schema cost one unit of `budget`. The check throws a RangeError when the budget is
 * exhausted. Only definitions can refer to themselves, and a recursive choice multiplies its work with every level of
 * the arguments.
 */
export function limitDefinitions(ajv: Ajv2020, schema: JsonSchema, budget: Budget): JsonSchema {
  const definitions = schema['$defs'];
  if (!isObject(definitions)) return schema;
  ajv.addKeyword({
    keyword: SPENDS,
    // Before the keywords that lead to further definitions.
    before: '$ref',
    schema: false,
    validate: () => {
      if (budget.left-- <= 0) throw new RangeError('The budget of this check is exhausted.');
      return true;
    },
  });
  const spending = Object.entries(definitions).map(([name, definition]) => [
    name,
    isObject(definition) ? { ...definition, [SPENDS]: true } : definition,
  ]);
  return { ...schema, $defs: Object.fromEntries(spending) };
}

/** Compares the items of an array by their canonical JSON. Ajv compares all pairs, in quadratic time. */
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
