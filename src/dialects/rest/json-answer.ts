import { createHash } from 'node:crypto';
import type { RouteRequest, RouteResponse } from '../route.ts';

/** Bytes with their strong ETag, made once. */
export interface TaggedBytes {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** Serialises a value for an answer that clients may revalidate. */
export function tagged(value: unknown): TaggedBytes {
  const bytes = Buffer.from(JSON.stringify(value));
  return {
    bytes,
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
  };
}

/** 200 with the bytes, or 304 when the client has them already (RFC 9110 section 13.1.2). */
export function answerTagged({ bytes, etag }: TaggedBytes, request: RouteRequest): RouteResponse {
  const headers = { etag, 'cache-control': 'no-cache' };
  return matchesEtag(request.headers['if-none-match'], etag)
    ? { status: 304, headers, body: null }
    : { status: 200, headers, body: bytes };
}

/** If-None-Match compares weakly: `W/` does not count (RFC 9110 section 13.1.2). */
export function matchesEtag(header: string | string[] | undefined, etag: string): boolean {
  if (typeof header !== 'string') return false;
  return header
    .split(',')
    .map((candidate) => candidate.trim().replace(/^W\//, ''))
    .some((candidate) => candidate === etag || candidate === '*');
}
