import {
  child,
  type Located,
  parsePointer,
  pointerTo,
} from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own, ownObject } from '../../platform/kernel/plain-json.ts';
import { type ReferenceResolver, referenceOf } from '../document/resolve-reference.ts';
import type { PayloadShape } from '../model.ts';

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
  operation: Located<JsonObject>,
  { items, itemWrapper }: Pick<PayloadShape, 'items' | 'itemWrapper'>,
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
  const memberOf = (schema: unknown, token: string): unknown =>
    resolved(child(child(schema, 'properties'), token));
  const elementOf = (schema: unknown, token: string): unknown =>
    resolved(child(child(schema, 'prefixItems'), token) ?? child(schema, 'items'));

  if (items === null) return null;
  const rows = parsePointer(items).reduce<unknown>(
    (schema, token) =>
      memberOf(schema, token) ?? (/^\d+$/.test(token) ? elementOf(schema, token) : undefined),
    resolved(responseSchema(operation, references)),
  );
  const element = elementOf(rows, '');
  const row = itemWrapper === null ? element : memberOf(element, itemWrapper);
  const properties = child(row, 'properties');
  return isObject(properties) ? properties : null;
}

/** The schema of an operation's successful response, in its first media type; undefined if it has none. */
function responseSchema(
  { value, pointer }: Located<JsonObject>,
  references: ReferenceResolver,
): unknown {
  const success = own(ownObject(value, 'responses'), '200');
  if (success === undefined) return undefined;
  const place = { value: success, pointer: pointerTo(`${pointer}/responses`, '200') };
  const response = references.followToObject(place)?.value ?? {};
  const [media] = Object.values(ownObject(response, 'content'));
  return child(media, 'schema');
}
