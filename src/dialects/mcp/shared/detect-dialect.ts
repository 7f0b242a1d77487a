import { isObject } from '../../../platform/kernel/plain-json.ts';
import type { RequestFacts } from '../../route.ts';

/** The dialects of `POST /mcp`, as audit records name them. */
export type DialectName = 'plain' | 'http-sse' | 'streamable-http' | 'stateless';

/** The first revision without `initialize`: each request is complete in itself. */
export const STATELESS_REVISION = '2026-07-28';

/** Member of `params._meta` that marks a stateless request. */
export const PROTOCOL_VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

type Signs = Pick<RequestFacts, 'headers' | 'query'>;

/**
 * Detects the dialect from the address and the headers; null if the body decides. Only what plain callers never send
 * counts as a sign of MCP.
 */
function dialectOfSigns({ headers, query }: Signs): DialectName | null {
  if (query['sessionId'] !== undefined) return 'http-sse';
  const version = headers['mcp-protocol-version'];
  if (typeof version === 'string') {
    // Revisions are ISO dates, so comparing strings compares dates.
    return version >= STATELESS_REVISION ? 'stateless' : 'streamable-http';
  }
  if (headers['mcp-session-id'] !== undefined) return 'streamable-http';
  return acceptsEvents(headers) ? 'streamable-http' : null;
}

/** A media type in a list, with or without parameters, in upper or lower case. */
const EVENT_STREAM = /(?:^|,)\s*text\/event-stream\s*(?:[,;]|$)/i;

/** Whether the client accepts an event stream as the response. */
export const acceptsEvents = (headers: Signs['headers']): boolean =>
  EVENT_STREAM.test(String(headers['accept'] ?? ''));

/** Whether the address or the headers identify an MCP client, before the body is read. */
export const hasMcpSigns = (signs: Signs): boolean => dialectOfSigns(signs) !== null;

const isMarkedStateless = (message: unknown): boolean =>
  isObject(message) &&
  isObject(message['params']) &&
  isObject(message['params']['_meta']) &&
  Object.hasOwn(message['params']['_meta'], PROTOCOL_VERSION_KEY);

/** Detects the dialect of a request (docs/mcp.md). `body` is undefined if it could not be read. */
export function detectDialect(signs: Signs, body: unknown): DialectName {
  const dialect = dialectOfSigns(signs);
  if (dialect === 'http-sse') return dialect;
  const isStateless = Array.isArray(body) ? body.some(isMarkedStateless) : isMarkedStateless(body);
  return isStateless ? 'stateless' : (dialect ?? 'plain');
}
