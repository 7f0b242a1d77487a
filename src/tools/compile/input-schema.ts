import type { Located } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own } from '../../platform/kernel/plain-json.ts';
import { type ReferenceResolver, referenceOf } from '../document/resolve-reference.ts';
import type { JsonSchema } from '../model.ts';
import { registeredPattern, safePattern } from '../request/safe-pattern.ts';
import type { CompilePolicy } from './compile-policy.ts';
import { createKeywordConverter } from './convert-keywords.ts';
import type { FindingScope } from './findings.ts';
import { type FlatSchema, flattenSchema } from './flatten-schema.ts';
import { isHidden } from './hidden-properties.ts';
import { createSchemaBudget, type SchemaUse } from './schema-budget.ts';
import { ANNOTATION_KEYWORDS } from './schema-keywords.ts';
import { createSharedSchemas } from './shared-schemas.ts';
import type { TextReader } from './text-reader.ts';

/** Converts OpenAPI schemas to JSON Schema 2020-12 for input, without read-only properties. `$ref`s become local. */
export interface SchemaConverter {
  convert(schema: Located, use: SchemaUse): JsonSchema;
  /** Converts a schema that `flattenSchema` has merged. */
  convertFlat(flat: FlatSchema, pointer: string, use: SchemaUse): JsonSchema;
  /** The `$defs` that a tool's schemas need, including those that these need in turn. */
  definitions(use: SchemaUse): JsonObject;
}

export interface SchemaDeps {
  readonly kind: CompilePolicy['kind'];
  readonly references: ReferenceResolver;
  readonly scope: FindingScope;
  readonly texts: TextReader;
}

/** Creates the converter of one document. */
export function createSchemaConverter({
  kind,
  references,
  scope,
  texts,
}: SchemaDeps): SchemaConverter {
  const spend = createSchemaBudget(kind, { add: scope.refuse });
  const report = scope.change;
  const compilePattern = kind === 'preset' ? safePattern : registeredPattern;
  const deps = { references, report, texts, compilePattern, convert };
  const convertKeywords = createKeywordConverter(deps);
  const { convertTarget, definitions } = createSharedSchemas({ references, scope, spend, convert });

  function convert({ value, pointer }: Located, use: SchemaUse): JsonSchema {
    if (typeof value === 'boolean') return value ? {} : { not: {} };
    if (!isObject(value)) {
      scope.refuse(pointer, 'A schema must be an object.');
      return {};
    }
    if (!spend(1, use, pointer)) return {};
    const schema = { value, pointer };
    if (referenceOf(value) !== undefined) return convertReference(schema, use);
    const members = own(value, 'allOf');
    return Array.isArray(members)
      ? convertAllOf(schema, members, use)
      : convertKeywords(schema, use);
  }

  function convertReference(schema: Located<JsonObject>, use: SchemaUse): JsonSchema {
    const target = references.follow(schema);
    if (!target) return {};
    return combine(convertTarget(target, use), convertKeywords(schema, use, '$ref'));
  }

  function convertAllOf(
    schema: Located<JsonObject>,
    members: readonly unknown[],
    use: SchemaUse,
  ): JsonSchema {
    const flat = flattenSchema(schema, references);
    if (flat) return convertFlat(flat, schema.pointer, use);
    if (members.length !== 1) return convertKeywords(schema, use);
    const only = { value: members[0], pointer: `${schema.pointer}/allOf/0` };
    return combine(convert(only, use), convertKeywords(schema, use, 'allOf'));
  }

  function convertFlat(flat: FlatSchema, pointer: string, use: SchemaUse): JsonSchema {
    const rest = convertKeywords({ value: flat.rest, pointer }, use);
    const properties: Record<string, unknown> = {};
    const required = new Set(flat.required);
    for (const [name, property] of flat.properties) {
      if (isHidden(name, property.value, references)) required.delete(name);
      else properties[name] = convert(property, use);
    }
    const wanted = required.size > 0 ? { required: [...required] } : {};
    return { type: 'object', ...rest, properties, ...wanted };
  }

  return { convert, convertFlat, definitions };
}

/** Annotations beside a `$ref` override those of its target; constraints are added to it. */
function combine(target: JsonSchema, beside: JsonSchema): JsonSchema {
  const overrides = Object.keys(beside).every((key) => ANNOTATION_KEYWORDS.has(key));
  return overrides ? { ...target, ...beside } : { allOf: [target, beside] };
}
