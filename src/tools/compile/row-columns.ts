import { child, parsePointer } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own } from '../../platform/kernel/plain-json.ts';
import { type ReferenceResolver, referenceOf } from '../document/resolve-reference.ts';

/** A longer chain of references counts as circular. */
const MAX_REFERENCES = 20;

/** The column names of a row according to the response schema; null if it does not describe a row. */
export function rowColumns(...place: Parameters<typeof rowProperties>): readonly string[] | null {
  const properties = rowProperties(...place);
  return properties && Object.keys(properties);
}

/**
 * The columns of a row with their schemas. Follows the response schema along the pointer to the rows, through
 * `properties`, `items`, `prefixItems` and local `$ref`s. Null if it does not describe a row.
 */
export function rowProperties(
  responseSchema: unknown,
  items: string,
  itemWrapper: string | null,
  references: ReferenceResolver,
): JsonObject | null {
  const resolved = (schema: unknown): unknown => {
    let current = schema;
    for (let count = 0; count < MAX_REFERENCES; count++) {
      const reference = referenceOf(current);
      if (reference === undefined) return current;
      current = references.target(reference)?.value;
    }
    return undefined;
  };

  const memberOf = (schema: unknown, token: string): unknown => {
    const properties = isObject(schema) ? own(schema, 'properties') : undefined;
    return isObject(properties) ? resolved(own(properties, token)) : undefined;
  };

  const elementOf = (schema: unknown, token: string): unknown => {
    if (!isObject(schema)) return undefined;
    return resolved(child(own(schema, 'prefixItems'), token) ?? own(schema, 'items'));
  };

  const rows = parsePointer(items).reduce<unknown>(
    (schema, token) =>
      memberOf(schema, token) ?? (/^\d+$/.test(token) ? elementOf(schema, token) : undefined),
    resolved(responseSchema),
  );
  const element = elementOf(rows, '');
  const row = itemWrapper === null ? element : memberOf(element, itemWrapper);
  const properties = isObject(row) ? own(row, 'properties') : undefined;
  return isObject(properties) ? properties : null;
}
