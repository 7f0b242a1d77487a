import { child, type Located, parsePointer } from '../../platform/kernel/json-pointer.ts';
import {
  isObject,
  type JsonObject,
  own,
  ownObject,
  setOwn,
} from '../../platform/kernel/plain-json.ts';
import { type ReferenceResolver, referenceOf } from '../document/resolve-reference.ts';
import type { JsonSchema } from '../model.ts';
import type { SchemaUse } from './shared-schemas.ts';

interface ChoiceDeps {
  readonly references: ReferenceResolver;
  readonly convert: (schema: Located, use: SchemaUse) => JsonSchema;
}

/**
 * Converts a `oneOf` or `anyOf`. Several branches may fit, also of a `oneOf`: authors write it for forms that overlap, and the
 * upstream chooses between them. Where a `discriminator` names the branch, no other one fits.
 */
export function convertChoice(
  { value: schema, pointer }: Located<JsonObject>,
  key: 'oneOf' | 'anyOf',
  use: SchemaUse,
  { references, convert }: ChoiceDeps,
): JsonSchema {
  const branches = (own(schema, key) as readonly unknown[]).map((value, index) => {
    const place = { value, pointer: `${pointer}/${key}/${index}` };
    return discriminated(convert(place, use), value, schema, references);
  });
  const hasBoth = Object.hasOwn(schema, 'oneOf') && Object.hasOwn(schema, 'anyOf');
  return { [hasBoth ? key : 'anyOf']: branches };
}

/**
 * A branch of a `oneOf` or `anyOf` with what the `discriminator` beside it says: the branch is meant where the property has
 * one of its names (OpenAPI 3.1, 4.8.25). A branch that says itself what the property is, or chooses itself, stays as it is.
 */
function discriminated(
  branch: JsonSchema,
  written: unknown,
  schema: JsonObject,
  references: ReferenceResolver,
): JsonSchema {
  const discriminator = ownObject(schema, 'discriminator');
  const property = own(discriminator, 'propertyName');
  const reference = referenceOf(written);
  if (typeof property !== 'string' || property === '' || reference === undefined) return branch;
  const target = references.target(reference)?.value;
  if (child(target, 'oneOf') ?? child(target, 'anyOf')) return branch;
  const known = child(branch['properties'], property);
  if (isObject(known) && ('enum' in known || 'const' in known)) return branch;
  const rule = { ...(isObject(known) ? known : {}), enum: namesOf(reference, discriminator) };
  const required = [...new Set([...listOf(branch['required']), property])];
  const properties: Record<string, unknown> = { ...ownObject(branch, 'properties') };
  setOwn(properties, property, rule);
  return 'properties' in branch || '$ref' in branch
    ? { ...branch, properties, required }
    : { allOf: [branch, { properties, required }] };
}

/** The values that name a branch: the values of the mapping, or else the name of its schema. */
function namesOf(reference: string, discriminator: JsonObject): readonly string[] {
  const own = parsePointer(decodeURIComponent(reference.slice(1))).at(-1) ?? '';
  const mapped = Object.entries(ownObject(discriminator, 'mapping'))
    .filter(([, target]) => target === reference || target === own)
    .map(([name]) => name);
  return mapped.length > 0 ? mapped : [own];
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
