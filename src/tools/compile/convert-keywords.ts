import { child, type Located, pointerTo } from '../../platform/kernel/json-pointer.ts';
import { type JsonObject, own } from '../../platform/kernel/plain-json.ts';
import type { ReferenceResolver } from '../document/resolve-reference.ts';
import type { JsonSchema } from '../model.ts';
import { MAX_SCHEMA_TEXT_LENGTH, MAX_TITLE_LENGTH } from './clean-text.ts';
import { isHidden } from './hidden-properties.ts';
import type { SchemaUse } from './schema-budget.ts';
import { fitsTypeAndEnum, SCHEMA_KEYWORDS } from './schema-keywords.ts';
import type { TextReader } from './text-reader.ts';

/** Reports a keyword that cannot be carried over. */
type Report = (pointer: string, message: string) => void;

export interface KeywordDeps {
  readonly references: ReferenceResolver;
  readonly report: Report;
  readonly texts: TextReader;
  /** The pattern as a regular expression; undefined if it must be left out. */
  readonly compilePattern: (pattern: string) => RegExp | undefined;
  /** Converts a nested schema. */
  readonly convert: (schema: Located, use: SchemaUse) => JsonSchema;
}

/** Converts the keywords of a schema object, all but `except`. */
export type ConvertKeywords = (
  schema: Located<JsonObject>,
  use: SchemaUse,
  except?: string,
) => JsonSchema;

export function createKeywordConverter(deps: KeywordDeps): ConvertKeywords {
  const { references, report, texts, compilePattern, convert } = deps;

  /** What one keyword contributes to the converted schema. */
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
    if (keyword.holds === 'schema') return { [key]: convertSchema(place, use) };
    if (keyword.holds === 'schema list') return { [key]: convertList(place, use) };
    if (keyword.holds === 'schema map') {
      texts.watch(Object.keys(value as JsonObject), place.pointer);
      return { [key]: convertMap(place, key, use) };
    }
    if (key === 'pattern') {
      const pattern = String(value);
      return isUsable(pattern, place.pointer) ? { pattern } : { $comment: PATTERN_LEFT_OUT };
    }
    if (key === 'required') return convertRequired(value as string[], schema.value, references);
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

  const convertSchema = (schema: Located, use: SchemaUse): unknown =>
    typeof schema.value === 'boolean' ? schema.value : convert(schema, use);

  const convertList = ({ value, pointer }: Located, use: SchemaUse): unknown =>
    (value as readonly unknown[]).map((member, index) =>
      convert({ value: member, pointer: pointerTo(pointer, index) }, use),
    );

  function convertMap({ value, pointer }: Located, key: string, use: SchemaUse): JsonSchema {
    const members = Object.entries(value as JsonObject).filter(
      ([name, member]) =>
        !isHidden(name, member, references) &&
        (key !== 'patternProperties' || isUsable(name, pointerTo(pointer, name))),
    );
    return Object.fromEntries(
      members.map(([name, member]) => [
        name,
        convert({ value: member, pointer: pointerTo(pointer, name) }, use),
      ]),
    );
  }

  return (schema, use, except) => {
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

function convertRequired(
  names: readonly string[],
  schema: JsonObject,
  references: ReferenceResolver,
): JsonSchema {
  const properties = own(schema, 'properties');
  const required = names.filter((name) => !isHidden(name, child(properties, name), references));
  return required.length > 0 ? { required } : {};
}

/** Drops a default that its own schema rejects: with it, every call without the argument would fail. */
function settleDefault(schema: JsonSchema, pointer: string, report: Report): JsonSchema {
  const { default: value, ...rest } = schema;
  if (value === undefined || fitsTypeAndEnum(value, schema['type'], schema['enum'])) return schema;
  report(pointerTo(pointer, 'default'), 'The default does not match the type or the enum.');
  return rest;
}
