import type { JsonSchema } from '../model.ts';

/**
 * Whether objects and arrays are nested in a schema deeper than this. Recursion is not nesting: references into `$defs`
 * are not followed.
 */
export function isDeeperThan(schema: JsonSchema, most: number): boolean {
  const exceeds = (value: unknown, depth: number): boolean =>
    typeof value === 'object' &&
    value !== null &&
    (depth >= most || Object.values(value).some((member) => exceeds(member, depth + 1)));
  return exceeds(schema, 0);
}
