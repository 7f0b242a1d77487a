import { type Located, pointerTo } from '../../platform/kernel/json-pointer.ts';
import {
  isObject,
  type JsonObject,
  own,
  ownObject,
  ownText,
} from '../../platform/kernel/plain-json.ts';
import { MAX_PARAMETERS } from '../document/document-limits.ts';
import { COLLECTION_FORMAT, DELIMITERS } from '../document/swagger-lists.ts';
import type {
  ComputedDefault,
  JsonSchema,
  ParameterBinding,
  ParameterLocation,
  ParameterSource,
  ParameterStyle,
  ValueNames,
} from '../model.ts';
import { PLAIN_NAME } from '../request/plain-schema.ts';
import { MAX_SCHEMA_TEXT_LENGTH } from './clean-text.ts';
import type { CompileContext, InputDraft } from './compile-context.ts';
import { refuseSecret } from './compile-credential.ts';
import { readExtension } from './extension-table.ts';
import { oneOf } from './guards.ts';
import { isHttpToken, isMediaType, isReservedHeader } from './http-names.ts';
import { type Operation, parametersOf } from './list-operations.ts';
import type { PathTemplate } from './path-template.ts';
import { shortenToolName } from './tool-name.ts';

/** The styles of each location, with the default first (OpenAPI 3.1 "Style Values"). */
const STYLES: Readonly<Record<ParameterLocation, readonly ParameterStyle[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

/** One Parameter Object, with its `$ref` followed. */
interface Parameter extends Located<JsonObject> {
  readonly name: string;
  readonly in: ParameterLocation;
  /** Whether its value may have several segments of the path. */
  readonly isGreedy?: boolean;
}

/** An operation whose path has been read. */
interface TemplatedOperation extends Operation {
  readonly template: PathTemplate;
}

/**
 * Compiles the parameters of an operation. Those that callers fill go to `input`, and those that a credential fills are
 * omitted.
 */
export function compileParameters(
  operation: TemplatedOperation,
  credentials: readonly ParameterBinding[],
  input: InputDraft,
  context: CompileContext,
): ParameterBinding[] {
  const taken = new Set(credentials.map(identityOf));
  const lists = [operation.pathItem, operation].map(parametersOf);
  const { variables } = operation.template;
  const parameters = readParameters(lists, context)
    .filter((parameter) => !taken.has(identityOf(parameter)))
    .map((parameter) => {
      const variable = parameter.in === 'path' ? variables.get(parameter.name) : undefined;
      return variable ? { ...parameter, ...variable } : parameter;
    });
  const filled = parameters.map((parameter) => compileParameter(parameter, input, context));
  const bindings = [...resolveAlternatives(filled, parameters, input, context), ...credentials];
  return completePath(bindings, operation, input, context);
}

/** What makes two parameters the same. The names of headers are not case-sensitive. */
const identityOf = ({ name, in: location }: { name: string; in: string }): string =>
  `${location} ${location === 'header' ? name.toLowerCase() : name}`;

/** The parameters of several `parameters` lists. Later lists override earlier ones, parameter by parameter. */
function readParameters(lists: readonly Located[], context: CompileContext): Parameter[] {
  const parameters = new Map<string, Parameter>();
  for (const { value: list = [], pointer } of lists) {
    if (!Array.isArray(list)) context.refuse(pointer, '`parameters` must be an array.');
    else if (list.length > MAX_PARAMETERS) {
      context.refuse(pointer, `There can be at most ${MAX_PARAMETERS} parameters.`);
    } else {
      for (const parameter of readList(list, pointer, context)) {
        parameters.set(identityOf(parameter), parameter);
      }
    }
  }
  return [...parameters.values()];
}

function readList(list: readonly unknown[], pointer: string, context: CompileContext): Parameter[] {
  const { strict, lineOf, references, report } = context;
  const seen = new Map<string, string>();
  return list.flatMap((value, index) => {
    const entry = pointerTo(pointer, index);
    const place = references.followToObject({ value, pointer: entry });
    const parameter = place && readParameter(place, context);
    if (!parameter) return [];
    const first = seen.get(identityOf(parameter));
    seen.set(identityOf(parameter), entry);
    if (first !== undefined) {
      const message = `The parameter "${parameter.name}" is declared twice`;
      // In a stranger's document, the search for lines would be repeated too often.
      if (!strict) report(parameter.pointer, `${message}: the last one counts.`);
      else report(entry, `${message}: on line ${lineOf(first)} and on line ${lineOf(entry)}.`);
    }
    return [parameter];
  });
}

/** OpenAPI describes these headers elsewhere and ignores parameters with these names. */
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization'];

function readParameter(
  { value, pointer }: Located<JsonObject>,
  context: CompileContext,
): Parameter | undefined {
  const name = ownText(value, 'name');
  const location = own(value, 'in');
  // The upgrade from Swagger 2.0 leaves a reference to a shared body among the parameters.
  if (name === undefined && location === undefined && isObject(own(value, 'content'))) return;
  if (!name) {
    context.refuse(pointer, 'The parameter has no name.');
  } else if (location === 'querystring') {
    context.report(
      pointer,
      `The parameter "${name}" is left out: \`in: querystring\` is not supported.`,
    );
  } else if (!isLocation(location)) {
    context.refuse(pointer, '`in` must be path, query, header or cookie.');
  } else if (location === 'header' && IGNORED_HEADERS.includes(name.toLowerCase())) {
    return;
  } else if (location === 'header' && isReservedHeader(name)) {
    context.report(
      pointer,
      `The header "${name}" is left out: callers cannot set it. Remove this parameter.`,
    );
  } else if ((location === 'header' || location === 'cookie') && !isHttpToken(name)) {
    context.report(
      pointer,
      `The ${location} "${name}" is left out: this is not a valid ${location} name.`,
    );
  } else {
    return { value, pointer, name, in: location };
  }
  return;
}

const isLocation = oneOf<ParameterLocation>('path', 'query', 'header', 'cookie');

function compileParameter(
  parameter: Parameter,
  input: InputDraft,
  context: CompileContext,
): ParameterBinding {
  const { value, name } = parameter;
  const style = compileStyle(parameter, context);
  const content = firstContent(parameter, context);
  const delimiter = delimiterOf(parameter, context);
  return {
    name,
    in: parameter.in,
    style,
    explode:
      delimiter === undefined &&
      (style === 'deepObject' || (own(value, 'explode') ?? style === 'form') === true),
    allowReserved: parameter.in === 'query' && own(value, 'allowReserved') === true,
    ...(parameter.isGreedy ? { isGreedy: true } : {}),
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(content ? { contentType: content.mediaType } : {}),
    source: compileParameterSource(parameter, content?.schema, input, context),
  };
}

function compileStyle(
  { value, pointer, in: location }: Parameter,
  context: CompileContext,
): ParameterStyle {
  const known = STYLES[location];
  const declared = own(value, 'style');
  const style = known.find((candidate) => candidate === declared);
  // The style `cookie` of OpenAPI 3.2 differs from `form` only in what is percent-encoded.
  if (declared !== undefined && !style && !(location === 'cookie' && declared === 'cookie')) {
    const message = `The style is replaced by "${known[0]}": for a ${location} parameter it must be one of ${known.join(', ')}.`;
    context.report(`${pointer}/style`, message);
  }
  return style ?? known[0] ?? 'simple';
}

/** The delimiter of a list that Swagger 2.0 writes in a way that no style has. */
function delimiterOf(
  { value, pointer }: Parameter,
  { report }: CompileContext,
): string | undefined {
  const format = ownText(value, COLLECTION_FORMAT);
  if (format === undefined) return undefined;
  const delimiter = ownText(DELIMITERS, format);
  if (delimiter === undefined) {
    const message = `The collectionFormat "${format.slice(0, 20)}" has no meaning here: the list is sent with commas.`;
    report(pointer, message);
  }
  return delimiter;
}

function firstContent(
  { value: parameter, pointer }: Parameter,
  context: CompileContext,
): { mediaType: string; schema: Located } | undefined {
  const content = own(parameter, 'content');
  if (!isObject(content)) return undefined;
  const [[mediaType, value] = ['', undefined]] = Object.entries(content);
  if (!isMediaType(mediaType)) {
    context.refuse(`${pointer}/content`, '`content` must name a media type.');
    return undefined;
  }
  const place = { value, pointer: pointerTo(`${pointer}/content`, mediaType) };
  const media = context.references.followToObject(place)?.value ?? {};
  const schema = { value: own(media, 'schema') ?? {}, pointer: `${place.pointer}/schema` };
  return { mediaType, schema };
}

function compileParameterSource(
  parameter: Parameter,
  contentSchema: Located | undefined,
  input: InputDraft,
  context: CompileContext,
): ParameterSource {
  const { value, pointer } = parameter;
  const secret = ownText(value, 'x-secret');
  if (secret && context.strict) {
    const description = ownText(value, 'description')?.trim() || null;
    return { kind: 'secret', secret, prefix: '', description };
  }
  if (!context.strict) refuseSecret(parameter, context);
  const fixed = readExtension('x-fixed', value, context);
  if (fixed !== undefined) return { kind: 'fixed', value: fixed };
  const property = freeName(parameter, input);
  reportName(parameter, property, context);
  const schema = named(parameterSchema(parameter, contentSchema, input, context), parameter);
  const computedDefault = compileDefault(parameter, context);
  const hasDefault = schema['default'] !== undefined;
  if (computedDefault && hasDefault) {
    const message = 'A parameter has either an x-default or a default in its schema.';
    context.report(`${pointer}/x-default`, message);
  }
  input.properties.set(property, schema);
  input.examples.set(property, examplesPointer(parameter));
  // What the gateway fills in need not be asked for.
  if (isRequired(parameter) && !computedDefault)
    (hasDefault ? input.filled : input.required).add(property);
  const codeKind =
    readExtension('x-code-kind', value, context) ?? ownText(input.codeKinds, parameter.name);
  const valueNames = compileNames(parameter, schema, context);
  return {
    kind: 'argument',
    property,
    ...(computedDefault ? { computedDefault } : {}),
    ...(codeKind ? { codeKind } : {}),
    ...(valueNames ? { valueNames } : {}),
  };
}

/** `x-names`. */
function compileNames(
  { value, pointer }: Parameter,
  schema: JsonSchema,
  context: CompileContext,
): ValueNames | undefined {
  const names = readExtension('x-names', value, context);
  if (names === undefined) return undefined;
  const values = [own(schema, 'enum') ?? []].flat();
  for (const named of Object.keys(names)) {
    if (values.includes(named)) continue;
    const message = `x-names: "${named}" is no value of the enum.`;
    context.report(pointerTo(`${pointer}/x-names`, named), message);
  }
  return names;
}

/** `x-default`. Its `unless` keeps the parameters' names on the wire. */
function compileDefault(
  { value }: Parameter,
  context: CompileContext,
): ComputedDefault | undefined {
  const given = readExtension('x-default', value, context);
  if (given === undefined) return undefined;
  const rule = typeof given === 'string' ? { value: given, unless: [] } : given;
  const compute = context.options.domain.computedDefaults.get(rule.value);
  return compute && { expression: rule.value, compute, unless: rule.unless };
}

/**
 * Replaces the wire names in `unless` of an `x-default` by the names of the arguments. A parameter that the upstream
 * requires must be given if one of them prevents the default from being computed.
 */
function resolveAlternatives(
  bindings: readonly ParameterBinding[],
  parameters: readonly Parameter[],
  input: InputDraft,
  context: CompileContext,
): ParameterBinding[] {
  const properties = new Map(
    bindings.flatMap(({ name, source }) =>
      source.kind === 'argument' ? [[name, source.property] as const] : [],
    ),
  );
  return bindings.map((binding, index) => {
    const { source } = binding;
    const parameter = parameters[index];
    if (source.kind !== 'argument' || !source.computedDefault || !parameter) return binding;
    const unless = source.computedDefault.unless.flatMap((name) => {
      const property = properties.get(name);
      if (property !== undefined && name !== binding.name) return [property];
      const pointer = `${parameter.pointer}/x-default/unless`;
      context.report(pointer, `x-default: "${name}" at "unless" is no other parameter.`);
      return [];
    });
    for (const property of isRequired(parameter) ? unless : []) {
      const others = input.dependentRequired.get(property) ?? [];
      input.dependentRequired.set(property, [...others, source.property]);
    }
    return {
      ...binding,
      source: { ...source, computedDefault: { ...source.computedDefault, unless } },
    };
  });
}

const isRequired = (parameter: Parameter): boolean =>
  parameter.in === 'path' || own(parameter.value, 'required') === true;

/**
 * The name of a parameter's argument: its own as far as model APIs take it, with its location and a number appended if that
 * is taken.
 */
function freeName(
  { name, in: location }: { readonly name: string; readonly in: ParameterLocation },
  { properties, reserved }: InputDraft,
): string {
  const isTaken = (candidate: string): boolean =>
    properties.has(candidate) || reserved.has(candidate);
  const plain = plainName(name);
  if (!isTaken(plain)) return plain;
  const base = `${plain.slice(0, MAX_BASE_LENGTH)}_${location}`;
  let candidate = base;
  for (let number = 2; isTaken(candidate); number++) candidate = `${base}_${number}`;
  return candidate;
}

/** Leaves room for a location and a number. */
const MAX_BASE_LENGTH = 50;

/** What operators in names mean, as in `StartTime<`. */
const OPERATORS: readonly (readonly [operator: string, word: string])[] = [
  ['>=', '_gte'],
  ['<=', '_lte'],
  ['!=', '_ne'],
  ['>', '_gt'],
  ['<', '_lt'],
];

/** A name in the letters that every model API takes: `filter[name]` -> `filter_name`. */
function plainName(name: string): string {
  if (PLAIN_NAME.test(name)) return name;
  const inWords = OPERATORS.reduce((text, [sign, word]) => text.replaceAll(sign, word), name);
  const plain = inWords.replaceAll(/[^a-zA-Z0-9_.-]+/g, '_').replaceAll(/^_+|_+$/g, '');
  return shortenToolName(plain || 'argument');
}

function reportName(
  { name, pointer }: Parameter,
  property: string,
  { strict, warn, report }: CompileContext,
): void {
  if (PLAIN_NAME.test(name)) return;
  const quoted = JSON.stringify(name.slice(0, MAX_QUOTED_NAME));
  const tell = strict ? warn : report;
  tell(pointer, `The argument for ${quoted} is named "${property}": model APIs refuse its name.`);
}

/** Characters of a name that a message and a description repeat. */
const MAX_QUOTED_NAME = 100;

/** The schema of an argument with another name says which parameter it is. */
function named(schema: JsonSchema, { name }: Parameter): JsonSchema {
  if (PLAIN_NAME.test(name)) return schema;
  const description = [
    ownText(schema, 'description'),
    `Sent as ${name.slice(0, MAX_QUOTED_NAME)}.`,
  ];
  return { ...schema, description: description.filter(Boolean).join(' ') };
}

/** Matches the path template with its parameters: each of its names needs one, and each path parameter a name. */
function completePath(
  bindings: readonly ParameterBinding[],
  { pointer: place, template }: TemplatedOperation,
  input: InputDraft,
  context: CompileContext,
): ParameterBinding[] {
  const pointer = `${place}/parameters`;
  const variables = new Map([...template.variables.values()].map((each) => [each.name, each]));
  const names = new Set(variables.keys());
  const completed = bindings.filter((binding) => {
    if (binding.in !== 'path' || names.delete(binding.name)) return true;
    const message = `The path parameter "${binding.name}" is left out: the path does not contain {${binding.name}}. Add it, or remove the parameter.`;
    context.report(pointer, message);
    if (binding.source.kind === 'argument') {
      input.properties.delete(binding.source.property);
      input.required.delete(binding.source.property);
    }
    return false;
  });
  for (const name of names) {
    const message = `The path contains {${name}}, but no path parameter has this name: it is a required text argument.`;
    context.report(pointer, message);
    const property = freeName({ name, in: 'path' }, input);
    input.properties.set(property, { type: 'string' });
    input.required.add(property);
    completed.push({
      name,
      in: 'path',
      style: 'simple',
      explode: false,
      allowReserved: false,
      ...(variables.get(name)?.isGreedy ? { isGreedy: true } : {}),
      source: { kind: 'argument', property },
    });
  }
  return completed;
}

/** The schema of the argument that fills a parameter. What the parameter declares overrides what its schema declares. */
function parameterSchema(
  { value, pointer }: Parameter,
  contentSchema: Located | undefined,
  input: InputDraft,
  { schemas, texts, report }: CompileContext,
): JsonSchema {
  const declared = own(value, 'schema');
  const hasSchema = contentSchema !== undefined || declared !== undefined;
  if (!hasSchema)
    report(pointer, 'The parameter has no schema: any value is accepted. Describe its type.');
  const place = contentSchema ?? { value: declared, pointer: `${pointer}/schema` };
  const text = ownText(value, 'description');
  const description = text && texts.text(text, `${pointer}/description`, MAX_SCHEMA_TEXT_LENGTH);
  const examples = texts.examples(parameterExamples(value));
  return {
    ...(hasSchema ? schemas.convert(place, input.use) : {}),
    ...(description ? { description } : {}),
    ...(own(value, 'deprecated') === true ? { deprecated: true } : {}),
    ...(examples.length > 0 ? { examples } : {}),
  };
}

/** Where the examples of a parameter are: its own, or else the examples of its schema. */
function examplesPointer({ value, pointer }: Parameter): string {
  const own = ['example', 'examples'].find((key) => Object.hasOwn(value, key));
  return own === undefined ? `${pointer}/schema/examples` : `${pointer}/${own}`;
}

function parameterExamples(parameter: JsonObject): unknown[] {
  const example = own(parameter, 'example');
  if (example !== undefined) return [example];
  return Object.values(ownObject(parameter, 'examples')).flatMap((named) =>
    isObject(named) && Object.hasOwn(named, 'value') ? [named['value']] : [],
  );
}
