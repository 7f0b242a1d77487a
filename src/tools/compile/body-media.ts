import { type Located, pointerTo } from '../../platform/kernel/json-pointer.ts';
import {
  isObject,
  type JsonObject,
  own,
  ownText,
  setOwn,
} from '../../platform/kernel/plain-json.ts';
import type { BodyBinding, ParameterStyle } from '../model.ts';
import type { CompileContext } from './compile-context.ts';
import { isMediaType } from './http-names.ts';

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

const unsupported = (name: string): string =>
  `The request body has the unsupported media type ${name}. Offer application/json, a form or a text type.`;

/** Media types whose bodies a caller can write as a string; a preset's author may try others. */
const TEXTUAL =
  /^(?:text|\*)\/|[/+.-](?:xml|yaml|csv|graphql|ndjson|jsonl|jsonlines|json-seq|sparql-query|javascript)\b/i;

const ENCODING_STYLES: readonly ParameterStyle[] = [
  'form',
  'spaceDelimited',
  'pipeDelimited',
  'deepObject',
];

/** A body's Media Type Object, with the media type that is sent. */
export interface Media extends Located<JsonObject> {
  readonly contentType: string;
  readonly kind: BodyBinding['kind'];
}

/** The media type in which a body is sent. Undefined, with an issue, if the body has none. */
export function chooseMedia(body: Located<JsonObject>, context: CompileContext): Media | undefined {
  const content = own(body.value, 'content');
  const pointer = `${body.pointer}/content`;
  const names = isObject(content) ? Object.keys(content).filter(isMediaType) : [];
  for (const [pattern, kind] of MEDIA_TYPES) {
    const name = names.find((candidate) => pattern.test(candidate));
    if (name === undefined || !isObject(content)) continue;
    if (!context.strict && kind === 'text' && !TEXTUAL.test(name)) {
      const message = unsupported(name);
      context.issues.add(pointerTo(pointer, name), message);
      context.warn(pointerTo(pointer, name), message);
      return undefined;
    }
    const place = { value: own(content, name), pointer: pointerTo(pointer, name) };
    const media = context.references.followToObject(place);
    return media && { ...media, kind, contentType: concrete(name, kind) };
  }
  context.issues.add(pointer, 'The request body has no media type. Add one to `content`.');
  return undefined;
}

/** The media type that is sent for a range of media types. */
function concrete(mediaType: string, kind: BodyBinding['kind']): string {
  if (!mediaType.includes('*')) return mediaType;
  return kind === 'json' ? 'application/json' : 'text/plain';
}

/** The `encoding` of each property. */
export function compileEncoding(media: Media, context: CompileContext): BodyBinding['encoding'] {
  const encoding = own(media.value, 'encoding');
  const compiled: Record<string, BodyBinding['encoding'][string]> = {};
  if (!isObject(encoding)) return compiled;
  for (const [name, value] of Object.entries(encoding)) {
    const pointer = pointerTo(`${media.pointer}/encoding`, name);
    if (isObject(value)) setOwn(compiled, name, compileProperty({ value, pointer }, context));
    else context.issues.add(pointer, 'An encoding must be an object.');
  }
  return compiled;
}

function compileProperty(
  { value, pointer }: Located<JsonObject>,
  context: CompileContext,
): BodyBinding['encoding'][string] {
  // Any type of a list will do; a range (image/*) leaves the choice to the sender.
  const contentType = ownText(value, 'contentType')?.split(',')[0]?.trim();
  const style = ENCODING_STYLES.find((candidate) => candidate === own(value, 'style'));
  const explode = own(value, 'explode');
  if (contentType && !isMediaType(contentType)) {
    context.issues.add(`${pointer}/contentType`, '`contentType` must be a media type.');
  }
  return {
    ...(contentType && !contentType.includes('*') ? { contentType } : {}),
    ...(style ? { style } : {}),
    ...(typeof explode === 'boolean' ? { explode } : {}),
  };
}
