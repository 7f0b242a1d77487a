import { child, isObject, type JsonObject, own, ownText, pointerTokens } from '../plain-json.ts';

/** Thrown for a document of no known version, or one that cannot be brought to 3.1. */
export class UpgradeFault extends Error {}

/** Media types kept of a Swagger 2.0 `consumes` list: the upgrader copies a body once for each. */
const MAX_CONSUMES = 4;

/** Where the parts of a Swagger 2.0 document stood before they were upgraded. */
const SWAGGER_PLACES: readonly (readonly [upgraded: string, original: readonly string[]])[] = [
  ['components/schemas', ['definitions']],
  ['components/parameters', ['parameters']],
  ['components/requestBodies', ['parameters']],
  ['components/securitySchemes', ['securityDefinitions']],
  ['servers', ['host']],
];

/**
 * Brings Swagger 2.0 and OpenAPI 3.0 to 3.1; 3.1 and 3.2 stay as they are, since what tools need of 3.2 reads as
 * 3.1. Throws UpgradeFault.
 */
export async function upgradeDocument(document: unknown): Promise<JsonObject> {
  if (!isObject(document)) throw new UpgradeFault('This is not an OpenAPI document.');
  const swagger = own(document, 'swagger');
  const openapi = ownText(document, 'openapi') ?? '';
  if (/^3\.[12](\.|$)/.test(openapi)) return document;
  if (swagger === undefined && !/^3\.0(\.|$)/.test(openapi)) {
    throw new UpgradeFault(
      '`openapi` must name version 3.0, 3.1 or 3.2, or `swagger` version 2.0.',
    );
  }
  if (swagger !== undefined && String(swagger) !== '2.0' && swagger !== 2) {
    throw new UpgradeFault('Only version 2.0 of Swagger is understood.');
  }
  const prepared = prepare(document);
  if (swagger === undefined) return runUpgrader(prepared);
  return requireForms(await runUpgrader({ ...prepared, swagger: '2.0' }));
}

/** Loaded only when needed: presets are 3.1, and start-up time and memory matter. */
async function runUpgrader(document: JsonObject): Promise<JsonObject> {
  const { upgrade } = await import('@scalar/openapi-upgrader');
  try {
    const upgraded: unknown = upgrade(document, '3.1');
    if (isObject(upgraded)) return upgraded;
  } catch {
    // The upgrader trusts its input; whatever it stumbles over is a fault of the document.
  }
  throw new UpgradeFault('This document is malformed: it could not be read as OpenAPI 3.1.');
}

/**
 * The document with each form body required that has required fields: Swagger 2.0 cannot say otherwise, but the
 * upgrader leaves the body as one that may be absent.
 */
function requireForms(document: JsonObject): JsonObject {
  return mapMember(document, 'paths', (paths) =>
    mapMembers(paths, (item) =>
      mapMembers(item, (operation) => mapMember(operation, 'requestBody', requireForm)),
    ),
  );
}

function requireForm(body: JsonObject): JsonObject {
  const content = own(body, 'content');
  const hasRequiredFields = Object.entries(isObject(content) ? content : {}).some(
    ([type, media]) =>
      /form/.test(type) &&
      ((child(child(media, 'schema'), 'required') as unknown[] | undefined)?.length ?? 0) > 0,
  );
  return hasRequiredFields ? { required: true, ...body } : body;
}

type Change = (member: JsonObject) => JsonObject;

const mapMembers = (object: JsonObject, change: Change): JsonObject =>
  Object.fromEntries(
    Object.entries(object).map(([key, member]) => [
      key,
      isObject(member) ? change(member) : member,
    ]),
  );

function mapMember(object: JsonObject, key: string, change: Change): JsonObject {
  const member = own(object, key);
  return isObject(member) ? { ...object, [key]: change(member) } : object;
}

/** A copy (the upgrader changes its input) without what the upgrader handles unsafely. Depth is bounded by now. */
function prepare(value: JsonObject): JsonObject {
  const prepared: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    if (key === 'produces' && isStringList(member)) continue;
    prepared[named(key)] =
      key === 'consumes' && isStringList(member) ? preferred(member) : prepareValue(member);
  }
  return prepared;
}

function prepareValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(prepareValue);
  if (typeof value === 'string') return named(value);
  return isObject(value) ? prepare(value) : value;
}

/** The upgrader assigns by key, so that this name, as key or as media type, would reach Object.prototype. */
function named(text: string): string {
  if (text === '__proto__') {
    throw new UpgradeFault(
      '`__proto__` may not be used as a name in documents before OpenAPI 3.1.',
    );
  }
  return text;
}

const isStringList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** What the compiler can write comes first, so that it is not cut off. */
function preferred(mediaTypes: readonly string[]): string[] {
  const rank = (type: string): number => (/json|form/.test(type) ? 0 : 1);
  return mediaTypes
    .map(named)
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, MAX_CONSUMES);
}

/** The tokens under which a part of an upgraded document is found in the text its author wrote. */
export function originalTokens(pointer: string, original: unknown): string[] {
  const tokens = pointerTokens(pointer);
  if (!isObject(original) || own(original, 'swagger') === undefined) return tokens;
  for (const [upgraded, place] of SWAGGER_PLACES) {
    const prefix = upgraded.split('/');
    if (prefix.every((token, index) => tokens[index] === token)) {
      return [...place, ...tokens.slice(prefix.length)];
    }
  }
  return tokens;
}
