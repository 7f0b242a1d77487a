import { createHash } from 'node:crypto';
import type { RouteRequest, RouteResponse } from '../route.ts';

/** A response in JSON that may be large: as bytes, it is charged to the memory budget and sent in pieces. */
export const jsonResponse = (status: number, value: unknown): RouteResponse => ({
  status,
  body: Buffer.from(JSON.stringify(value)),
});

/** Bytes with their strong ETag. */
export interface TaggedBytes {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** Encodes a value as JSON for a response that clients may revalidate. */
export function tagged(value: unknown): TaggedBytes {
  const bytes = Buffer.from(JSON.stringify(value));
  return {
    bytes,
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
  };
}

/** 200 with the bytes, or 304 if the client has them already (RFC 9110 section 13.1.2). */
export function respondTagged({ bytes, etag }: TaggedBytes, request: RouteRequest): RouteResponse {
  const headers = { etag, 'cache-control': 'no-cache' };
  return matchesEtag(request.headers['if-none-match'], etag)
    ? { status: 304, headers, body: null }
    : { status: 200, headers, body: bytes };
}

/** If-None-Match uses weak comparison, which ignores `W/` (RFC 9110 section 13.1.2). */
export function matchesEtag(header: string | string[] | undefined, etag: string): boolean {
  if (typeof header !== 'string') return false;
  return header
    .split(',')
    .map((candidate) => candidate.trim().replace(/^W\//, ''))
    .some((candidate) => candidate === etag || candidate === '*');
}
