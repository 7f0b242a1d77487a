import { own, ownObject, ownText } from '../../platform/kernel/plain-json.ts';
import type { JsonSchema } from '../model.ts';
import { createSchemaJoiner, type JoinedSchema } from './join-schema.ts';

/** Names of properties that every model API takes. */
export const PLAIN_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Nested objects and lists that are published; what is deeper is a string that holds JSON. */
const MAX_LEVELS = 6;
/** Schemas of one tool that are published as they are; further objects and lists are texts that hold JSON. */
const MAX_SCHEMAS = 500;
/** Schemas of one tool that are looked into. */
const MAX_STEPS = 5000;
/** Values of an enumeration; with more, OpenAI refuses the tool. */
const MAX_VALUES = 250;
/** Characters of values and names that a description lists. */
const MAX_NOTE = 200;

/** Where a schema is, as far as it matters for what may be published. */
interface Place {
  readonly within: ReadonlySet<string>;
  readonly level: number;
}

/** The keywords of each type that OpenAI, Anthropic and Gemini all know. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength'],
  integer: ['minimum', 'maximum'],
  number: ['minimum', 'maximum'],
  array: ['minItems', 'maxItems'],
};

/**
 * A schema of arguments in the words that every client and model API takes: one type for each value, and only keywords
 * that Gemini's `Schema` has too. It may allow more than `schema`, and says less. What cannot be said in these words, such
 * as an object without known properties, is a string that holds JSON (`parse-texts.ts` reads it).
 */
export function plainSchema(schema: JsonSchema): JsonSchema {
  const join = createSchemaJoiner(schema, MAX_STEPS);
  let schemas = 0;

  function plain(value: unknown, { within, level }: Place): JsonSchema | undefined {
    const joined = join(value, within);
    const type = typeOf(joined);
    if (type === undefined) return undefined;
    schemas++;
    const inner = { within: joined.within, level: level + 1 };
    if (type === 'object') return plainObject(joined.keywords, inner);
    if (type === 'array') return plainList(joined.keywords, inner);
    return plainValue(type, joined.keywords);
  }

  const isTooMuch = ({ level }: Place): boolean => level > MAX_LEVELS || schemas > MAX_SCHEMAS;

  function plainObject(keywords: JsonSchema, inner: Place): JsonSchema {
    const names = Object.keys(ownObject(keywords, 'properties'));
    const isPlain = names.length > 0 && names.every((name) => PLAIN_NAME.test(name));
    if (!isPlain || isTooMuch(inner)) return jsonText('JSON object', names, keywords);
    const published = members(keywords, inner);
    // No value fits any of its properties.
    const isEmpty = Object.keys(ownObject(published, 'properties')).length === 0;
    if (isEmpty) return jsonText('JSON object', names, keywords);
    return { ...described(keywords, 'object'), ...published };
  }

  function members(keywords: JsonSchema, inner: Place): JsonSchema {
    const required = [own(keywords, 'required') ?? []].flat().map(String);
    const known = ownObject(keywords, 'properties');
    // What is required without a schema may be anything.
    const undescribed = required.filter((name) => !Object.hasOwn(known, name));
    const all = [...Object.entries(known), ...undescribed.map((name) => [name, {}] as const)];
    const properties = all.flatMap(([name, value]) => {
      const schema = PLAIN_NAME.test(name) ? plain(value, inner) : undefined;
      return schema ? [[name, schema] as const] : [];
    });
    const published = new Set(properties.map(([name]) => name));
    const needed = required.filter((name) => published.has(name));
    return {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(needed.length > 0 ? { required: needed } : {}),
    };
  }

  function plainList(keywords: JsonSchema, inner: Place): JsonSchema {
    const { items, prefixItems } = keywords;
    if (Array.isArray(prefixItems) || isTooMuch(inner)) return jsonText('JSON list', [], keywords);
    const published = plain(items, inner) ?? { type: 'string' };
    const type = 'array';
    return { type, ...described(keywords, type), ...bounds(type, keywords), items: published };
  }

  const root = join(schema);
  const published = members(root.keywords, { within: root.within, level: 0 });
  const isEmpty = Object.keys(ownObject(published, 'properties')).length === 0;
  return isEmpty ? { ...published, properties: OF_EVERY_CALL } : published;
}

/** What a tool without arguments takes, as every tool does: Gemini refuses an object without properties. */
const OF_EVERY_CALL = { _clientId: { type: 'string', description: 'Leave out.' } };

/** The type of a value that is published: the first that the schema names. */
function typeOf({ types, keywords }: JoinedSchema): string | undefined {
  return (types ?? [inferredType(keywords)]).find((type) => type !== 'null');
}

