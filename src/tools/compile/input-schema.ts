import { child, type Located, pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own, ownObject } from '../../platform/kernel/plain-json.ts';
import type { Report } from '../document/definition-error.ts';
import { MAX_REGISTERED_SCHEMA_SIZE, MAX_SCHEMA_SIZE } from '../document/document-limits.ts';
import { type ReferenceResolver, referenceOf } from '../document/resolve-reference.ts';
import type { JsonSchema } from '../model.ts';
import { compilePattern, quickPattern } from '../request/compile-pattern.ts';
import { MAX_SCHEMA_TEXT_LENGTH, MAX_TITLE_LENGTH } from './clean-text.ts';
import { convertChoice } from './convert-choice.ts';
import type { FindingScope } from './findings.ts';
import { type FlatSchema, flattenSchema, isHidden, withoutHidden } from './flatten-schema.ts';
import {
  ANNOTATION_KEYWORDS,
  asType,
  fitsTypeAndEnum,
  plainKeyword,
  SCHEMA_KEYWORDS,
  withNull,
  withoutLongNumbers,
} from './schema-keywords.ts';
import { createSharedSchemas, type SchemaUse } from './shared-schemas.ts';
import type { TextReader } from './text-reader.ts';
import { translatePattern } from './translate-pattern.ts';

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
  const readPattern = strict ? quickPattern : compilePattern;
  const translate = strict ? undefined : translatePattern;
  const deps = { references, report: scope.change, texts, readPattern, translate, convert };
  const convertKeywords = createKeywordConverter(deps);
  const { convertTarget, definitions } = createSharedSchemas({ references, scope, spend, convert });

  function spend(size: number, use: SchemaUse, pointer: string): boolean {
    const most = strict ? MAX_SCHEMA_SIZE : MAX_REGISTERED_SCHEMA_SIZE;
    use.size += size;
    if (use.size > most) scope.refuse(pointer, tooLarge(most));
    return use.size <= most;
  }

  function convert({ value, pointer }: Located, use: SchemaUse): JsonSchema {
    if (!spend(sizeOf(value), use, pointer)) return {};
    if (typeof value === 'boolean') return value ? {} : { not: {} };
    if (!isObject(value)) {
      scope.refuse(pointer, 'A schema must be an object.');
      return {};
    }
    const converted = withNull(convertObject({ value, pointer }, use), value);
    return settleDefault(converted, pointer, scope.change);
  }

  function convertObject(schema: Located<JsonObject>, use: SchemaUse): JsonSchema {
    if (referenceOf(schema.value) !== undefined) return convertReference(schema, use);
    const members = own(schema.value, 'allOf');
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
    const visible = withoutHidden(schema, members, references);
    if (visible) return convert({ value: visible, pointer: schema.pointer }, use);
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
      if (isFixed(property.value)) required.add(name);
    }
    const wanted = required.size > 0 ? { required: [...required] } : {};
    return withNull({ type: 'object', ...rest, properties, ...wanted }, flat.rest);
  }

  return { convert, convertFlat, definitions };
}

/** A schema, its keywords and its dependent names count alike: a check grows with each of them. */
function sizeOf(schema: unknown): number {
  if (!isObject(schema)) return 1;
  const keys = Object.keys(schema);
  const constraints = keys.filter(
    (key) => SCHEMA_KEYWORDS.has(key) && !ANNOTATION_KEYWORDS.has(key),
  );
  return (
    1 + constraints.length + Object.values(ownObject(schema, 'dependentRequired')).flat().length
  );
}

const tooLarge = (most: number): string =>
  `The input schema is too large: its objects and their keywords are more than ${most}. Simplify it.`;

/** Annotations beside a `$ref` override the annotations of its target; constraints are added to it. */
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
  readonly readPattern: (pattern: string) => RegExp | undefined;
  /** What reads the patterns of other languages; absent where they are faults. */
  readonly translate: typeof translatePattern | undefined;
  readonly convert: (schema: Located, use: SchemaUse) => JsonSchema;
}

