import { isObject } from '../../../platform/kernel/plain-json.ts';
import type { RequestFacts } from '../../route.ts';
import { isStateless } from './revisions.ts';

/** The dialects of `POST /mcp`, as audit records name them. */
export type DialectName = 'plain' | 'http-sse' | 'streamable-http' | 'stateless';

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
    return isStateless(version) ? 'stateless' : 'streamable-http';
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

/** `_meta` of the parameters of a message. */
export function metaOf(params: unknown): Record<string, unknown> {
  const meta = isObject(params) ? params['_meta'] : undefined;
  return isObject(meta) ? meta : NO_META;
}

/** One object for all: most calls have none. */
const NO_META: Record<string, unknown> = {};

const isMarkedStateless = (message: unknown): boolean =>
  isObject(message) && Object.hasOwn(metaOf(message['params']), PROTOCOL_VERSION_KEY);

/**
 * Whether a message opens a connection of a client that begins with `initialize`. Some send no other sign of MCP, or the
 * revision that they would like in a header: this message negotiates it.
 */
export function isInitialize(message: unknown): boolean {
  if (!isObject(message) || message['method'] !== 'initialize') return false;
  const { params } = message;
  return isObject(params) && typeof params['protocolVersion'] === 'string';
}

/** Detects the dialect of a request (docs/mcp.md). `body` is undefined if it could not be read. */
export function detectDialect(signs: Signs, body: unknown): DialectName {
  const dialect = dialectOfSigns(signs);
  if (dialect === 'http-sse') return dialect;
  const isMarked = Array.isArray(body) ? body.some(isMarkedStateless) : isMarkedStateless(body);
  if (isMarked) return 'stateless';
  return isInitialize(body) ? 'streamable-http' : (dialect ?? 'plain');
}
