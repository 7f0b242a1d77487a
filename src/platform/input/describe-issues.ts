import type { ErrorObject } from 'ajv/dist/2020.js';
import { closest } from '../kernel/closest.ts';
import type { ArgumentIssue } from '../kernel/error.ts';
import { pointerTo } from '../kernel/json-pointer.ts';
import { isObject, own, ownText } from '../kernel/plain-json.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/** More than a response lists, so that the response can mention the rest. */
const MAX_DESCRIBED = 100;
/** Names or values listed in one message. */
const MAX_LISTED = 30;
/** Characters of a caller's value that a message repeats. */
const MAX_QUOTED = 40;

/** The validator's errors as messages that a model can act on, sorted by path. */
export function describeIssues(
  errors: readonly ErrorObject[],
  schema: JsonSchema,
): ArgumentIssue[] {
  const issues = withoutBranches(errors)
    .map((error) => ({ error, path: pathOf(error) }))
    .sort(byPath)
    // Truncated before the messages are built: a hostile call can have as many issues as bytes.
    .slice(0, MAX_DESCRIBED)
    .map(({ error, path }) => ({ path, message: messageOf(error, schema) }));
  const distinct = new Map(issues.map((issue) => [`${issue.path} ${issue.message}`, issue]));
  return [...distinct.values()];
}

const byPath = (a: { path: string }, b: { path: string }): number =>
  a.path < b.path ? -1 : Number(a.path > b.path);

/** Drops the errors within each alternative of a choice, which would confuse. One error for the choice remains. */
function withoutBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  const kept: ErrorObject[] = [];
  for (const error of errors) {
    if (error.keyword === 'anyOf' || error.keyword === 'oneOf') {
      while (isWithin(kept.at(-1), error)) kept.pop();
    }
    // `if` only repeats that its `then` or `else` failed.
    if (error.keyword !== 'if') kept.push(error);
  }
  return kept;
}

const isWithin = (inner: ErrorObject | undefined, outer: ErrorObject): boolean =>
  inner?.instancePath === outer.instancePath ||
  (inner?.instancePath.startsWith(`${outer.instancePath}/`) ?? false);

/** The path of the argument that must be added, changed or removed. */
export function pathOf({ keyword, instancePath, params }: ErrorObject): string {
  const name: unknown =
    keyword === 'required' || keyword === 'dependentRequired'
      ? params['missingProperty']
      : (params['additionalProperty'] ?? params['unevaluatedProperty'] ?? params['propertyName']);
  return typeof name === 'string' ? pointerTo(instancePath, name) : instancePath;
}

function messageOf(error: ErrorObject, root: JsonSchema): string {
  const schema: JsonSchema = isObject(error.parentSchema) ? error.parentSchema : {};
  const limit: unknown = error.params['limit'];
  if (schema['writeOnly'] === true) {
    // It may be a credential, which no message quotes.
    if (error.keyword === 'type') return `must be ${typeWords(error.schema)}.`;
    if (error.keyword === 'enum') return `must be one of ${listOf(error.schema)}.`;
  }
  switch (error.keyword) {
    case 'required':
    case 'dependentRequired':
      return missing(error, schema);
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return unknownName(error, schema, schema === root || error.instancePath === '');
    case 'type':
      return wrongType(error.schema, error.data);
    case 'enum':
      return `must be one of ${listOf(error.schema)}, but is ${quote(error.data)}.`;
    case 'const':
      return `must be ${quote(error.schema)}, but is ${quote(error.data)}.`;
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return outOfRange(schema, error.data);
    case 'multipleOf':
      return `must be a multiple of ${String(error.schema)}, but is ${quote(error.data)}.`;
    case 'minLength':
      return `must have at least ${String(limit)} characters.`;
    case 'maxLength':
      return `must have at most ${String(limit)} characters.`;
    case 'minItems':
      return `must have at least ${String(limit)} items.`;
    case 'maxItems':
      return `must have at most ${String(limit)} items.`;
    case 'minProperties':
      return `must have at least ${String(limit)} of these properties: ${namesOf(schema)}.`;
    case 'uniqueItems':
      return 'must not contain duplicate items.';
    case 'format':
      return `must have the format "${String(error.params['format'])}"${exampleOf(schema)}, but is ${quote(error.data)}.`;
    case 'pattern':
      return `must match the pattern ${String(error.params['pattern'])}${exampleOf(schema)}, but is ${quote(error.data)}.`;
    case 'anyOf':
    case 'oneOf':
      return error.params['passingSchemas']
        ? `matches several of these forms, but must match exactly one: ${formsOf(error.schema)}.`
        : `must match one of these forms: ${formsOf(error.schema)}.`;
    case 'check':
      return error.message ?? '';
    default:
      return `violates the keyword "${error.keyword}" of the schema.`;
  }
}

