import { losesDigits } from '../../platform/kernel/exact-number.ts';
import { JsonDocument, type Place, ROOT } from '../../platform/kernel/json-document.ts';
import { child, type Path, parsePointer } from '../../platform/kernel/json-pointer.ts';
import { JsonLimitError } from '../../platform/kernel/json-scanner.ts';
import { isObject, type JsonObject, own, ownObject } from '../../platform/kernel/plain-json.ts';
import { DefinitionError } from './definition-error.ts';
import { MAX_DOCUMENT_DEPTH, MAX_DOCUMENT_LENGTH, MAX_DOCUMENT_NODES } from './document-limits.ts';
import { addSubtypes } from './subtypes.ts';
import { keepSwagger, PRODUCES } from './swagger-lists.ts';
import { tidyDocument } from './tidy-document.ts';
import {
  type DocumentSource,
  DocumentSyntaxError,
  keyTwice,
  readYaml,
  TOO_DEEP,
  tooManyValues,
} from './yaml-source.ts';

/** An API description, parsed and upgraded to OpenAPI 3.1, but not yet validated. */
export interface ParsedDocument {
  readonly fileName: string;
  readonly root: JsonObject;
  /** Line (from 1) in the file of what a JSON pointer into `root` names, or of the closest part that contains it. */
  readonly lineOf: (pointer: string) => number;
}

interface ParseOptions {
  /** From where the description was read: its references may name it. */
  readonly address?: string | null;
  /** A thread with little memory passes fewer values than usual. */
  readonly maxValues?: number;
}

/**
 * Parses YAML or JSON (Swagger 2.0, OpenAPI 3.0, 3.1 or 3.2). `fileName` only appears in messages. Fetches nothing.
 * Rejects with DefinitionError.
 */
export async function parseDocument(
  text: string,
  fileName: string,
  { address = null, maxValues = MAX_DOCUMENT_NODES }: ParseOptions = {},
): Promise<ParsedDocument> {
  return refusing(fileName, async () => {
    const source = readSource(text, maxValues);
    return {
      fileName,
      root: addSubtypes(await upgradeDocument(source.tree, address)),
      lineOf: (pointer) => source.lineOf(originalTokens(pointer, source.tree)),
    };
  });
}

/** The values of a document as they were written, not upgraded. Rejects as `parseDocument` does. */
export const readDocument = (
  text: string,
  fileName: string,
  maxValues: number = MAX_DOCUMENT_NODES,
): Promise<unknown> => refusing(fileName, async () => readSource(text, maxValues).tree);

async function refusing<T>(fileName: string, work: () => Promise<T>): Promise<T> {
  const refusal = (message: string, line = 1): DefinitionError =>
    new DefinitionError([{ file: fileName, line, pointer: '', message }]);
  try {
    return await work();
  } catch (error) {
    if (error instanceof DocumentSyntaxError) throw refusal(error.message, error.line);
    // A parser that runs out of stack throws a RangeError.
    if (error instanceof RangeError) throw refusal(TOO_DEEP);
    throw error;
  }
}

