import { MAX_PARAMETERS } from '../document/document-limits.ts';
import type {
  JsonSchema,
  ParameterBinding,
  ParameterLocation,
  ParameterSource,
  ParameterStyle,
} from '../model.ts';
import { isObject, type JsonObject, type Located, own, ownText, pointerTo } from '../plain-json.ts';
import type { CompileContext, InputDraft } from './compile-context.ts';
import { computedDefaultRule } from './computed-default-rule.ts';
import { isHttpToken, isMediaType, isReservedHeader } from './http-names.ts';

/** The styles each location knows, its default first (OpenAPI 3.1 "Style Values"). */
const STYLES: Readonly<Record<ParameterLocation, readonly ParameterStyle[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

/** OpenAPI describes these elsewhere and says that parameters of these names are ignored. */
const IGNORED_HEADERS = new Set(['accept', 'content-type', 'authorization']);

/** One parameter of an operation, `$ref` followed. */
interface Parameter extends Located<JsonObject> {
  readonly name: string;
  readonly in: ParameterLocation;
}

/**
 * The parameters of an operation with those of its path item; what callers give goes into `input`. Parameters that
 * one of the `secrets` fills are left out.
 */
export function compileParameters(
  lists: readonly Located[],
  pathTemplate: string,
  secrets: readonly ParameterBinding[],
  input: InputDraft,
  context: CompileContext,
): ParameterBinding[] {
  const taken = new Set(secrets.map(identity));
  const parameters = collect(lists, context).filter((parameter) => !taken.has(identity(parameter)));
  const filled = parameters.map((parameter) => compileParameter(parameter, input, context));
  const bindings = [...resolveAlternatives(filled, parameters, input, context), ...secrets];
  return completePath(bindings, pathTemplate, lists.at(-1)?.pointer ?? '', input, context);
}

/** What makes a parameter the same as another; the case of a header's name does not matter. */
const identity = ({ name, in: location }: { name: string; in: string }): string =>
  `${location} ${location === 'header' ? name.toLowerCase() : name}`;

/** Later lists override earlier ones, parameter by parameter. */
function collect(lists: readonly Located[], context: CompileContext): Parameter[] {
  const parameters = new Map<string, Parameter>();
  for (const { value, pointer } of lists) {
    if (value === undefined) continue;
    if (!Array.isArray(value)) context.faults.add(pointer, '`parameters` must be a list.');
    else if (value.length <= MAX_PARAMETERS) collectList(value, pointer, parameters, context);
    else context.faults.add(pointer, `There are more than ${MAX_PARAMETERS} parameters.`);
  }
  return [...parameters.values()];
}

function collectList(
  list: readonly unknown[],
  pointer: string,
  parameters: Map<string, Parameter>,
  context: CompileContext,
): void {
  const seen = new Set<string>();
  for (const [index, value] of list.entries()) {
    const place = context.references.followToObject({ value, pointer: pointerTo(pointer, index) });
    const parameter = place && readParameter(place, context);
    if (!parameter) continue;
    const key = identity(parameter);
    if (seen.has(key)) context.complain(parameter.pointer, `"${parameter.name}" is there twice.`);
    seen.add(key);
    parameters.set(key, parameter);
  }
}

function readParameter(
  { value, pointer }: Located<JsonObject>,
  context: CompileContext,
): Parameter | undefined {
  const name = ownText(value, 'name');
  const location = own(value, 'in');
  // Where the upgrade from Swagger 2.0 left a reference to a shared body among the parameters.
  if (name === undefined && location === undefined && isObject(own(value, 'content'))) return;
  if (!name) {
    context.faults.add(pointer, 'A parameter needs a name.');
  } else if (location === 'querystring') {
    context.complain(pointer, 'A parameter that is the whole query string is not supported.');
  } else if (!isLocation(location)) {
    context.faults.add(pointer, '`in` must be path, query, header or cookie.');
  } else if (location === 'header' && IGNORED_HEADERS.has(name.toLowerCase())) {
    return;
  } else if (location === 'header' && isReservedHeader(name)) {
    context.complain(pointer, `The header "${name}" is not for callers to set.`);
  } else if ((location === 'header' || location === 'cookie') && !isHttpToken(name)) {
    context.complain(pointer, `"${name}" cannot be the name of a ${location}.`);
  } else {
    return { value, pointer, name, in: location };
  }
  return;
}

const isLocation = (value: unknown): value is ParameterLocation =>
  typeof value === 'string' && Object.hasOwn(STYLES, value);

function compileParameter(
  parameter: Parameter,
  input: InputDraft,
  context: CompileContext,
): ParameterBinding {
  const { value, name } = parameter;
  const style = compileStyle(parameter, context);
  const content = firstContent(parameter, context);
  return {
    name,
    in: parameter.in,
    style,
    explode: style === 'deepObject' || (own(value, 'explode') ?? style === 'form') === true,
    allowReserved: parameter.in === 'query' && own(value, 'allowReserved') === true,
    ...(content ? { contentType: content.mediaType } : {}),
    source: compileSource(parameter, content?.schema, input, context),
  };
}

function compileStyle(
  { value, pointer, in: location }: Parameter,
  context: CompileContext,
): ParameterStyle {
  const known = STYLES[location];
  const said = own(value, 'style');
  const style = known.find((candidate) => candidate === said);
  // OpenAPI 3.2 has a style for cookies alone, which differs from `form` only in what is percent-encoded.
  if (said !== undefined && !style && !(location === 'cookie' && said === 'cookie')) {
    context.complain(
      `${pointer}/style`,
      `In a ${location} the style is one of: ${known.join(', ')}.`,
    );
  }
  return style ?? known[0] ?? 'simple';
}

function firstContent(
  { value, pointer }: Parameter,
  context: CompileContext,
): { mediaType: string; schema: Located } | undefined {
  const content = own(value, 'content');
  if (!isObject(content)) return undefined;
  const [mediaType] = Object.keys(content);
  if (mediaType === undefined || !isMediaType(mediaType)) {
    context.faults.add(`${pointer}/content`, '`content` must have a media type.');
    return undefined;
  }
  const place = pointerTo(`${pointer}/content`, mediaType);
  const media = context.references.followToObject({
    value: own(content, mediaType),
    pointer: place,
  });
  const schema = media ? own(media.value, 'schema') : undefined;
  return { mediaType, schema: { value: schema ?? {}, pointer: `${place}/schema` } };
}

function compileSource(
  parameter: Parameter,
  contentSchema: Located | undefined,
  input: InputDraft,
  context: CompileContext,
): ParameterSource {
  const { value } = parameter;
  const secret = context.strict ? ownText(value, 'x-secret') : undefined;
  if (secret) {
    const description = ownText(value, 'description')?.trim() || null;
    return { kind: 'secret', secret, prefix: '', description };
  }
  if (Object.hasOwn(value, 'x-fixed')) return { kind: 'fixed', value: own(value, 'x-fixed') };
  const property = freeName(parameter, input);
  const schema = describe(parameter, argumentSchema(parameter, contentSchema, input, context));
  const computedDefault = computedDefaultRule(own(value, 'x-default'));
  if (computedDefault && schema['default'] !== undefined) {
    const message = 'A parameter has either an x-default or a default in its schema.';
    context.complain(`${parameter.pointer}/x-default`, message);
  }
  input.properties.set(property, schema);
  // What the gateway fills in need not be asked for.
  if (isRequired(parameter) && !computedDefault && schema['default'] === undefined)
    input.required.add(property);
  return { kind: 'argument', property, ...(computedDefault ? { computedDefault } : {}) };
}

/**
 * Turns the wire names that an `x-default` has at `unless` into the names of the arguments. A parameter that the
 * upstream requires must be given once one of them keeps the default from being worked out.
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
      context.complain(pointer, `x-default: "${name}" at "unless" is no other parameter.`);
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

/** The parameter's name, or if another argument has it, the name with its location. */
function freeName(
  { name, in: location }: { readonly name: string; readonly in: ParameterLocation },
  { properties, reserved }: InputDraft,
): string {
  const isTaken = (candidate: string): boolean =>
    properties.has(candidate) || reserved.has(candidate);
  if (!isTaken(name)) return name;
  const base = `${name}_${location}`;
  let candidate = base;
  for (let number = 2; isTaken(candidate); number++) candidate = `${base}_${number}`;
  return candidate;
}

function argumentSchema(
  { value, pointer }: Parameter,
  contentSchema: Located | undefined,
  input: InputDraft,
  context: CompileContext,
): JsonSchema {
  const schema = own(value, 'schema');
  if (schema === undefined && !contentSchema) {
    context.complain(pointer, 'The parameter has no schema.');
    return {};
  }
  const place = contentSchema ?? { value: schema, pointer: `${pointer}/schema` };
  return context.schemas.translate(place, input.use);
}

/** What the parameter itself says goes before what its schema says. */
function describe({ value }: Parameter, schema: JsonSchema): JsonSchema {
  const description = ownText(value, 'description');
  const examples = parameterExamples(value);
  return {
    ...schema,
    ...(description ? { description } : {}),
    ...(own(value, 'deprecated') === true ? { deprecated: true } : {}),
    ...(examples.length > 0 ? { examples } : {}),
  };
}

function parameterExamples(parameter: JsonObject): unknown[] {
  const example = own(parameter, 'example');
  if (example !== undefined) return [example];
  const examples = own(parameter, 'examples');
  if (!isObject(examples)) return [];
  return Object.values(examples).flatMap((named) =>
    isObject(named) && Object.hasOwn(named, 'value') ? [own(named, 'value')] : [],
  );
}

/** Holds the path template against its parameters: each place needs one, and each one a place. */
function completePath(
  bindings: readonly ParameterBinding[],
  template: string,
  pointer: string,
  input: InputDraft,
  context: CompileContext,
): ParameterBinding[] {
  const places = new Set([...template.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name ?? ''));
  const completed = bindings.filter((binding) => {
    if (binding.in !== 'path' || places.delete(binding.name)) return true;
    context.complain(pointer, `The path has no {${binding.name}}.`);
    if (binding.source.kind === 'argument') {
      input.properties.delete(binding.source.property);
      input.required.delete(binding.source.property);
    }
    return false;
  });
  for (const name of places) {
    context.complain(pointer, `The path's {${name}} has no parameter.`);
    const property = freeName({ name, in: 'path' }, input);
    input.properties.set(property, { type: 'string' });
    input.required.add(property);
    completed.push({
      name,
      in: 'path',
      style: 'simple',
      explode: false,
      allowReserved: false,
      source: { kind: 'argument', property },
    });
  }
  return completed;
}