function missing({ params }: ErrorObject, schema: JsonSchema): string {
  const name = String(params['missingProperty']);
  const properties = own(schema, 'properties');
  const property = isObject(properties) ? own(properties, name) : undefined;
  const description = isObject(property) ? ownText(property, 'description') : undefined;
  const because =
    typeof params['property'] === 'string' ? ` when "${params['property']}" is given` : '';
  return description
    ? `"${name}" is required${because}: ${firstSentence(description)}`
    : `"${name}" is required${because}.`;
}

const firstSentence = (text: string): string => {
  const [sentence = text] = text.trim().split(/(?<=[.!?。])\s|\n/, 1);
  return /[.!?。]$/.test(sentence) ? sentence : `${sentence}.`;
};

function unknownName({ params }: ErrorObject, schema: JsonSchema, isArgument: boolean): string {
  const name = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
  const meant = closest(name, propertiesOf(schema));
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`;
  return `Unknown ${isArgument ? 'argument' : 'property'} "${cut(name)}".${hint} Known: ${namesOf(schema)}.`;
}

function propertiesOf(schema: JsonSchema): string[] {
  const properties = own(schema, 'properties');
  return isObject(properties) ? Object.keys(properties) : [];
}

const namesOf = (schema: JsonSchema): string => shorten(propertiesOf(schema)) || 'none';

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
};

function wrongType(wanted: unknown, value: unknown): string {
  const types = [wanted].flat().map(String);
  return `must be ${typeWords(types)}, but is ${describeValue(value)}${adviceFor(types, value)}.`;
}

const typeWords = (types: unknown): string =>
  [types]
    .flat()
    .map((type) => TYPE_WORDS[String(type)] ?? String(type))
    .join(' or ');

/** Advice for the most common mistakes of models: a number in quotes, or a string without. */
function adviceFor(types: readonly string[], value: unknown): string {
  if (typeof value !== 'string') {
    const isPlain = typeof value === 'number' || typeof value === 'boolean';
    return types.includes('string') && isPlain ? '; send it in quotes' : '';
  }
  const isNumber = value.trim() !== '' && Number.isFinite(Number(value));
  const fits =
    (types.includes('number') && isNumber) ||
    (types.includes('integer') && isNumber && Number.isInteger(Number(value))) ||
    (types.includes('boolean') && /^(true|false)$/.test(value));
  return fits ? '; send it without quotes' : '';
}

function describeValue(value: unknown): string {
  if (typeof value === 'string') return `the string ${quote(value)}`;
  if (typeof value === 'number') return `the number ${value}`;
  if (Array.isArray(value)) return 'an array';
  return isObject(value) ? 'an object' : String(value);
}

/** States the whole range, so that one correction is enough. */
function outOfRange(schema: JsonSchema, value: unknown): string {
  const limits = [
    ['minimum', 'at least'],
    ['exclusiveMinimum', 'more than'],
    ['maximum', 'at most'],
    ['exclusiveMaximum', 'less than'],
  ].flatMap(([keyword = '', words]) => {
    const limit = own(schema, keyword);
    return typeof limit === 'number' ? [`${words} ${limit}`] : [];
  });
  return `must be ${limits.join(' and ')}, but is ${quote(value)}.`;
}

function formsOf(forms: unknown): string {
  if (!Array.isArray(forms)) return 'none';
  return shorten(
    forms.map((form: unknown) => {
      if (!isObject(form)) return 'anything';
      return ownText(form, 'title') ?? (typeWords(own(form, 'type') ?? []) || 'an unnamed form');
    }),
  );
}

const exampleOf = (schema: JsonSchema): string => {
  const examples = own(schema, 'examples');
  return Array.isArray(examples) && examples.length > 0 ? `, such as ${quote(examples[0])}` : '';
};

const listOf = (values: unknown): string =>
  Array.isArray(values) ? shorten(values.map(quote)) : '';

const shorten = (words: readonly string[]): string =>
  words.length > MAX_LISTED
    ? `${words.slice(0, MAX_LISTED).join(', ')} and ${words.length - MAX_LISTED} more`
    : words.join(', ');

const cut = (text: string): string =>
  text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}...` : text;

function quote(value: unknown): string {
  if (typeof value === 'string') return `"${cut(value)}"`;
  return typeof value === 'object' && value !== null ? describeValue(value) : String(value);
}
