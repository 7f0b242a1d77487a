import { child, type Located, pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own } from '../../platform/kernel/plain-json.ts';
import type { Report } from '../document/definition-error.ts';
import { type ReferenceResolver, referenceOf } from '../document/resolve-reference.ts';
import type { JsonSchema } from '../model.ts';
import { registeredPattern, safePattern } from '../request/safe-pattern.ts';
import { MAX_SCHEMA_TEXT_LENGTH, MAX_TITLE_LENGTH } from './clean-text.ts';
import type { FindingScope } from './findings.ts';
import { type FlatSchema, flattenSchema, isHidden } from './flatten-schema.ts';
import { createSchemaBudget, type SchemaUse } from './schema-budget.ts';
import { ANNOTATION_KEYWORDS, fitsTypeAndEnum, SCHEMA_KEYWORDS } from './schema-keywords.ts';
import { createSharedSchemas } from './shared-schemas.ts';
import type { TextReader } from './text-reader.ts';

export type SchemaConverter = ReturnType<typeof createSchemaConverter>;

interface SchemaDeps {
  readonly strict: boolean;
  readonly references: ReferenceResolver;
  readonly scope: FindingScope;
  readonly texts: TextReader;
}

/**
 * Creates what converts the OpenAPI schemas of one document to JSON Schema 2020-12 for input, without read-only properties.
 * `$ref`s become local.
 */
export function createSchemaConverter({ strict, references, scope, texts }: SchemaDeps) {
  const spend = createSchemaBudget(strict, scope.refuse);
  const compilePattern = strict ? safePattern : registeredPattern;
  const deps = { references, report: scope.change, texts, compilePattern, convert };
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

  /** Converts a schema that `flattenSchema` has merged. */
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

interface KeywordDeps {
  readonly references: ReferenceResolver;
  /** Reports a keyword that cannot be carried over. */
  readonly report: Report;
  readonly texts: TextReader;
  /** The pattern as a regular expression; undefined if it must be left out. */
  readonly compilePattern: (pattern: string) => RegExp | undefined;
  readonly convert: (schema: Located, use: SchemaUse) => JsonSchema;
}

function createKeywordConverter(deps: KeywordDeps) {
  const { references, report, texts, compilePattern, convert } = deps;

  function convertKeyword(schema: Located<JsonObject>, key: string, use: SchemaUse): JsonSchema {
    const value = own(schema.value, key);
    if (key === 'example') {
      return Object.hasOwn(schema.value, 'examples') ? {} : convertExamples([value]);
    }
    // Within a body: the default fills it in, the constant keeps callers from changing it.
    if (key === 'x-fixed') return value === null ? {} : { const: value, default: value };
    const keyword = SCHEMA_KEYWORDS.get(key);
    if (!keyword) return {};
    const place = { value, pointer: pointerTo(schema.pointer, key) };
    if (!keyword.accepts(value)) {
      report(place.pointer, keyword.issue?.(value) ?? `"${key}" must be ${keyword.expected}.`);
      return {};
    }
    if (keyword.holds === 'schema') {
      return { [key]: typeof value === 'boolean' ? value : convert(place, use) };
    }
    if (keyword.holds === 'schema list') return { [key]: convertList(place, use) };
    if (keyword.holds === 'schema map') {
      texts.watch(Object.keys(value as JsonObject), place.pointer);
      return { [key]: convertMap(place, key, use) };
    }
    if (key === 'pattern') {
      const pattern = String(value);
      return isUsable(pattern, place.pointer) ? { pattern } : { $comment: PATTERN_LEFT_OUT };
    }
    if (key === 'required') {
      const properties = own(schema.value, 'properties');
      const required = (value as readonly string[]).filter(
        (name) => !isHidden(name, child(properties, name), references),
      );
      return required.length > 0 ? { required } : {};
    }
    if (key === 'examples') return convertExamples(value as unknown[]);
    const maxLength = TEXT_LENGTHS.get(key);
    if (maxLength === undefined) {
      texts.watch(value, place.pointer);
      return { [key]: value };
    }
    return { [key]: texts.text(String(value), place.pointer, maxLength) };
  }

  function isUsable(pattern: string, pointer: string): boolean {
    if (compilePattern(pattern)) return true;
    report(pointer, 'This pattern is invalid, or matching it could take too long. Simplify it.');
    return false;
  }

  function convertExamples(values: readonly unknown[]): JsonSchema {
    const examples = texts.examples(values);
    return examples.length > 0 || values.length === 0 ? { examples } : {};
  }

  const convertList = ({ value, pointer }: Located, use: SchemaUse): unknown =>
    (value as readonly unknown[]).map((member, index) =>
      convert({ value: member, pointer: pointerTo(pointer, index) }, use),
    );

  function convertMap({ value, pointer }: Located, key: string, use: SchemaUse): JsonSchema {
    const members = Object.entries(value as JsonObject)
      .map(([name, member]) => ({ name, value: member, pointer: pointerTo(pointer, name) }))
      .filter(
        (member) =>
          !isHidden(member.name, member.value, references) &&
          (key !== 'patternProperties' || isUsable(member.name, member.pointer)),
      );
    return Object.fromEntries(members.map((member) => [member.name, convert(member, use)]));
  }

  /** Converts the keywords of a schema object, all but `except`. */
  return (schema: Located<JsonObject>, use: SchemaUse, except?: string): JsonSchema => {
    const converted: Record<string, unknown> = {};
    for (const key of Object.keys(schema.value)) {
      if (key !== except) Object.assign(converted, convertKeyword(schema, key, use));
    }
    return settleDefault(converted, schema.pointer, report);
  };
}

/** The keywords that models read, with the longest text that is kept of a stranger. */
const TEXT_LENGTHS: ReadonlyMap<string, number> = new Map([
  ['title', MAX_TITLE_LENGTH],
  ['description', MAX_SCHEMA_TEXT_LENGTH],
  ['format', MAX_TITLE_LENGTH],
  ['contentEncoding', MAX_TITLE_LENGTH],
  ['contentMediaType', MAX_TITLE_LENGTH],
]);

const PATTERN_LEFT_OUT = 'A pattern was left out: it is invalid or too costly to match.';

/** Drops a default that its own schema rejects: with it, every call without the argument would fail. */
function settleDefault(schema: JsonSchema, pointer: string, report: Report): JsonSchema {
  const { default: value, ...rest } = schema;
  if (value === undefined || fitsTypeAndEnum(value, schema['type'], schema['enum'])) return schema;
  report(pointerTo(pointer, 'default'), 'The default does not match the type or the enum.');
  return rest;
}