function readSource(given: string, maxValues: number): DocumentSource {
  if (given.length > MAX_DOCUMENT_LENGTH) {
    throw new DocumentSyntaxError(
      `The document is longer than ${MAX_DOCUMENT_LENGTH} characters. Split it.`,
    );
  }
  const text = given.replace(/^\uFEFF/, '');
  const json = /^\s*\{/.test(text) ? readJson(text, maxValues) : undefined;
  return json ?? readYaml(text, maxValues);
}

/**
 * Reads JSON; undefined if the text is not JSON. JSON.parse is a hundred times faster than a YAML parser, but it hides
 * duplicate keys, has no line numbers, and cannot be interrupted: if it exhausts the heap of a thread, the whole process
 * ends. So the text is scanned first. Throws DocumentSyntaxError.
 */
function readJson(text: string, maxValues: number): DocumentSource | undefined {
  const document = scan(Buffer.from(text), maxValues);
  if (document === undefined) return undefined;
  checkObjects(document, maxValues);
  return {
    tree: LONG_NUMBER.test(text) ? JSON.parse(text, keepLongNumber) : JSON.parse(text),
    lineOf: (tokens) => lineOfPart(new JsonDocument(Buffer.from(text)), tokens),
  };
}

/** What may be a number with more digits than a double keeps. */
const LONG_NUMBER = /\d[\d.]{15}/;

/** Such a number stays as text: the compiler knows what it means. */
const keepLongNumber = (
  _key: string,
  value: unknown,
  { source = '' }: { source?: string },
): unknown => (typeof value === 'number' && losesDigits(source) ? source : value);

function scan(json: Buffer, maxValues: number): JsonDocument | undefined {
  try {
    return new JsonDocument(json, { maxDepth: MAX_DOCUMENT_DEPTH, maxValues });
  } catch (error) {
    if (!(error instanceof JsonLimitError)) return undefined;
    if (error.limit === 'maxValues') throw new DocumentSyntaxError(tooManyValues(maxValues));
    throw new DocumentSyntaxError(TOO_DEEP, lineAt(json, error.offset));
  }
}

/** Throws for too many values, among which an empty object or array counts twice, and for the first key that repeats. */
function checkObjects(document: JsonDocument, maxValues: number): void {
  let values = -1;
  let repeated: { readonly first: Place; readonly second: Place } | undefined;
  for (let place: Place | undefined = ROOT; place !== undefined; place = document.after(place)) {
    values += document.isContainer(place) && document.count(place) === 0 ? 2 : 1;
    if (document.kind(place) !== 'object') continue;
    const seen = new Map<string, Place>();
    for (const second of document.children(place)) {
      const key = document.key(second);
      const first = seen.get(key);
      if (first === undefined) seen.set(key, second);
      else {
        if (repeated === undefined || second < repeated.second) repeated = { first, second };
        break;
      }
    }
  }
  if (values > maxValues) throw new DocumentSyntaxError(tooManyValues(maxValues));
  if (repeated === undefined) return;
  const { first, second } = repeated;
  const lineOf = (member: Place): number => lineAt(document.json, document.memberStart(member));
  throw keyTwice(document.key(second), lineOf(first), lineOf(second));
}

function lineOfPart(document: JsonDocument, tokens: readonly string[]): number {
  let place = ROOT;
  for (const token of tokens) {
    const child = document.child(place, token);
    if (child === undefined) break;
    place = child;
  }
  const start = document.memberStart(place);
  return lineAt(document.json, start < 0 ? document.start(place) : start);
}

function lineAt(json: Buffer, offset: number): number {
  let line = 1;
  for (let at = json.indexOf(0x0a); at >= 0 && at < offset; at = json.indexOf(0x0a, at + 1)) line++;
  return line;
}

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
 * read as 3.1. Throws DocumentSyntaxError.
 */
async function upgradeDocument(written: unknown, address: string | null): Promise<JsonObject> {
  if (!isObject(written))
    throw new DocumentSyntaxError('This is not an OpenAPI document: it must be an object.');
  const document = tidyDocument(written, address);
  const swagger = own(document, 'swagger');
  const openapi = versionOf(own(document, 'openapi'));
  if (/^3\.[12](\.|$)/.test(openapi)) return document;
  if (swagger === undefined && !/^3\.0(\.|$)/.test(openapi)) {
    throw new DocumentSyntaxError('`openapi` must be 3.0, 3.1 or 3.2, or `swagger` must be 2.0.');
  }
  if (swagger !== undefined && String(swagger) !== '2.0' && swagger !== 2) {
    throw new DocumentSyntaxError('The only supported version of Swagger is 2.0.');
  }
  const prepared = prepare(document) as JsonObject;
  if (swagger === undefined) return runUpgrader({ ...prepared, openapi });
  keepSwagger(prepared);
  return requireForms(await runUpgrader({ ...prepared, swagger: '2.0' }));
}

/** YAML reads a version without quotes as a number, 3.0 as 3. */
function versionOf(openapi: unknown): string {
  if (typeof openapi === 'number') return Number.isInteger(openapi) ? `${openapi}.0` : `${openapi}`;
  return typeof openapi === 'string' ? openapi : '';
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
  throw new DocumentSyntaxError('The document is malformed: it cannot be upgraded to OpenAPI 3.1.');
}

/**
 * Makes each form body with required fields required itself. That is what Swagger 2.0 means, but the upgrader makes
 * the body optional.
 */
function requireForms(document: JsonObject): JsonObject {
  for (const item of Object.values(ownObject(document, 'paths'))) {
    for (const operation of Object.values(isObject(item) ? item : {})) {
      const body: Record<string, unknown> = ownObject(
        isObject(operation) ? operation : {},
        'requestBody',
      );
      const hasRequiredFields = Object.entries(ownObject(body, 'content')).some(([type, media]) => {
        const required = child(child(media, 'schema'), 'required');
        return /form/.test(type) && Array.isArray(required) && required.length > 0;
      });
      if (hasRequiredFields) body['required'] ??= true;
    }
  }
  return document;
}

/** A copy, since the upgrader changes its input, without what it handles unsafely. The depth is already bounded. */
function prepare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(prepare);
  if (typeof value === 'string') return checkName(value);
  if (!isObject(value)) return value;
  const members = Object.entries(value).flatMap(([key, member]) => {
    if (!isStringList(member) || !['produces', 'consumes'].includes(key)) {
      return [[checkName(key), prepare(member)]];
    }
    return key === 'consumes'
      ? [[key, preferred(member)]]
      : [[PRODUCES, member.slice(0, MAX_CONSUMES)]];
  });
  return Object.fromEntries(members);
}

/** The upgrader assigns by key: this name, as a key or a media type, would reach Object.prototype. */
function checkName(text: string): string {
  if (text === '__proto__') {
    throw new DocumentSyntaxError(
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
function originalTokens(pointer: string, original: unknown): Path {
  const tokens = parsePointer(pointer);
  if (child(original, 'swagger') === undefined) return tokens;
  const path = tokens.join('/');
  for (const [upgraded, place] of SWAGGER_PLACES) {
    if (!`${path}/`.startsWith(`${upgraded}/`)) continue;
    return [...place, ...tokens.slice(upgraded.split('/').length)];
  }
  return tokens;
}
