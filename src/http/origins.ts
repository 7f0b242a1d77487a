import type { FastifyReply, onRequestHookHandler } from 'fastify';
import type { Settings } from '../platform/config/settings.ts';
import { GatewayError } from '../platform/kernel/error.ts';

/** What MCP clients in browsers send, and may read of an answer. */
const ALLOWED_HEADERS =
  'authorization, x-api-key, content-type, accept, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id';
const EXPOSED_HEADERS = 'www-authenticate, x-request-id, retry-after, ratelimit';
const ALLOWED_METHODS = 'GET, HEAD, POST, DELETE';
const PREFLIGHT_SECONDS = '600';

const LOOPBACK = /^https?:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/**
 * Answers pages of trusted origins only, before a key is looked at: a page that a browser was lured to cannot reach a
 * gateway on its user's machine or network (MCP "Security Warning", DNS rebinding). Requests without `Origin` do not
 * come from pages and pass; the plugin for cross-origin requests would cost each of them 5 % of a cached call.
 */
export function guardOrigins(trusted: readonly string[]): onRequestHookHandler {
  return (request, reply, done) => {
    const { origin } = request.headers;
    if (origin !== undefined) {
      const isTrusted = trusted.includes(origin) || LOOPBACK.test(origin);
      if (!isTrusted) {
        done(foreign());
        return;
      }
      admit(origin, reply);
    }
    if (request.method === 'OPTIONS') answerPreflight(reply);
    else done();
  };
}

/** Lets the page read the answer (Fetch standard, "CORS protocol"). */
function admit(origin: string, reply: FastifyReply): void {
  reply.header('access-control-allow-origin', origin);
  reply.header('access-control-expose-headers', EXPOSED_HEADERS);
  reply.header('vary', 'Origin');
}

/** What a page may send; asked before its key is sent, so that none is needed. */
function answerPreflight(reply: FastifyReply): void {
  reply
    .code(204)
    .header('access-control-allow-methods', ALLOWED_METHODS)
    .header('access-control-allow-headers', ALLOWED_HEADERS)
    .header('access-control-max-age', PREFLIGHT_SECONDS)
    .send();
}

const foreign = (): GatewayError =>
  new GatewayError(
    'forbidden',
    'Pages of this origin may not call the gateway; its operator can allow it with ALLOWED_ORIGINS.',
  );

/** Addresses whose hosts requests may name; none, and so any host, while nobody has said what the gateway is called. */
export const ownAddresses = ({ BASE_URL, ADMIN_URL }: Settings): string[] =>
  BASE_URL ? [BASE_URL, ...(ADMIN_URL ? [ADMIN_URL] : [])] : [];

/** Origins of pages that may call the gateway, beside those of this machine. */
export const trustedOrigins = ({ BASE_URL, ADMIN_URL, ALLOWED_ORIGINS }: Settings): string[] => [
  ...[BASE_URL, ADMIN_URL].flatMap((address) => (address ? [new URL(address).origin] : [])),
  ...ALLOWED_ORIGINS,
];
