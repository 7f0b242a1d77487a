import { type ReferenceResolver, referenceOf } from '../document/resolve-reference.ts';
import { child, isObject, own, pointerTokens } from '../plain-json.ts';

/** References in a row that are followed before it counts as going round in a circle. */
const MAX_REFERENCES = 20;

/**
 * The names of a row's fields: the schema of the answer is followed along the pointer to the rows, through
 * `properties`, `items`, `prefixItems` and local `$ref`s. Null where it does not describe a row.
 */
export function rowColumns(
  answer: unknown,
  items: string,
  itemWrapper: string | null,
  references: ReferenceResolver,
): readonly string[] | null {
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

  const rows = pointerTokens(items).reduce<unknown>(
    (schema, token) =>
      memberOf(schema, token) ?? (/^\d+$/.test(token) ? elementOf(schema, token) : undefined),
    resolved(answer),
  );
  const element = elementOf(rows, '');
  const row = itemWrapper === null ? element : memberOf(element, itemWrapper);
  const properties = isObject(row) ? own(row, 'properties') : undefined;
  return isObject(properties) ? Object.keys(properties) : null;
}
