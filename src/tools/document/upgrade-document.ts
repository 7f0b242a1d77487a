import { child, type Path, parsePointer } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own, ownText } from '../../platform/kernel/plain-json.ts';

/** Thrown for a document of an unsupported version, or one that cannot be upgraded to 3.1. */
export class DocumentUpgradeError extends Error {}

/** Media types that are kept from a Swagger 2.0 `consumes` list: the upgrader copies a body once for each. */
const MAX_CONSUMES = 4;

/** Where the parts of a Swagger 2.0 document were before the upgrade. */
const SWAGGER_PLACES: readonly (readonly [upgraded: string, original: readonly string[]])[] = [
  ['components/schemas', ['definitions']],
  ['components/parameters', ['parameters']],
  ['components/requestBodies', ['parameters']],
  ['components/securitySchemes', ['securityDefinitions']],
  ['servers', ['host']],
];

/**
 * Upgrades Swagger 2.0 and OpenAPI 3.0 to 3.1. Leaves 3.1 and 3.2 unchanged, since the parts of 3.2 that tools need
 * read as 3.1. Throws DocumentUpgradeError.
 */
export async function upgradeDocument(document: unknown): Promise<JsonObject> {
  if (!isObject(document))
    throw new DocumentUpgradeError('This is not an OpenAPI document: it must be an object.');
  const swagger = own(document, 'swagger');
  const openapi = ownText(document, 'openapi') ?? '';
  if (/^3\.[12](\.|$)/.test(openapi)) return document;
  if (swagger === undefined && !/^3\.0(\.|$)/.test(openapi)) {
    throw new DocumentUpgradeError('`openapi` must be 3.0, 3.1 or 3.2, or `swagger` must be 2.0.');
  }
  if (swagger !== undefined && String(swagger) !== '2.0' && swagger !== 2) {
    throw new DocumentUpgradeError('The only supported version of Swagger is 2.0.');
  }
  const prepared = prepare(document);
  if (swagger === undefined) return runUpgrader(prepared);
  return requireForms(await runUpgrader({ ...prepared, swagger: '2.0' }));
}

/** Loads the upgrader on demand: presets are 3.1, and start-up time and memory matter. */
async function runUpgrader(document: JsonObject): Promise<JsonObject> {
  const { upgrade } = await import('@scalar/openapi-upgrader');
  try {
    const upgraded: unknown = upgrade(document, '3.1');
    if (isObject(upgraded)) return upgraded;
  } catch {
    // The upgrader trusts its input: if it fails, the document is malformed.
  }
  throw new DocumentUpgradeError(
    'The document is malformed: it cannot be upgraded to OpenAPI 3.1.',
  );
}

/**
 * Makes each form body with required fields required itself. That is what Swagger 2.0 means, but the upgrader makes
 * the body optional.
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

/** A copy, since the upgrader changes its input, without what it handles unsafely. The depth is already bounded. */
function prepare(value: JsonObject): JsonObject {
  const prepared: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    if (key === 'produces' && isStringList(member)) continue;
    prepared[checkName(key)] =
      key === 'consumes' && isStringList(member) ? preferred(member) : prepareValue(member);
  }
  return prepared;
}

function prepareValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(prepareValue);
  if (typeof value === 'string') return checkName(value);
  return isObject(value) ? prepare(value) : value;
}

/** The upgrader assigns by key: this name, as a key or a media type, would reach Object.prototype. */
function checkName(text: string): string {
  if (text === '__proto__') {
    throw new DocumentUpgradeError(
      '`__proto__` must not be used as a name in documents before OpenAPI 3.1.',
    );
  }
  return text;
}

const isStringList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** Media types that the compiler can write come first, so that they are not dropped. */
function preferred(mediaTypes: readonly string[]): string[] {
  const rank = (type: string): number => (/json|form/.test(type) ? 0 : 1);
  return mediaTypes
    .map(checkName)
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, MAX_CONSUMES);
}

/** The path of a part of an upgraded document in the original document. */
export function originalTokens(pointer: string, original: unknown): Path {
  const tokens = parsePointer(pointer);
  if (!isObject(original) || own(original, 'swagger') === undefined) return tokens;
  for (const [upgraded, place] of SWAGGER_PLACES) {
    const prefix = upgraded.split('/');
    if (prefix.every((token, index) => tokens[index] === token)) {
      return [...place, ...tokens.slice(prefix.length)];
    }
  }
  return tokens;
}
