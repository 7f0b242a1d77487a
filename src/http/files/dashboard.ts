import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { withCopies } from '../../platform/kernel/coded-bytes.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { lazily } from '../../platform/kernel/memo.ts';
import { announceClose } from '../errors/format-refusal.ts';
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
  const sendPage = async (reply: FastifyReply, otherwise: GatewayError): Promise<FastifyReply> => {
    const files = await load();
    if (!files) throw otherwise;
    return replyWithPage(reply, files);
  };
  app.get('/', (request, reply) => {
    if (!isBrowser(request)) throw new GatewayError('not_found');
    return sendPage(reply, NOT_BUILT);
  });
  const showPage = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (PROGRAMS.test(request.url) || asksForJson(request)) throw new GatewayError('not_found');
    return sendPage(reply, NOT_BUILT);
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
    return sendPage(reply.code(404), new GatewayError('not_found'));
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
    .headers(dashboardHeaders(nonce, reply.request.url))
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(page.replaceAll(NONCE_MARK, nonce));
}

/** The built dashboard. */
interface DashboardFiles {
  /** `index.html`, with `NONCE_MARK` wherever the nonce of a response belongs. */
  readonly page: string;
  /** By name below `assets/`; a name contains the hash of its content. */
  readonly assets: ReadonlyMap<string, StaticFile>;
  /** The one of `assets` that the page names as its icon. */
  readonly icon: StaticFile | undefined;
}

/** Where the build leaves room for the nonce. */
const NONCE_MARK = '__NONCE__';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Reads what the build made, with the compressed copies beside each file. Undefined if nothing is built. */
async function readDashboard(dir: string): Promise<DashboardFiles | undefined> {
  const page = await readFile(join(dir, 'index.html'), 'utf8').catch(() => undefined);
  if (page === undefined) return undefined;
  const assets = join(dir, 'assets');
  const names = (await readdir(assets)).filter((name) => extname(name) in CONTENT_TYPES);
  const files = names.map(async (name) => [name, await readAsset(join(assets, name))] as const);
  const read = new Map(await Promise.all(files));
  return { page, assets: read, icon: read.get(ICON.exec(page)?.[1] ?? '') };
}

const ICON = /<link rel="icon"[^>]*assets\/([^"]+)"/;

async function readAsset(path: string): Promise<StaticFile> {
  const [bytes, br, gzip] = await Promise.all([
    readFile(path),
    readFile(`${path}.br`).catch(() => undefined),
    readFile(`${path}.gz`).catch(() => undefined),
  ]);
  return {
    contentType: CONTENT_TYPES[extname(path)] ?? '',
    codings: withCopies(bytes, { br, gzip }),
  };
}
