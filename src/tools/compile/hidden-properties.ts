import { isObject, own } from '../../platform/kernel/plain-json.ts';
import { type ReferenceResolver, referenceOf } from '../document/resolve-reference.ts';

/** Is the schema, or the target of its `$ref`, read-only? */
export function isReadOnly(schema: unknown, references: ReferenceResolver): boolean {
  const reference = referenceOf(schema);
  const target = reference === undefined ? undefined : references.target(reference);
  return [schema, target?.value].some(
    (value) => isObject(value) && own(value, 'readOnly') === true,
  );
}

/**
 * Does a property stay out of the input? Read-only properties do, and one named `__proto__`: Ajv cannot see it, and
 * would assign its default to the prototype.
 */
export function isHidden(name: string, schema: unknown, references: ReferenceResolver): boolean {
  return name === '__proto__' || isReadOnly(schema, references);
}
