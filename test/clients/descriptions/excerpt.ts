import { parsePointer, valueAt } from '../../../src/platform/kernel/json-pointer.ts';
import {
  isObject,
  type JsonObject,
  own,
  ownObject,
  setOwn,
} from '../../../src/platform/kernel/plain-json.ts';
import type { DescribedOperation } from './check-call.ts';

/** What decides nothing about a request, and makes the libraries slow or mistake an example for a schema. */
const LEFT_OUT =
  /^(x-.*|\$schema|callbacks|default|description|example|examples|externalDocs|responses|security|servers|summary|title|xml)$/;

/** Keywords whose members are named by the author of a description. */
const NAME_MAPS = new Set([
  '$defs',
  'content',
  'definitions',
  'dependentSchemas',
  'encoding',
  'parameters',
  'paths',
  'patternProperties',
  'properties',
  'requestBodies',
  'schemas',
]);

/** The part of a description (OpenAPI 3) that one operation consists of, in its places. */
export function excerptOf({ root, path, method }: DescribedOperation): JsonObject {
  const item = followed(root, valueAt(root, ['paths', path]));
  const operation = followed(root, own(item, method));
  const servers = [operation, item, root].map((place) => own(place, 'servers')).find(isFilled);
  const { parameters = [] } = item;
  const excerpt: Record<string, unknown> = {
    openapi: own(root, 'openapi'),
    info: { title: 'Excerpt', version: '1' },
    servers: absolute(isFilled(servers) ? servers : [{ url: '/' }]),
    paths: { [path]: { parameters: plain(parameters), [method]: plain(operation) } },
  };
  const copied = new Set<string>();
  const copyReferences = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const reference = isObject(value) ? own(value, '$ref') : undefined;
    if (typeof reference === 'string' && reference.startsWith('#/') && !copied.has(reference)) {
      copied.add(reference);
      const tokens = parsePointer(decodeURIComponent(reference.slice(1)));
      const target = plain(valueAt(root, tokens));
      place(excerpt, tokens, target);
      copyReferences(target);
    }
    for (const member of Object.values(value)) copyReferences(member);
  };
  copyReferences(own(excerpt, 'paths'));
  return excerpt;
}

/** Where the descriptions are, to which the addresses of servers are relative. */
export const DESCRIPTION_URL = 'https://api.example.com/openapi';

const isFilled = (list: unknown): list is readonly unknown[] =>
  Array.isArray(list) && list.length > 0;

function absolute(servers: readonly unknown[]): readonly JsonObject[] {
  return servers.filter(isObject).map((server) => {
    const url = String(own(server, 'url'));
    const isAbsolute = /^(\w+:|\{)/.test(url);
    return isAbsolute ? server : { ...server, url: new URL(url, DESCRIPTION_URL).href };
  });
}

/** A value, or what it refers to. */
export function followed(root: JsonObject, value: unknown): JsonObject {
  let current = value;
  for (let steps = 0; steps < 10 && isObject(current); steps++) {
    const reference = own(current, '$ref');
    if (typeof reference !== 'string') return current;
    current = valueAt(root, parsePointer(decodeURIComponent(reference.slice(1))));
  }
  return isObject(current) ? current : {};
}

function plain(value: unknown, hasNames = false): unknown {
  if (Array.isArray(value)) return value.map((item) => plain(item));
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    if (hasNames) setOwn(copy, key, plain(member));
    else if (!LEFT_OUT.test(key)) copy[NAMES[key] ?? key] = plain(member, NAME_MAPS.has(key));
  }
  return hasNames ? copy : withStyle(withoutHidden(copy));
}

/** Authors write `oneOf` for forms that overlap: what it refuses is accepted (docs/openapi-report.md). */
const NAMES: Readonly<Record<string, string>> = { oneOf: 'anyOf' };

/** The library writes the styles that a description names, and not all that it leaves to the default. */
const withStyle = (value: JsonObject): JsonObject =>
  typeof value['in'] === 'string' && 'schema' in value
    ? { style: DEFAULT_STYLES[value['in']], ...value }
    : value;

const DEFAULT_STYLES: Readonly<Record<string, string>> = {
  path: 'simple',
  query: 'form',
  header: 'simple',
  cookie: 'form',
};

/** A member that only a response has is not required of a request (OpenAPI 3.0, 4.7.24.2). */
function withoutHidden(schema: JsonObject): JsonObject {
  const { required } = schema;
  if (!Array.isArray(required)) return schema;
  const isHidden = (name: unknown): boolean =>
    ownObject(ownObject(schema, 'properties'), String(name))['readOnly'] === true;
  return { ...schema, required: required.filter((name) => !isHidden(name)) };
}

function place(target: Record<string, unknown>, tokens: readonly string[], value: unknown): void {
  let at = target;
  for (const token of tokens.slice(0, -1)) {
    if (!isObject(own(at, token)) && !Array.isArray(own(at, token))) setOwn(at, token, {});
    at = at[token] as Record<string, unknown>;
  }
  const last = tokens.at(-1);
  if (last !== undefined && own(at, last) === undefined) setOwn(at, last, value);
}
