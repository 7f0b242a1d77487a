import { isObject } from '../../json-rpc/json-rpc.ts';
import type { RequestFacts } from '../../route.ts';

/** How a client of `POST /mcp` speaks; audit records name it too. */
export type DialectName = 'plain' | 'http-sse' | 'streamable-http' | 'stateless';

/** The first revision whose requests stand alone, without `initialize`. */
export const STATELESS_REVISION = '2026-07-28';

/** Member of `params._meta` by which a request says that it stands alone. */
export const PROTOCOL_VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

type Signs = Pick<RequestFacts, 'headers' | 'query'>;

/**
 * Tells by the address and the headers alone; null where the body may say otherwise. Only what is certain to come
 * from an MCP client counts: plain callers send none of these.
 */
function dialectOfSigns({ headers, query }: Signs): DialectName | null {
  if (query['sessionId'] !== undefined) return 'http-sse';
  const version = headers['mcp-protocol-version'];
  if (typeof version === 'string') {
    // Revisions are dates, which sort as text.
    return version >= STATELESS_REVISION ? 'stateless' : 'streamable-http';
  }
  if (headers['mcp-session-id'] !== undefined) return 'streamable-http';
  return acceptsEvents(headers) ? 'streamable-http' : null;
}

/** A media type of the list, whatever its parameters and in whatever letters. */
const EVENT_STREAM = /(?:^|,)\s*text\/event-stream\s*(?:[,;]|$)/i;

/** Does the client take an event stream for an answer? */
export const acceptsEvents = (headers: Signs['headers']): boolean =>
  EVENT_STREAM.test(String(headers['accept'] ?? ''));

/** Whether the address or the headers are an MCP client's, before the body is read. */
export const hasMcpSigns = (signs: Signs): boolean => dialectOfSigns(signs) !== null;

const claimsStateless = (message: unknown): boolean =>
  isObject(message) &&
  isObject(message['params']) &&
  isObject(message['params']['_meta']) &&
  Object.hasOwn(message['params']['_meta'], PROTOCOL_VERSION_KEY);

/** Which dialect a POST is for (docs/mcp.md). `body` is undefined when it could not be read. */
export function detectDialect(signs: Signs, body: unknown): DialectName {
  const dialect = dialectOfSigns(signs);
  if (dialect === 'http-sse') return dialect;
  const claims = Array.isArray(body) ? body.some(claimsStateless) : claimsStateless(body);
  return claims ? 'stateless' : (dialect ?? 'plain');
}
