import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import {
  isObject,
  type JsonObject,
  own,
  ownText,
  setOwn,
} from '../../platform/kernel/plain-json.ts';

/** Members whose value is data of the author, and says nothing about the API. */
const DATA = new Set(['default', 'const', 'enum', 'example', 'examples', 'value']);
/** Members that hold schemas under names of the author's choosing. */
const SCHEMA_MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs']);
/** The same of other objects, or of schemas where an OpenAPI document keeps what it shares. */
const MAPS = new Set(
  'definitions schemas responses parameters requestBodies headers securitySchemes pathItems callbacks links mapping variables content'.split(
    ' ',
  ),
);

type Kind = 'root' | 'node' | 'map' | 'schema map';

/**
 * A copy of a description in which each thing that authors write in several ways is written in one: a member that is
 * null is absent, a `$ref` to the document itself by its address, its file name or an `$anchor` is a local pointer, the
 * `host` of Swagger 2.0 is a host, and a server has a scheme. `address` is where the description was read.
 */
export function tidyDocument(document: JsonObject, address: string | null): JsonObject {
  const localise = createLocaliser(document, address);

  function tidy(value: unknown, kind: Kind): unknown {
    if (Array.isArray(value)) return value.map((item) => tidy(item, 'node'));
    if (!isObject(value)) return value;
    const copy: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(value)) {
      const isNamed = kind === 'map' || kind === 'schema map';
      const tidied = isNamed ? tidyNamed(member, kind) : tidyMember(key, member, kind === 'root');
      if (tidied !== undefined) setOwn(copy, key, tidied);
    }
    return copy;
  }

  /** A member whose name has a meaning. */
  function tidyMember(key: string, value: unknown, isRoot: boolean): unknown {
    // What references lead to may stand in an extension of the document.
    if (DATA.has(key) || (key.startsWith('x-') && !isRoot)) return value;
    if (value === null) return undefined;
    if (key === '$ref' && typeof value === 'string') return localise(value);
    if (key === 'type' && Array.isArray(value)) return value.map((type) => type ?? 'null');
    if (key === 'servers' && Array.isArray(value))
      return value.map((one) => withScheme(tidy(one, 'node'), address));
    if (SCHEMA_MAPS.has(key)) return tidy(value, 'schema map');
    return tidy(value, MAPS.has(key) ? 'map' : 'node');
  }

  /** A member whose name is the author's. A property of which nothing is said still exists. */
  function tidyNamed(value: unknown, kind: Kind): unknown {
    if (value === null) return kind === 'schema map' ? {} : undefined;
    return typeof value === 'string' ? localise(value) : tidy(value, 'node');
  }

  return splitHost(tidy(document, 'root') as JsonObject);
}

/** A `$ref`, or a value of a discriminator's mapping, as a pointer into this document where it leads there. */
function createLocaliser(document: JsonObject, address: string | null): (text: string) => string {
  const base = URL.parse(ownText(document, '$self') ?? '', address ?? undefined)?.href ?? address;
  const ownAddresses = new Set([base, address].flatMap((url) => url?.split('#', 1) ?? []));
  let anchors: ReadonlyMap<string, string> | undefined;
  return (text) => {
    const [place = '', fragment] = text.split('#', 2);
    if (fragment === undefined) return text;
    const target = URL.parse(place, base ?? undefined)?.href ?? place;
    if (place !== '' && !ownAddresses.has(target)) return text;
    if (!/^[A-Za-z_]/.test(fragment)) return `#${fragment}`;
    anchors ??= anchorsOf(document);
    const pointer = anchors.get(fragment);
    return pointer === undefined ? text : `#${encodeURI(pointer)}`;
  };
}

/** The pointers of the schemas that have an `$anchor` (JSON Schema 2020-12, 8.2.2). The first of two alike counts. */
function anchorsOf(document: unknown): ReadonlyMap<string, string> {
  const anchors = new Map<string, string>();
  const visit = (value: unknown, pointer: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const anchor = isObject(value) ? ownText(value, '$anchor') : undefined;
    if (anchor !== undefined && !anchors.has(anchor)) anchors.set(anchor, pointer);
    for (const [key, member] of Object.entries(value)) visit(member, pointerTo(pointer, key));
  };
  visit(document, '');
  return anchors;
}

/** The `host` of Swagger 2.0 as an address, which authors write, in the three members that make it up. */
function splitHost(document: JsonObject): JsonObject {
  const host = own(document, 'swagger') === undefined ? undefined : ownText(document, 'host');
  const address = host && /^https?:\/\//i.test(host) ? URL.parse(host) : null;
  if (!address) return document;
  const path = `${address.pathname}${ownText(document, 'basePath') ?? ''}`.replaceAll(/\/+/g, '/');
  const schemes = [address.protocol.slice(0, -1)];
  return { ...document, host: address.host, basePath: path, schemes };
}

/**
 * A server with `https://` in front of an address that begins with the name of a host, such as `api.example.com/v1`. With
 * `//` in front, the description's own address says the scheme.
 */
function withScheme(server: unknown, address: string | null): unknown {
  const url = isObject(server) ? (ownText(server, 'url')?.trim() ?? '') : '';
  const [, slashes, place] = HOST_FIRST.exec(url) ?? [];
  const isComplete = place === undefined || (slashes !== undefined && address !== null);
  return isComplete ? server : { ...Object(server), url: `https://${place}` };
}

/** A path within the description's own site begins with no top-level domain. */
const HOST_FIRST = /^(\/\/)?((?:[a-z\d-]+\.)+[a-z]{2,}(?::\d+)?(?:\/.*)?)$/i;