function createKeywordConverter(deps: KeywordDeps) {
  const { references, report, texts, convert } = deps;
  const usablePattern = createPatternReader(deps);

  function convertKeyword(schema: Located<JsonObject>, key: string, use: SchemaUse): JsonSchema {
    const given = own(schema.value, key);
    const value = plainKeyword(key, given);
    if (key === 'example') {
      return Object.hasOwn(schema.value, 'examples') ? {} : convertExamples([value]);
    }
    // Within a body: the default fills it in, the constant keeps callers from changing it.
    if (key === 'x-fixed') return isFixed(schema.value) ? { const: value, default: value } : {};
    const keyword = SCHEMA_KEYWORDS.get(key);
    if (!keyword) return {};
    const place = { value, pointer: pointerTo(schema.pointer, key) };
    if (!keyword.accepts(value)) {
      report(
        place.pointer,
        keyword.issue?.(value) ?? `"${key}" is left out: it must be ${keyword.expected}.`,
      );
      return {};
    }
    if (keyword.holds === 'schema') {
      return { [key]: typeof value === 'boolean' ? value : convert(place, use) };
    }
    if (key === 'oneOf' || key === 'anyOf') return convertChoice(schema, key, use, deps);
    if (keyword.holds === 'schema list') return { [key]: convertList(place, use) };
    if (keyword.holds === 'schema map') {
      texts.watch(Object.keys(value as JsonObject), place.pointer);
      return { [key]: convertMap(place, key, use) };
    }
    if (key === 'pattern') {
      const pattern = usablePattern(String(value), place.pointer);
      return pattern === undefined ? { $comment: PATTERN_LEFT_OUT } : { pattern };
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

  function convertExamples(values: readonly unknown[]): JsonSchema {
    const examples = texts.examples(values);
    return examples.length > 0 || values.length === 0 ? { examples } : {};
  }

  const convertList = ({ value, pointer }: Located, use: SchemaUse): unknown =>
    (value as readonly unknown[]).map((member, index) =>
      convert({ value: member, pointer: pointerTo(pointer, index) }, use),
    );

  function convertMap({ value, pointer }: Located, key: string, use: SchemaUse): JsonSchema {
    const members = Object.entries(value as JsonObject).flatMap(([written, member]) => {
      if (isHidden(written, member, references)) return [];
      const place = { value: member, pointer: pointerTo(pointer, written) };
      const name = key === 'patternProperties' ? usablePattern(written, place.pointer) : written;
      return name === undefined ? [] : [[name, convert(place, use)] as const];
    });
    return Object.fromEntries(members);
  }

  /** Converts the keywords of a schema object, all but `except`. */
  return (schema: Located<JsonObject>, use: SchemaUse, except?: string): JsonSchema => {
    const converted: Record<string, unknown> = {};
    for (const key of Object.keys(schema.value)) {
      if (key !== except) Object.assign(converted, convertKeyword(schema, key, use));
    }
    const fixed = withFixed(converted, schema.value);
    const exact = withoutLongNumbers(fixed, schema.pointer, report);
    return settleValues(exact, schema.pointer, report);
  };
}

/** Creates what turns a pattern into one that can be matched; undefined, with an issue, if it must be left out. */
function createPatternReader({ report, readPattern, translate }: KeywordDeps) {
  return (written: string, pointer: string): string | undefined => {
    const translation = translate?.(written) ?? { pattern: written };
    if ('foreign' in translation) {
      const what = JSON.stringify(translation.foreign.slice(0, MAX_SHOWN_PATTERN));
      report(
        pointer,
        `The pattern is left out: ECMAScript, which JSON Schema uses, has no equivalent of ${what}. Write it differently.`,
      );
      return undefined;
    }
    const { pattern } = translation;
    if (!readPattern(pattern)) {
      report(
        pointer,
        'The pattern is left out: it is invalid, or matching it could take too long. Simplify it.',
      );
      return undefined;
    }
    if (pattern !== written) {
      const shown = pattern.slice(0, MAX_SHOWN_PATTERN);
      report(
        pointer,
        `The pattern is written for another language than ECMAScript, and translated to ${shown}`,
      );
    }
    return pattern;
  };
}

/** Characters of a pattern that a report repeats. */
const MAX_SHOWN_PATTERN = 200;

const isFixed = (schema: unknown): boolean => (child(schema, 'x-fixed') ?? null) !== null;

/** Requires the members that have a fixed value: the defaults of required members are filled in. */
function withFixed(converted: JsonSchema, { properties }: JsonObject): JsonSchema {
  const fixed = Object.entries(isObject(properties) ? properties : {})
    .filter(([, property]) => isFixed(property))
    .map(([name]) => name);
  if (fixed.length === 0) return converted;
  return { ...converted, required: [...new Set([converted['required'] ?? [], fixed].flat())] };
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

/**
 * Gives values the type that their schema has: an enum that the type excludes would refuse every call. An enum of single values
 * beside a list is meant for the items.
 */
function settleValues(schema: JsonSchema, pointer: string, report: Report): JsonSchema {
  const { type, enum: values, items } = schema;
  const place = pointerTo(pointer, 'enum');
  if (!Array.isArray(values) || type === undefined) return schema;
  const single = values.filter((value) => value !== null);
  if (
    single.length > 0 &&
    [type].flat().includes('array') &&
    !single.some((value) => fitsTypeAndEnum(value, type, undefined))
  ) {
    const { enum: _, ...list } = schema;
    report(place, 'The enum is moved to the items of the list: its values are single ones.');
    const all = { ...(isObject(items) ? items : {}), enum: single };
    return { ...list, items: settleValues(all, pointerTo(pointer, 'items'), report) };
  }
  const meant = values.map((value) => asType(value, type));
  if (!meant.some((value) => fitsTypeAndEnum(value, type, undefined))) {
    // Of the two, the values say more than that they are objects.
    if (type === 'object') {
      report(
        pointerTo(pointer, 'type'),
        'The type is left out: it excludes each value of the enum.',
      );
      const { type: _, ...rest } = schema;
      return rest;
    }
    const { enum: _, ...rest } = schema;
    report(place, 'The enum is left out: the type excludes each of its values.');
    return rest;
  }
  if (meant.every((value, at) => value === values[at])) return schema;
  report(
    place,
    'The enum has values of another type than the schema: they are read as the type says.',
  );
  const { default: value } = schema;
  const settled = { ...schema, enum: [...new Set(meant)] };
  return value === undefined ? settled : { ...settled, default: asType(value, type) };
}

/** Drops a default that its own schema rejects: with it, every call without the argument would fail. */
function settleDefault(schema: JsonSchema, pointer: string, report: Report): JsonSchema {
  const { default: value, ...rest } = schema;
  if (value === undefined || fitsTypeAndEnum(value, schema['type'], schema['enum'])) return schema;
  report(
    pointerTo(pointer, 'default'),
    'The default is left out: it does not match the type or the enum.',
  );
  return rest;
}
