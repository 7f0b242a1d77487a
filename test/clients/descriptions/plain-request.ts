import type { UpstreamRequest } from '../../../src/tools/model.ts';

/** A request in the terms in which two libraries can agree, however they encode it. */
export interface PlainRequest {
  readonly method: string;
  readonly origin: string;
  /** The segments of the path, decoded. */
  readonly path: readonly string[];
  /** `name=value`, decoded and sorted. */
  readonly query: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

export function plainRequest(
  { method, origin, path, headers }: UpstreamRequest,
  names: readonly string[],
): PlainRequest {
  const [segments = '', query = ''] = path.split(/\?(.*)/s);
  return {
    method,
    origin,
    path: segments.split('/').map(decoded),
    query: pairsOf(query),
    headers: Object.fromEntries(names.map((name) => [name, decoded(headers[name] ?? '')])),
  };
}

/** What a request consists of in the HTTP Archive format, as far as it matters here. */
interface HarRequest {
  readonly method: string;
  readonly url: string;
  readonly queryString: readonly HarPair[];
  readonly headers: readonly HarPair[];
}

interface HarPair {
  readonly name: string;
  readonly value: string;
}

export function plainHar(har: HarRequest, names: readonly string[]): PlainRequest {
  const { origin, pathname } = new URL(har.url);
  const headerOf = (name: string): string =>
    har.headers.find((header) => header.name.toLowerCase() === name)?.value ?? '';
  return {
    method: har.method,
    origin,
    path: pathname.split('/').map(decoded),
    // A value may have further pairs in it, already encoded.
    query: pairsOf(har.queryString.map(({ name, value }) => `${name}=${value}`).join('&')),
    headers: Object.fromEntries(names.map((name) => [name, decoded(headerOf(name))])),
  };
}

const pairsOf = (query: string): string[] =>
  query
    .split('&')
    .filter((pair) => pair !== '')
    .map(decoded)
    .toSorted();

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
