import type { FastifyReply, onRequestHookHandler } from 'fastify';
import type { Settings } from '../platform/config/settings.ts';
import { isLoopbackHost } from '../platform/kernel/addresses.ts';
import { GatewayError } from '../platform/kernel/error.ts';

/** Headers that MCP clients in browsers send, and may read of a response. */
const ALLOWED_HEADERS =
  'authorization, x-api-key, content-type, accept, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id, traceparent, tracestate';
const EXPOSED_HEADERS =
  'www-authenticate, x-request-id, retry-after, ratelimit, location, mcp-session-id';
const ALLOWED_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const PREFLIGHT_SECONDS = '600';

const WEB_ORIGIN = /^https?:\/\/(.*)$/i;

const isLoopbackOrigin = (origin: string): boolean =>
  isLoopbackHost(WEB_ORIGIN.exec(origin)?.[1] ?? '');

/**
 * Refuses pages of other than trusted origins, before the API key is checked: a malicious page cannot reach a gateway on
 * its visitor's machine or network (MCP "Security Warning", DNS rebinding). Requests without `Origin` do not come from
 * pages and pass, and so do those to `openPaths`. The framework's CORS plugin would cost each of them 5 % of a cached call.
 */
export function guardOrigins(trusted: readonly string[], openPaths?: RegExp): onRequestHookHandler {
  return (request, reply, done) => {
    const { origin } = request.headers;
    if (origin !== undefined) {
      const isTrusted =
        trusted.includes(origin) ||
        isLoopbackOrigin(origin) ||
        openPaths?.test(request.url.split('?', 1)[0] ?? '');
      if (!isTrusted) return done(new GatewayError('forbidden', UNTRUSTED));
      admit(origin, reply);
    }
    if (request.method === 'OPTIONS') sendPreflight(reply);
    else done();
  };
}

/** Lets the page read the response (Fetch standard, "CORS protocol"). */
const admit = (origin: string, reply: FastifyReply): FastifyReply =>
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED_HEADERS,
    vary: 'Origin',
  });

/** Declares what a page may send. Needs no API key, since browsers send a preflight without one. */
const sendPreflight = (reply: FastifyReply): FastifyReply =>
  reply
    .code(204)
    .headers({
      'access-control-allow-methods': ALLOWED_METHODS,
      'access-control-allow-headers': ALLOWED_HEADERS,
      'access-control-max-age': PREFLIGHT_SECONDS,
    })
    .send();

const UNTRUSTED =
  'Pages of this origin may not call the gateway. Its operator can allow the origin with ALLOWED_ORIGINS.';

/** Addresses whose hosts requests may name. Empty, which accepts every host, unless BASE_URL is set. */
export const ownAddresses = ({ BASE_URL, ADMIN_URL }: Settings): string[] =>
  BASE_URL ? [BASE_URL, ...(ADMIN_URL ? [ADMIN_URL] : [])] : [];

/** Origins of pages that may call the gateway, in addition to the origins of this machine. */
export const trustedOrigins = ({ BASE_URL, ADMIN_URL, ALLOWED_ORIGINS }: Settings): string[] => [
  ...[BASE_URL, ADMIN_URL].flatMap((address) => (address ? [new URL(address).origin] : [])),
  ...ALLOWED_ORIGINS,
];
