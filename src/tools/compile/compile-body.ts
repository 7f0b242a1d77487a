import { child, type Located, pointerTo } from '../../platform/kernel/json-pointer.ts';
import {
  isObject,
  type JsonObject,
  own,
  ownObject,
  ownText,
  setOwn,
} from '../../platform/kernel/plain-json.ts';
import { COLLECTION_FORMAT, DELIMITERS } from '../document/swagger-lists.ts';
import type { BodyBinding, HttpMethod, JsonSchema, PropertyEncoding } from '../model.ts';
import { chooseMedia, type Media } from './choose-media.ts';
import { MAX_SCHEMA_TEXT_LENGTH } from './clean-text.ts';
import type { CompileContext, InputDraft } from './compile-context.ts';
import { readExtension } from './extension-table.ts';
import { fileSchema, withFile } from './file-members.ts';
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
    if (isEmptyBody(requestBody, context)) return null;
    const message = `The body is left out: a ${method} request cannot have one. Describe it as query parameters, or use POST.`;
    context.report(requestBody.pointer, message);
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
  const encoding = compileEncoding(media, object, context);
  publishFiles(encoding, lifted, input);
  if (liftsRules && lifted === null) context.report(`${pointer}/x-lift-body`, NOT_LIFTED);
  return { contentType, kind, required, lifted, fixed: object?.fixed ?? {}, encoding };
}

/** Generators describe a body for every operation: an optional one that has no member says nothing. */
function isEmptyBody(requestBody: Located, { references }: CompileContext): boolean {
  const body = references.followToObject(requestBody)?.value ?? {};
  const content = Object.values(ownObject(body, 'content'));
  return (
    own(body, 'required') !== true &&
    content.length > 0 &&
    content.every((media) => {
      const properties = child(child(media, 'schema'), 'properties');
      return isObject(properties) && Object.keys(properties).length === 0;
    })
  );
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
  { texts, strict, report, refuse }: CompileContext,
): JsonSchema {
  const text = ownText(value, 'description');
  const description = text && texts.text(text, `${pointer}/description`, MAX_SCHEMA_TEXT_LENGTH);
  const isMisfit = media.kind === 'text' && converted['type'] !== 'string';
  if (isMisfit && !strict) {
    const message = `The body is sent as ${media.contentType}: the argument "body" is a string, and its schema is not checked.`;
    report(media.pointer, message);
  }
  const isForm = media.kind === 'form' || media.kind === 'multipart';
  const types = [converted['type'] ?? []].flat();
  if (isForm && types.length > 0 && !types.includes('object')) refuse(media.pointer, FORM_OF_WHAT);
  return {
    ...(isForm ? { type: 'object' } : {}),
    ...(isMisfit ? { type: 'string' } : converted),
    ...(description ? { description } : {}),
  };
}

const FORM_OF_WHAT =
  'The body is sent as a form, and its schema has another type than object. Describe its fields as properties.';

const ENCODING_STYLES = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'] as const;

/** How each property is sent: its `encoding`, and what its schema says about files and lists. */
function compileEncoding(
  media: Media,
  object: ObjectBody | undefined,
  context: CompileContext,
): BodyBinding['encoding'] {
  const compiled: Record<string, PropertyEncoding> = {};
  for (const [name, value] of Object.entries(ownObject(media.value, 'encoding'))) {
    const pointer = pointerTo(`${media.pointer}/encoding`, name);
    if (isObject(value)) setOwn(compiled, name, encodingOf({ value, pointer }, context));
    else context.refuse(pointer, 'An encoding must be an object.');
  }
  if (media.kind !== 'form' && media.kind !== 'multipart') return compiled;
  for (const [name, { value }] of object?.visible ?? []) {
    const known = own(compiled, name) ?? {};
    const delimiter = ownText(DELIMITERS, String(child(value, COLLECTION_FORMAT)));
    const delimited = delimiter === undefined ? known : { ...known, delimiter };
    const encoding = media.kind === 'form' ? delimited : withFile(delimited, value, context);
    if (Object.keys(encoding).length > 0) setOwn(compiled, name, encoding);
  }
  return compiled;
}

/** Asks callers for files in base64. */
function publishFiles(
  encoding: BodyBinding['encoding'],
  lifted: readonly string[] | null,
  { properties }: InputDraft,
): void {
  const files = Object.keys(encoding).filter((name) => encoding[name]?.isFile);
  for (const name of lifted === null ? [] : files) {
    const schema = properties.get(name);
    if (schema) properties.set(name, fileSchema(schema));
  }
  const whole = lifted === null && files.length > 0 ? properties.get('body') : undefined;
  if (whole === undefined) return;
  const members = Object.entries(ownObject(whole, 'properties')).map(([name, schema]) => [
    name,
    files.includes(name) && isObject(schema) ? fileSchema(schema) : schema,
  ]);
  properties.set('body', { ...whole, properties: Object.fromEntries(members) });
}

function encodingOf(
  { value, pointer }: Located<JsonObject>,
  { refuse }: CompileContext,
): PropertyEncoding {
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
