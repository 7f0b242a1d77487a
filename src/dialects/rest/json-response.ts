import type { CodedBytes } from '../../platform/kernel/coded-bytes.ts';
import { chooseCoding } from '../../platform/kernel/http-names.ts';
import type { RequestHeaders, RouteResponse } from '../route.ts';

/** A body that may be large: as bytes, it is charged to the memory budget and sent in pieces. */
export const encodeJson = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** A response that clients may revalidate. */
export interface CodedResponse extends RouteResponse {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

/** 200 in the coding that the client prefers, or 304 if the client has it already (RFC 9110 section 13.1.2). */
export function respondCoded(codings: CodedBytes, request: RequestHeaders): CodedResponse {
  const coding = chooseCoding(request['accept-encoding']);
  const { bytes, etag } = codings[coding];
  const headers = { etag, 'cache-control': 'no-cache', vary: 'Origin, Accept-Encoding' };
  if (matchesEtag(request['if-none-match'], etag)) return { status: 304, headers, body: null };
  const isCoded = bytes !== codings.identity.bytes;
  return {
    status: 200,
    headers: isCoded ? { ...headers, 'content-encoding': coding } : headers,
    body: bytes,
  };
}

/** If-None-Match uses weak comparison, which ignores `W/` (RFC 9110 section 13.1.2). */
function matchesEtag(header: string | string[] | undefined, etag: string): boolean {
  const candidates = typeof header === 'string' ? header.split(',') : [];
  return candidates
    .map((candidate) => candidate.trim().replace(/^W\//, ''))
    .some((candidate) => candidate === etag || candidate === '*');
}
