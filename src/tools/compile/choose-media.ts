import { child, type Located, pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own, ownObject } from '../../platform/kernel/plain-json.ts';
import { referenceOf } from '../document/resolve-reference.ts';
import { PRODUCES } from '../document/swagger-lists.ts';
import type { BodyBinding } from '../model.ts';
import type { CompileContext } from './compile-context.ts';
import { hasFiles, targetOf } from './file-members.ts';
import { isMediaType } from './http-names.ts';
import type { Operation } from './list-operations.ts';

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

/** Media types of patches: whether each is a list of operations. */
const PATCHES: readonly (readonly [pattern: RegExp, isList: boolean])[] = [
  [/^application\/json-patch\+json\b/i, true],
  [/^application\/(?:strategic-merge-patch|merge-patch|apply-patch)\+json\b/i, false],
];

/** A body's Media Type Object, with the media type that is sent. */
export interface Media extends Located<JsonObject> {
  readonly contentType: string;
  readonly kind: BodyBinding['kind'];
}

/**
 * The media type in which a body is sent: the first that fits its schema. Undefined, with an issue, if the body has none.
 */
export function chooseMedia(body: Located<JsonObject>, context: CompileContext): Media | undefined {
  const pointer = `${body.pointer}/content`;
  const content = ownObject(body.value, 'content');
  const names = Object.keys(content).filter(isMediaType);
  const ordered = names
    .map((name) => {
      const rank = MEDIA_TYPES.findIndex(([pattern]) => pattern.test(name));
      const kind = MEDIA_TYPES[rank]?.[1] ?? 'text';
      return { name, kind, rank, value: content[name], pointer: pointerTo(pointer, name) };
    })
    .sort((one, other) => one.rank - other.rank);
  const chosen =
    ordered.length > 1 ? (ordered.find((one) => fits(one, context)) ?? ordered[0]) : ordered[0];
  if (!chosen) {
    context.refuse(pointer, 'The request body has no media type. Add one to `content`.');
    return undefined;
  }
  const { name, kind, value, pointer: place } = chosen;
  if (!context.strict && kind === 'text' && !TEXTUAL.test(name)) {
    const message = `The request body has the unsupported media type ${name}. Offer application/json, a form or a text type.`;
    context.refuse(place, message);
    context.warn(place, message);
    return undefined;
  }
  const media = context.references.followToObject({ value, pointer: place });
  return media && { ...media, kind, contentType: concrete(name, kind) };
}

/** Whether a schema describes what a media type can carry. */
function fits(
  {
    name,
    kind,
    value,
  }: { readonly name: string; readonly kind: Media['kind']; readonly value: unknown },
  context: CompileContext,
): boolean {
  const schema = targetOf(child(targetOf(value, context), 'schema'), context);
  const [, isList] = PATCHES.find(([pattern]) => pattern.test(name)) ?? [];
  if (isList !== undefined) return isList === isListSchema(schema);
  return (kind !== 'json' && kind !== 'form') || !hasFiles(schema, context);
}

const isListSchema = (schema: unknown): boolean =>
  [child(schema, 'type')].flat().includes('array') || child(schema, 'items') !== undefined;

/** The media type that is sent for a range of media types. */
function concrete(mediaType: string, kind: BodyBinding['kind']): string {
  if (!mediaType.includes('*')) return mediaType;
  return kind === 'json' ? 'application/json' : 'text/plain';
}

/** Documented types that are asked for by name. */
const MAX_TYPES = 4;

const isJson = (type: string): boolean => /[/+]json\b/i.test(type);

/**
 * `Accept` of an operation: the types that its successful responses have, JSON first, then what the gateway reads besides.
 * Undefined if the document promises nothing that the gateway would not ask for first by itself.
 */
export function compileAccept({ value }: Operation, context: CompileContext): string | undefined {
  const responses = Object.entries(ownObject(value, 'responses'))
    .filter(([status]) => /^2/.test(status))
    .flatMap(([, response]) => {
      const reference = referenceOf(response);
      const target =
        reference === undefined ? response : context.references.target(reference)?.value;
      return isObject(target) ? Object.keys(ownObject(target, 'content')) : [];
    });
  const produced = own(value, PRODUCES) ?? own(context.root, PRODUCES);
  const named = Array.isArray(produced) ? produced.map(String) : responses;
  const types = [...new Set(named)].filter((type) => isMediaType(type) && !type.includes('*'));
  const ordered = [...types.filter(isJson), ...types.filter((type) => !isJson(type))];
  const [first] = ordered;
  if (first === undefined || /^application\/json$/i.test(first)) return undefined;
  const others = ['application/json;q=0.9', 'application/xml;q=0.8', '*/*;q=0.5'];
  return [...ordered.slice(0, MAX_TYPES), ...others].join(', ');
}
