import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Closeable } from '../platform/kernel/closeable.ts';
import { StartupError } from '../platform/kernel/startup-error.ts';
import { urlHost } from '../platform/kernel/url-host.ts';
import { loadPresets } from '../tools/catalog/load-presets.ts';
import type { Tool } from '../tools/model.ts';
import { answerControl, createRequestLog } from './control-room.ts';
import { explainSandbox } from './explain-sandbox.ts';
import { parseFault } from './fault.ts';
import { createFaultPlan } from './fault-plan.ts';
import { imitateUpstream } from './imitate-upstream.ts';
import { type SandboxResponse, textResponse } from './sandbox-response.ts';
import { routesOf, type SandboxRoute } from './sandbox-route.ts';

export interface SandboxOptions {
  /** Directory of preset definition files; those shipped when unsaid. */
  readonly presetsDir?: string;
  /** Leave faulty definition files out instead of refusing to start. */
  readonly lenient?: boolean;
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Delay of every answer, in milliseconds. */
  readonly delayMs?: number;
}

/** A local stand-in for every upstream that the presets describe. */
export interface Sandbox extends Closeable {
  readonly url: string;
  /** The base address at which this preset's upstream is imitated. */
  baseUrlFor(presetId: string): string;
}

const SHIPPED_PRESETS = fileURLToPath(new URL('../../presets', import.meta.url));

/**
 * Starts an HTTP server that answers for every tool of every preset with its sample, in the upstream's own format
 * and with its own ways of refusing. Throws StartupError for faulty presets or an address that cannot be had.
 */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { presetsDir: dir = SHIPPED_PRESETS, lenient = false, delayMs = 0 } = options;
  const { presets } = await loadPresets({ dir, lenient });
  const routes = new Map(presets.map((preset) => [preset.id, routesOf(preset)]));
  const answer = createAnswerer(routes, delayMs);
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  const url = await listen(server, options);
  return {
    url,
    baseUrlFor: (presetId) => `${url}/${presetId}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function listen(server: Server, { host, port }: SandboxOptions): Promise<string> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (cause) {
    throw new StartupError(`The sandbox cannot listen on ${host}:${port}.`, { cause });
  }
  const address = server.address();
  const taken = typeof address === 'object' && address ? address.port : port;
  return `http://${urlHost(host)}:${taken}`;
}

/** Everything below `/<preset id>/` is that preset's upstream; `/` explains and `/_sandbox/` steers. */
function createAnswerer(routes: ReadonlyMap<string, readonly SandboxRoute[]>, delayMs: number) {
  const faults = createFaultPlan();
  const log = createRequestLog();

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sandbox');
    if (pathname === '/') return send(response, textResponse(explainSandbox([...routes.keys()])));
    if (pathname.startsWith('/_sandbox/')) {
      return send(response, await answerControl(request, pathname, faults, log));
    }
    const [, category = '', name = '', ...rest] = pathname.split('/');
    const presetRoutes = routes.get(`${category}/${name}`);
    if (!presetRoutes) return send(response, textResponse('There is no such preset.\n', 404));
    const method = request.method ?? 'GET';
    const path = `/${rest.join('/')}`;
    const shown = `/${category}/${name}${withoutPathKeys(path, presetRoutes)}`;
    log.add({ method, path: shown + withoutQueryKeys(searchParams, presetRoutes) });
    const fault = parseFault(String(request.headers['x-sandbox-fault'] ?? ''));
    const imitated = imitateUpstream(
      presetRoutes,
      { method, path, query: searchParams, headers: request.headers, fault },
      faults,
    );
    const waitMs = delayMs + imitated.delayMs;
    if (waitMs > 0) await sleep(waitMs);
    send(response, imitated.answer);
  };
}

function withoutQueryKeys(searchParams: URLSearchParams, routes: readonly SandboxRoute[]): string {
  const query = new URLSearchParams(searchParams);
  for (const name of routes.flatMap(({ tool }) => keyNames(tool))) query.delete(name);
  return query.size > 0 ? `?${query}` : '';
}

/** Some upstreams want the key as a segment of the path. */
function withoutPathKeys(path: string, routes: readonly SandboxRoute[]): string {
  const keys = routes.flatMap(({ tool, pattern, pathNames }) => {
    const values = pattern.exec(path)?.slice(1) ?? [];
    return keyNames(tool).map((name) => values[pathNames.indexOf(name)]);
  });
  return path
    .split('/')
    .map((segment) => (keys.includes(segment) ? 'REDACTED' : segment))
    .join('/');
}

const keyNames = (tool: Tool): string[] =>
  tool.parameters.flatMap(({ name, source }) => (source.kind === 'secret' ? [name] : []));

function send(response: ServerResponse, answer: SandboxResponse): void {
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, {
    'content-type': answer.contentType,
    'content-length': body.length,
  });
  response.end(body);
}
