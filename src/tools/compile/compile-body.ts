import { type Located, pointerTo } from '../../platform/kernel/json-pointer.ts';
import {
  isObject,
  type JsonObject,
  own,
  ownObject,
  ownText,
  setOwn,
} from '../../platform/kernel/plain-json.ts';
import type { BodyBinding, HttpMethod, JsonSchema } from '../model.ts';
import { MAX_SCHEMA_TEXT_LENGTH } from './clean-text.ts';
import type { CompileContext, InputDraft } from './compile-context.ts';
import { readExtension } from './extension-table.ts';
import type { FlatSchema } from './flatten-schema.ts';
import { isMediaType } from './http-names.ts';
import {
  isLiftable,
  liftProperties,
  liftWithRules,
  type ObjectBody,
  readObjectBody,
} from './lift-body.ts';
import type { Operation } from './list-operations.ts';

const BODILESS: readonly HttpMethod[] = ['GET', 'HEAD', 'TRACE'];

/**
 * How the request body is built. The properties of an object become arguments next to the parameters if no name
 * clashes. Any other body becomes the single argument `body`, unless its rules are lifted too (`x-lift-body`).
 */
export function compileBody(
  { method, value, pointer }: Operation,
  requestBody: Located,
  input: InputDraft,
  context: CompileContext,
): BodyBinding | null {
  if (BODILESS.includes(method)) {
    context.report(requestBody.pointer, `A ${method} request cannot have a body. Remove it.`);
    return null;
  }
  const liftsRules = readExtension('x-lift-body', value, context) === true;
  const body = context.references.followToObject(requestBody);
  const media = body && chooseMedia(body, context);
  if (!media) return null;
  const { contentType, kind } = media;
  const required = own(body.value, 'required') === true;
  const schema = { value: own(media.value, 'schema') ?? {}, pointer: `${media.pointer}/schema` };
  const withRules =
    liftsRules && required && kind === 'json' ? liftWithRules(schema, input, context) : null;
  const object = withRules || kind === 'text' ? undefined : readObjectBody(schema, context);
  const lifted =
    object && isLiftable(object, required, input) ? [...object.visible.keys()] : withRules;
  if (object && lifted) liftProperties(object, required, input, context);
  else if (!withRules) {
    const whole = object
      ? context.schemas.convertFlat(flatBody(object), object.pointer, input.use)
      : context.schemas.convert(schema, input.use);
    input.properties.set('body', describe(whole, body, media, context));
    if (required) input.required.add('body');
  }
  const encoding = compileEncoding(media, context);
  if (liftsRules && lifted === null) context.report(`${pointer}/x-lift-body`, NOT_LIFTED);
  return { contentType, kind, required, lifted, fixed: object?.fixed ?? {}, encoding };
}

const NOT_LIFTED =
  'x-lift-body needs a required JSON body: an object with no property named like a parameter.';

const flatBody = ({ flat, visible, needed }: ObjectBody): FlatSchema => ({
  ...flat,
  properties: visible,
  required: new Set(needed),
});

function describe(
  converted: JsonSchema,
  { value, pointer }: Located<JsonObject>,
  media: Media,
  { texts, strict, report }: CompileContext,
): JsonSchema {
  const text = ownText(value, 'description');
  const description = text && texts.text(text, `${pointer}/description`, MAX_SCHEMA_TEXT_LENGTH);
  const isMisfit = media.kind === 'text' && converted['type'] !== 'string';
  if (isMisfit && !strict) {
    const message = `The body is sent as ${media.contentType}: the argument "body" is a string, and its schema is not checked.`;
    report(media.pointer, message);
  }
  return {
    ...(isMisfit ? { type: 'string' } : converted),
    ...(description ? { description } : {}),
  };
}

/** The media types that can be written, in order of preference. */
const MEDIA_TYPES: readonly (readonly [pattern: RegExp, kind: BodyBinding['kind']])[] = [
  [/^application\/json\b/i, 'json'],
  [/^[^;]*[+/]json\b/i, 'json'],
  [/^(\*|application)\/\*/, 'json'],
  [/^application\/x-www-form-urlencoded\b/i, 'form'],
  [/^multipart\/form-data\b/i, 'multipart'],
  [/^text\//i, 'text'],
  [/./, 'text'],
];

/** Media types whose bodies a caller can write as a string; a preset's author may try others. */
const TEXTUAL =
  /^(?:text|\*)\/|[/+.-](?:xml|yaml|csv|graphql|ndjson|jsonl|jsonlines|json-seq|sparql-query|javascript)\b/i;

const ENCODING_STYLES = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'] as const;

/** A body's Media Type Object, with the media type that is sent. */
interface Media extends Located<JsonObject> {
  readonly contentType: string;
  readonly kind: BodyBinding['kind'];
}

/** The media type in which a body is sent. Undefined, with an issue, if the body has none. */
function chooseMedia(body: Located<JsonObject>, context: CompileContext): Media | undefined {
  const pointer = `${body.pointer}/content`;
  const content = ownObject(body.value, 'content');
  const names = Object.keys(content).filter(isMediaType);
  for (const [pattern, kind] of MEDIA_TYPES) {
    const name = names.find((candidate) => pattern.test(candidate));
    if (name === undefined) continue;
    const place = { value: content[name], pointer: pointerTo(pointer, name) };
    if (!context.strict && kind === 'text' && !TEXTUAL.test(name)) {
      const message = `The request body has the unsupported media type ${name}. Offer application/json, a form or a text type.`;
      context.refuse(place.pointer, message);
      context.warn(place.pointer, message);
      return undefined;
    }
    const media = context.references.followToObject(place);
    return media && { ...media, kind, contentType: concrete(name, kind) };
  }
  context.refuse(pointer, 'The request body has no media type. Add one to `content`.');
  return undefined;
}

/** The media type that is sent for a range of media types. */
function concrete(mediaType: string, kind: BodyBinding['kind']): string {
  if (!mediaType.includes('*')) return mediaType;
  return kind === 'json' ? 'application/json' : 'text/plain';
}

/** The `encoding` of each property. */
function compileEncoding(media: Media, context: CompileContext): BodyBinding['encoding'] {
  const compiled: Record<string, BodyBinding['encoding'][string]> = {};
  for (const [name, value] of Object.entries(ownObject(media.value, 'encoding'))) {
    const pointer = pointerTo(`${media.pointer}/encoding`, name);
    if (isObject(value)) setOwn(compiled, name, encodingOf({ value, pointer }, context));
    else context.refuse(pointer, 'An encoding must be an object.');
  }
  return compiled;
}

function encodingOf(
  { value, pointer }: Located<JsonObject>,
  { refuse }: CompileContext,
): BodyBinding['encoding'][string] {
  // Any type of a list will do; a range (image/*) leaves the choice to the sender.
  const contentType = ownText(value, 'contentType')?.split(',')[0]?.trim();
  const style = ENCODING_STYLES.find((candidate) => candidate === own(value, 'style'));
  const explode = own(value, 'explode');
  if (contentType && !isMediaType(contentType)) {
    refuse(`${pointer}/contentType`, '`contentType` must be a media type.');
  }
  return {
    ...(contentType && !contentType.includes('*') ? { contentType } : {}),
    ...(style ? { style } : {}),
    ...(typeof explode === 'boolean' ? { explode } : {}),
  };
}
