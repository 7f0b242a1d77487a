import { type Located, pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject, own, ownText } from '../../platform/kernel/plain-json.ts';
import type {
  ParameterBinding,
  ParameterLocation,
  ParameterSource,
  ParameterStyle,
} from '../model.ts';
import type { CompileContext, InputDraft } from './compile-context.ts';
import { refuseSecret } from './compile-credential.ts';
import { computedDefaultRule } from './computed-default-rule.ts';
import { readExtension } from './extensions.ts';
import { isMediaType } from './http-names.ts';
import { examplesPointer, parameterSchema } from './parameter-schema.ts';
import { identityOf, type Parameter, readParameters } from './read-parameters.ts';

/** The styles of each location, with the default first (OpenAPI 3.1 "Style Values"). */
const STYLES: Readonly<Record<ParameterLocation, readonly ParameterStyle[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

/** What determines the parameters of an operation. */
export interface DeclaredParameters {
  /** The path template. */
  readonly path: string;
  /** The lists of the path item and of the operation; the later one overrides the earlier one. */
  readonly lists: readonly Located[];
  /** Parameters that one of these fills are omitted. */
  readonly credentials: readonly ParameterBinding[];
}

/** Compiles the parameters of an operation. Those that callers fill go to `input`. */
export function compileParameters(
  { path, lists, credentials }: DeclaredParameters,
  input: InputDraft,
  context: CompileContext,
): ParameterBinding[] {
  const taken = new Set(credentials.map(identityOf));
  const parameters = readParameters(lists, context).filter(
    (parameter) => !taken.has(identityOf(parameter)),
  );
  const filled = parameters.map((parameter) => compileParameter(parameter, input, context));
  const bindings = [...resolveAlternatives(filled, parameters, input, context), ...credentials];
  const template = { value: path, pointer: lists.at(-1)?.pointer ?? '' };
  return completePath(bindings, template, input, context);
}

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
    const message = `The style of a ${location} parameter must be one of: ${known.join(', ')}.`;
    context.report(`${pointer}/style`, message);
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
    context.issues.add(`${pointer}/content`, '`content` must name a media type.');
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

function compileParameterSource(
  parameter: Parameter,
  contentSchema: Located | undefined,
  input: InputDraft,
  context: CompileContext,
): ParameterSource {
  const { value } = parameter;
  const secret = ownText(value, 'x-secret');
  if (secret && context.strict) {
    const description = ownText(value, 'description')?.trim() || null;
    return { kind: 'secret', secret, prefix: '', description };
  }
  if (!context.strict) refuseSecret(parameter, context);
  const fixed = readExtension('x-fixed', value, context);
  if (fixed !== undefined) return { kind: 'fixed', value: fixed };
  const property = freeName(parameter, input);
  const schema = parameterSchema(parameter, contentSchema, input, context);
  const computedDefault = computedDefaultRule(
    readExtension('x-default', value, context),
    context.options.domain.computedDefaults,
  );
  if (computedDefault && schema['default'] !== undefined) {
    const message = 'A parameter has either an x-default or a default in its schema.';
    context.report(`${parameter.pointer}/x-default`, message);
  }
  input.properties.set(property, schema);
  input.examples.set(property, examplesPointer(parameter));
  // What the gateway fills in need not be asked for.
  if (isRequired(parameter) && !computedDefault && schema['default'] === undefined)
    input.required.add(property);
  const codeKind = readExtension('x-code-kind', value, context);
  return {
    kind: 'argument',
    property,
    ...(computedDefault ? { computedDefault } : {}),
    ...(typeof codeKind === 'string' ? { codeKind } : {}),
  };
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

/** The parameter's name, with its location and a number appended if the name is taken. */
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

/** Matches the path template with its parameters: each of its names needs one, and each path parameter a name. */
function completePath(
  bindings: readonly ParameterBinding[],
  { value: template, pointer }: Located<string>,
  input: InputDraft,
  context: CompileContext,
): ParameterBinding[] {
  const names = new Set([...template.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name ?? ''));
  const completed = bindings.filter((binding) => {
    if (binding.in !== 'path' || names.delete(binding.name)) return true;
    const message = `The path does not contain {${binding.name}}. Add it, or remove the parameter.`;
    context.report(pointer, message);
    if (binding.source.kind === 'argument') {
      input.properties.delete(binding.source.property);
      input.required.delete(binding.source.property);
    }
    return false;
  });
  for (const name of names) {
    context.report(pointer, `The path contains {${name}}, but no path parameter has this name.`);
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
