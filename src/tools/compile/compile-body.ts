import { MAX_DEPENDENT_NAMES } from '../document/document-limits.ts';
import type { BodyBinding, JsonSchema, ParameterStyle } from '../model.ts';
import {
  child,
  isObject,
  type JsonObject,
  type Located,
  own,
  ownText,
  pointerTo,
  setOwn,
} from '../plain-json.ts';
import { type CompileContext, type InputDraft, RESERVED_ARGUMENTS } from './compile-context.ts';
import { type FlatSchema, flattenSchema } from './flatten-schema.ts';
import { isMediaType } from './http-names.ts';

/** The media types that can be written, the preferred first. */
const MEDIA_TYPES: readonly (readonly [pattern: RegExp, kind: BodyBinding['kind']])[] = [
  [/^application\/json\b/i, 'json'],
  [/^[^;]*[+/]json\b/i, 'json'],
  [/^(\*|application)\/\*/, 'json'],
  [/^application\/x-www-form-urlencoded\b/i, 'form'],
  [/^multipart\/form-data\b/i, 'multipart'],
  [/^text\//i, 'text'],
  [/./, 'text'],
];

/** What an object body may say besides its properties and still have them lifted. */
const LIFTABLE = new Set([
  'type',
  'title',
  'description',
  'example',
  'examples',
  'externalDocs',
  'xml',
  'discriminator',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$schema',
  '$comment',
]);

const ENCODING_STYLES: readonly ParameterStyle[] = [
  'form',
  'spaceDelimited',
  'pipeDelimited',
  'deepObject',
];

/** A body's media type, with what the document says of it. */
interface Media extends Located<JsonObject> {
  readonly contentType: string;
  readonly kind: BodyBinding['kind'];
}

/**
 * How the request body is built. An object's own properties become arguments beside the parameters when no name
 * clashes; any other body is the one argument `body`, unless its rules are to be lifted too (`x-lift-body`).
 */
export function compileBody(
  requestBody: Located,
  isLiftedWhole: boolean,
  input: InputDraft,
  context: CompileContext,
): BodyBinding | null {
  const body = context.references.followToObject(requestBody);
  const media = body && chooseMedia(body, context);
  if (!media) return null;
  const required = own(body.value, 'required') === true;
  const schema: Located = {
    value: own(media.value, 'schema') ?? {},
    pointer: `${media.pointer}/schema`,
  };
  const whole =
    isLiftedWhole && required && media.kind === 'json' ? liftWhole(schema, input, context) : null;
  const object = whole || media.kind === 'text' ? undefined : readObject(schema, context);
  const lifted = object && isLiftable(object, required, input) ? [...object.visible.keys()] : whole;
  if (object && lifted) lift(object, required, input, context);
  else if (!whole) keepWhole(body.value, schema, object, { media, required }, input, context);
  return {
    contentType: media.contentType,
    kind: media.kind,
    required,
    lifted,
    fixed: object?.fixed ?? {},
    encoding: compileEncoding(media, context),
  };
}

function chooseMedia(body: Located<JsonObject>, context: CompileContext): Media | undefined {
  const content = own(body.value, 'content');
  const pointer = `${body.pointer}/content`;
  const names = isObject(content) ? Object.keys(content).filter(isMediaType) : [];
  for (const [pattern, kind] of MEDIA_TYPES) {
    const name = names.find((candidate) => pattern.test(candidate));
    if (name === undefined || !isObject(content)) continue;
    const place = { value: own(content, name), pointer: pointerTo(pointer, name) };
    const media = context.references.followToObject(place);
    return media && { ...media, kind, contentType: concrete(name, kind) };
  }
  context.faults.add(pointer, 'A request body needs a media type.');
  return undefined;
}

/** What is sent for a range of media types. */
function concrete(mediaType: string, kind: BodyBinding['kind']): string {
  if (!mediaType.includes('*')) return mediaType;
  return kind === 'json' ? 'application/json' : 'text/plain';
}

/** A body that is an object with known properties: what callers may set, and what is always sent. */
interface ObjectBody {
  readonly flat: FlatSchema;
  readonly pointer: string;
  readonly visible: ReadonlyMap<string, Located>;
  /** Those of the visible that a body must have. */
  readonly needed: readonly string[];
  readonly fixed: Readonly<Record<string, unknown>>;
}

function readObject(schema: Located, context: CompileContext): ObjectBody | undefined {
  const target = context.references.follow(schema);
  if (!target || !isObject(target.value)) return undefined;
  const { pointer } = target;
  const flat = flattenSchema({ value: target.value, pointer }, context.references);
  if (!flat || flat.properties.size === 0) return undefined;
  const visible = new Map<string, Located>();
  const fixed: Record<string, unknown> = {};
  for (const [name, property] of flat.properties) {
    if (isObject(property.value) && Object.hasOwn(property.value, 'x-fixed')) {
      setOwn(fixed, name, own(property.value, 'x-fixed'));
    } else if (!context.schemas.isReadOnly(property)) {
      visible.set(name, property);
    }
  }
  const needed = [...flat.required].filter((name) => visible.has(name));
  return { flat, pointer, visible, needed, fixed };
}

function isLiftable(
  { flat, visible, needed }: ObjectBody,
  required: boolean,
  { properties }: InputDraft,
): boolean {
  const saysMore = Object.entries(flat.rest).some(
    ([key, value]) =>
      !LIFTABLE.has(key) &&
      !key.startsWith('x-') &&
      !(key === 'additionalProperties' && value === false),
  );
  const clashes = [...visible.keys()].some(
    (name) => properties.has(name) || RESERVED_ARGUMENTS.has(name),
  );
  return !saysMore && !clashes && (required || visible.size * needed.length <= MAX_DEPENDENT_NAMES);
}

function lift(
  object: ObjectBody,
  required: boolean,
  input: InputDraft,
  context: CompileContext,
): void {
  for (const [name, property] of object.visible) {
    const schema = context.schemas.translate(property, input.use);
    if (required) {
      input.properties.set(name, schema);
      const isFilledIn = schema['default'] !== undefined;
      if (object.flat.required.has(name) && !isFilledIn) input.required.add(name);
    } else {
      liftOptional(name, schema, object.needed, input);
    }
  }
}

/**
 * A property of a body that may be left out: once it is there, so must be the body's required ones. A default goes,
 * since it would always be there.
 */
function liftOptional(
  name: string,
  schema: JsonSchema,
  needed: readonly string[],
  { properties, dependentRequired }: InputDraft,
): void {
  const others = needed.filter((other) => other !== name);
  const { default: _, ...withoutDefault } = schema;
  properties.set(name, others.length > 0 ? withoutDefault : schema);
  if (others.length > 0) dependentRequired.set(name, others);
}

/** The dialect of input schemas. Naming it is the author's choice, and another one would be wrong. */
const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/**
 * Makes a body's properties arguments and its other rules those of all arguments; returns the properties' names, or
 * null, with nothing done, for a body that is no object with properties or where a parameter has one of their names.
 */
function liftWhole(schema: Located, input: InputDraft, context: CompileContext): string[] | null {
  const target = context.references.followToObject(schema);
  if (!target) return null;
  const { allOf, ...others } = target.value;
  const { type, properties, required, ...rules } = context.schemas.translate(
    { value: others, pointer: target.pointer },
    input.use,
  );
  const names = isObject(properties) ? Object.keys(properties) : [];
  const clashes = names.some((name) => input.properties.has(name) || RESERVED_ARGUMENTS.has(name));
  if (type !== 'object' || names.length === 0 || clashes) return null;
  const translateMember = (value: unknown, index: number): JsonSchema =>
    context.schemas.translate({ value, pointer: `${target.pointer}/allOf/${index}` }, input.use);
  for (const name of names) input.properties.set(name, child(properties, name) as JsonSchema);
  for (const name of Array.isArray(required) ? required : []) input.required.add(String(name));
  input.rules = {
    ...(target.value['$schema'] === DIALECT ? { $schema: DIALECT } : {}),
    ...rules,
    ...(Array.isArray(allOf) ? { allOf: allOf.map(translateMember) } : {}),
  };
  return names;
}

function keepWhole(
  body: JsonObject,
  schema: Located,
  object: ObjectBody | undefined,
  { media, required }: { media: Media; required: boolean },
  input: InputDraft,
  context: CompileContext,
): void {
  const translated = object
    ? wholeObject(object, input, context)
    : context.schemas.translate(schema, input.use);
  const isMisfit = media.kind === 'text' && translated['type'] !== 'string';
  const description = ownText(body, 'description');
  input.properties.set('body', {
    ...(isMisfit ? { type: 'string' } : translated),
    ...(description ? { description } : {}),
  });
  if (required) input.required.add('body');
}

function wholeObject(object: ObjectBody, input: InputDraft, context: CompileContext): JsonSchema {
  const flat = {
    ...object.flat,
    properties: object.visible,
    required: new Set(object.needed),
  };
  return context.schemas.translateFlat(flat, object.pointer, input.use);
}

function compileEncoding(media: Media, context: CompileContext): BodyBinding['encoding'] {
  const encoding = own(media.value, 'encoding');
  const compiled: Record<string, BodyBinding['encoding'][string]> = {};
  if (!isObject(encoding)) return compiled;
  for (const [name, said] of Object.entries(encoding)) {
    const pointer = pointerTo(`${media.pointer}/encoding`, name);
    if (isObject(said)) setOwn(compiled, name, compileProperty({ value: said, pointer }, context));
    else context.faults.add(pointer, 'An encoding must be an object.');
  }
  return compiled;
}

function compileProperty(
  { value, pointer }: Located<JsonObject>,
  context: CompileContext,
): BodyBinding['encoding'][string] {
  // A list of acceptable types means that any will do; a range (image/*) leaves the choice to the sender.
  const contentType = ownText(value, 'contentType')?.split(',')[0]?.trim();
  const style = ENCODING_STYLES.find((candidate) => candidate === own(value, 'style'));
  const explode = own(value, 'explode');
  if (contentType && !isMediaType(contentType)) {
    context.faults.add(`${pointer}/contentType`, 'This is not a media type.');
  }
  return {
    ...(contentType && !contentType.includes('*') ? { contentType } : {}),
    ...(style ? { style } : {}),
    ...(typeof explode === 'boolean' ? { explode } : {}),
  };
}
