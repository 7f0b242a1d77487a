import type { Located } from '../../platform/kernel/json-pointer.ts';
import { type JsonObject, own, ownText } from '../../platform/kernel/plain-json.ts';
import type { BodyBinding, JsonSchema } from '../model.ts';
import { chooseMedia, compileEncoding, type Media } from './body-media.ts';
import { MAX_SCHEMA_TEXT_LENGTH } from './clean-text.ts';
import type { CompileContext, InputDraft } from './compile-context.ts';
import {
  isLiftable,
  liftProperties,
  liftWithRules,
  type ObjectBody,
  readObjectBody,
} from './lift-body.ts';

/** A Request Body Object with the media type that is sent. */
interface RequestBody {
  readonly description: string | undefined;
  readonly required: boolean;
  readonly media: Media;
  readonly schema: Located;
}

/**
 * How the request body is built. The properties of an object become arguments next to the parameters if no name
 * clashes. Any other body becomes the single argument `body`, unless its rules are lifted too (`x-lift-body`).
 */
export function compileBody(
  requestBody: Located,
  liftsRules: boolean,
  input: InputDraft,
  context: CompileContext,
): BodyBinding | null {
  const body = readBody(requestBody, context);
  if (!body) return null;
  const { media, required, schema } = body;
  const withRules =
    liftsRules && required && media.kind === 'json' ? liftWithRules(schema, input, context) : null;
  const object = withRules || media.kind === 'text' ? undefined : readObjectBody(schema, context);
  const lifted =
    object && isLiftable(object, required, input) ? [...object.visible.keys()] : withRules;
  if (object && lifted) liftProperties(object, required, input, context);
  else if (!withRules) keepWhole(body, object, input, context);
  return {
    contentType: media.contentType,
    kind: media.kind,
    required,
    lifted,
    fixed: object?.fixed ?? {},
    encoding: compileEncoding(media, context),
  };
}

function readBody(requestBody: Located, context: CompileContext): RequestBody | undefined {
  const body = context.references.followToObject(requestBody);
  const media = body && chooseMedia(body, context);
  if (!media) return undefined;
  return {
    description: describeBody(body, context),
    required: own(body.value, 'required') === true,
    media,
    schema: { value: own(media.value, 'schema') ?? {}, pointer: `${media.pointer}/schema` },
  };
}

function describeBody(
  { value, pointer }: Located<JsonObject>,
  { texts }: CompileContext,
): string | undefined {
  const text = ownText(value, 'description');
  return text && texts.text(text, `${pointer}/description`, MAX_SCHEMA_TEXT_LENGTH);
}

const sentAsText = ({ contentType }: Media): string =>
  `The body is sent as ${contentType}: the argument "body" is a string, and its schema is not checked.`;

function keepWhole(
  { description, required, media, schema }: RequestBody,
  object: ObjectBody | undefined,
  input: InputDraft,
  context: CompileContext,
): void {
  const converted = object
    ? wholeObject(object, input, context)
    : context.schemas.convert(schema, input.use);
  const isMisfit = media.kind === 'text' && converted['type'] !== 'string';
  if (isMisfit && !context.strict) context.report(media.pointer, sentAsText(media));
  input.properties.set('body', {
    ...(isMisfit ? { type: 'string' } : converted),
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
  return context.schemas.convertFlat(flat, object.pointer, input.use);
}
