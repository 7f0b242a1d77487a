import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import { GatewayError } from '../kernel/error.ts';

/** Headers that MCP clients in browsers send. */
const ALLOWED_HEADERS = [
  'authorization',
  'x-api-key',
  'content-type',
  'accept',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
  'last-event-id',
];

const EXPOSED_HEADERS = ['www-authenticate', 'x-request-id', 'retry-after', 'ratelimit'];

const LOOPBACK = /^https?:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/**
 * Answers pages of trusted origins only, before a key is looked at: a page that a browser was lured to cannot reach a
 * gateway on its user's machine or network (MCP "Security Warning", DNS rebinding). Requests without `Origin` do not
 * come from pages and pass.
 */
export async function guardOrigins(
  app: FastifyInstance,
  trusted: readonly string[],
): Promise<void> {
  const isTrusted = (origin: string): boolean => trusted.includes(origin) || LOOPBACK.test(origin);
  app.addHook('onRequest', (request, _reply, done) => {
    const { origin } = request.headers;
    done(origin === undefined || isTrusted(origin) ? undefined : foreign());
  });
  await app.register(cors, {
    // Those that are not trusted have been refused already.
    origin: true,
    strictPreflight: false,
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    allowedHeaders: ALLOWED_HEADERS,
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 600,
  });
}

const foreign = (): GatewayError =>
  new GatewayError(
    'forbidden',
    'Pages of this origin may not call the gateway; its operator can allow it with ALLOWED_ORIGINS.',
  );
