import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GatewayError } from '../../platform/kernel/error.ts';
import { lazily } from '../../platform/kernel/lazily.ts';
import { announceClose } from '../errors/announce-close.ts';
import { type DashboardFiles, NONCE_MARK, readDashboard } from './dashboard-files.ts';
import { dashboardHeaders } from './security-headers.ts';
import { IMMUTABLE, REVALIDATED, type StaticFile, sendFile } from './static-file.ts';

/** Addresses of programs, where even a browser gets an error as JSON. */
const PROGRAMS = /^\/(?:\.well-known|admin\/(?:api|assets)|api|mcp|registry|health)(?:[/?]|$)/;

/**
 * Adds the dashboard: its page at `/` for browsers, at `/admin` and below it, and its files. A browser that asks for an
 * unknown address gets the page too, which says so, with status 404; a program gets JSON, as does one that asks for it at an
 * address of the dashboard.
 */
export function installDashboard(app: FastifyInstance, dir: string): void {
  const load = lazily(() => readDashboard(dir));
  const sendPage = async (
    reply: FastifyReply,
    status: 200 | 404,
    otherwise: GatewayError,
  ): Promise<FastifyReply> => {
    const files = await load();
    if (!files) throw otherwise;
    return replyWithPage(reply.code(status), files);
  };
  app.get('/', (request, reply) => {
    if (!isBrowser(request)) throw new GatewayError('not_found');
    return sendPage(reply, 200, NOT_BUILT);
  });
  const showPage = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (PROGRAMS.test(request.url) || asksForJson(request)) throw new GatewayError('not_found');
    return sendPage(reply, 200, NOT_BUILT);
  };
  app.get('/admin', showPage);
  app.get('/admin/*', showPage);
  app.get<{ Params: { file: string } }>('/admin/assets/:file', async (request, reply) =>
    sendFile(known((await load())?.assets.get(request.params.file)), request, reply, IMMUTABLE),
  );
  app.get('/favicon.ico', async (request, reply) =>
    sendFile(known((await load())?.icon), request, reply, REVALIDATED),
  );
  app.setNotFoundHandler((request, reply) => {
    if (!isBrowser(request) || PROGRAMS.test(request.url)) throw new GatewayError('not_found');
    return sendPage(reply, 404, new GatewayError('not_found'));
  });
}

const NOT_BUILT = new GatewayError(
  'unavailable',
  'The dashboard is not built. Run "npm run dashboard:build" where the development dependencies are installed, and start the gateway again.',
);

/** Browsers name this media type when a person opens an address, and for nothing else. */
const isBrowser = ({ method, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && (headers.accept ?? '').includes('text/html');

const asksForJson = (request: FastifyRequest): boolean =>
  (request.headers.accept ?? '').includes('application/json') && !isBrowser(request);

function known(file: StaticFile | undefined): StaticFile {
  if (file) return file;
  throw new GatewayError('not_found');
}

/** Every response has a nonce of its own, so no response may be stored. */
function replyWithPage(reply: FastifyReply, { page }: DashboardFiles): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  announceClose(reply);
  return reply
    .headers(dashboardHeaders(nonce))
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(page.replaceAll(NONCE_MARK, nonce));
}