/** The type that a schema without one is about. */
function inferredType(keywords: JsonSchema): string {
  const has = (...names: string[]): boolean =>
    names.some((name) => own(keywords, name) !== undefined);
  if (has('properties', 'additionalProperties', 'patternProperties', 'minProperties'))
    return 'object';
  if (has('items', 'prefixItems', 'minItems', 'maxItems')) return 'array';
  const values = own(keywords, 'enum');
  const kinds = new Set(Array.isArray(values) ? values.map((value) => typeof value) : []);
  if (has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'))
    return 'number';
  const [kind] = kinds;
  return kinds.size === 1 && (kind === 'number' || kind === 'boolean') ? kind : 'string';
}

/** An object or a list that is published as a text. */
function jsonText(what: string, names: readonly string[], keywords: JsonSchema): JsonSchema {
  const members = names.length > 0 ? ` with ${names.join(', ').slice(0, MAX_NOTE)}` : '';
  const { default: value, ...others } = keywords;
  const otherwise = value === undefined ? {} : { default: JSON.stringify(value) };
  return {
    type: 'string',
    ...described({ ...others, ...otherwise }, 'string', `${what}${members}.`),
  };
}

function plainValue(type: string, keywords: JsonSchema): JsonSchema {
  const values = [own(keywords, 'enum') ?? []].flat().filter((value) => value !== null);
  const format = own(keywords, 'format');
  if (type === 'string') {
    // Gemini takes no empty value.
    const texts = [...new Set(values.map(String))].filter((value) => value !== '');
    const isListed = texts.length > 0 && texts.length <= MAX_VALUES;
    return {
      type,
      ...described(keywords, type, noteOnFormat(format)),
      ...(isListed ? { enum: texts } : { ...bounds(type, keywords), ...patternOf(keywords) }),
      ...(format === 'date-time' ? { format } : {}),
    };
  }
  // Gemini takes enumerations of texts only.
  const fitting = values.filter((value) => fits(value, type));
  const numbers = fitting.filter((value) => typeof value === 'number');
  const range = numbers.length > 0 ? rangeOf(numbers) : bounds(type, keywords);
  return { type, ...described(keywords, type, noteOnValues(fitting)), ...range };
}

const noteOnFormat = (format: unknown): string =>
  typeof format === 'string' && format !== 'date-time' ? `Format: ${format}.` : '';

const noteOnValues = (values: readonly unknown[]): string =>
  values.length === 0 ? '' : `One of ${[...new Set(values)].join(', ').slice(0, MAX_NOTE)}.`;

const rangeOf = (numbers: readonly number[]): JsonSchema => ({
  minimum: Math.min(...numbers),
  maximum: Math.max(...numbers),
});

function bounds(type: string, keywords: JsonSchema): JsonSchema {
  const known = (KEYWORDS[type] ?? []).flatMap((key) => {
    const value = own(keywords, key) ?? own(keywords, EXCLUSIVE[key] ?? '');
    return typeof value === 'number' ? [[key, value] as const] : [];
  });
  return Object.fromEntries(known);
}

/** Keywords that few know, and those that say nearly the same. */
const EXCLUSIVE: Readonly<Record<string, string>> = {
  minimum: 'exclusiveMinimum',
  maximum: 'exclusiveMaximum',
};

/** What RE2 and Rust do not match: looking around, back references, escapes of JavaScript, more than 999 repetitions. */
const FOREIGN = /\(\?(?!:)|\\(?:[1-9]|[kucpP])|\{\d{4}|,\d{4,}\}/;

function patternOf(keywords: JsonSchema): JsonSchema {
  const pattern = ownText(keywords, 'pattern');
  return pattern === undefined || FOREIGN.test(pattern) ? {} : { pattern };
}

/** The description and the default. What keywords say that some APIs refuse becomes part of the description. */
function described(keywords: JsonSchema, type: string, note = ''): JsonSchema {
  const { default: value, deprecated } = keywords;
  const words = ownText(keywords, 'description') ?? ownText(keywords, 'title') ?? '';
  const notes = [deprecated === true ? 'Deprecated.' : '', note, exampleNote(keywords, words)];
  const description = notes.filter(Boolean).reduce(addSentence, words);
  return {
    ...(description === '' ? {} : { description }),
    ...(fits(value, type) ? { default: value } : {}),
  };
}

const addSentence = (text: string, sentence: string): string =>
  text === '' ? sentence : `${text.trimEnd()}${/[.!?]\s*$/.test(text) ? '' : '.'} ${sentence}`;

/** The first example, unless the schema shows a value already. */
function exampleNote(keywords: JsonSchema, description: string): string {
  const { examples, default: value, enum: values } = keywords;
  const example: unknown = Array.isArray(examples) ? examples[0] : undefined;
  if (example === undefined || value !== undefined || values !== undefined) return '';
  const text = typeof example === 'string' ? example : JSON.stringify(example);
  const isShown = text === '' || text.length > MAX_NOTE || description.includes(text);
  return isShown ? '' : `Example: ${text}`;
}

function fits(value: unknown, type: string): boolean {
  if (type === 'array') return Array.isArray(value);
  return type === 'integer' ? Number.isInteger(value) : type !== 'object' && typeof value === type;
}
