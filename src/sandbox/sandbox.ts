import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, systemClock } from '../platform/kernel/clock.ts';
import type { Closeable } from '../platform/kernel/closeable.ts';
import { StartupError } from '../platform/kernel/startup-error.ts';
import { urlHost } from '../platform/kernel/url-host.ts';
import { PUBLIC_DATA_TOOLS } from '../public-data/tool-domain.ts';
import { loadPresets } from '../tools/catalog/load-presets.ts';
import type { Tool } from '../tools/model.ts';
import { respondToControl } from './control-endpoints.ts';
import { explainSandbox } from './explain-sandbox.ts';
import { parseFault } from './fault.ts';
import { createFaultPlan } from './fault-plan.ts';
import { createPracticeApi } from './practice/practice-api.ts';
import { readSmallBody } from './read-small-body.ts';
import { createRequestLog } from './request-log.ts';
import { type SandboxFile, textResponse } from './sandbox-response.ts';
import { routesOf, type SandboxRoute } from './sandbox-route.ts';
import { simulateUpstream } from './simulate-upstream.ts';

export interface SandboxOptions {
  /** Directory of preset definition files. */
  readonly presetsDir: string;
  /** Directories of further presets. */
  readonly extraDirs?: readonly string[];
  /** Skip invalid definition files instead of refusing to start. */
  readonly lenient?: boolean;
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** What the upstreams take for the present. */
  readonly clock?: Clock;
}

/** Simulates every upstream that the presets describe. */
export interface Sandbox extends Closeable {
  readonly url: string;
  /** The base address at which the upstream of this preset is simulated. */
  baseUrlFor(presetId: string): string;
  /** Reads the presets and their samples again. Throws StartupError for invalid presets, and then changes nothing. */
  reload(): Promise<void>;
}

/**
 * Starts an HTTP server that answers for the upstream of every tool of every preset, with made-up data in the format of its
 * sample that fit the question, and refuses requests as the upstream does. Throws StartupError for invalid presets or an address that is not available.
 */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { clock = systemClock } = options;
  let routes = await readRoutes(options);
  const respond = createResponder(() => routes, clock);
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  const url = await listen(server, options);
  return {
    url,
    baseUrlFor: (presetId) => `${url}/${presetId}`,
    reload: async () => {
      routes = await readRoutes(options);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Routes = ReadonlyMap<string, readonly SandboxRoute[]>;

async function readRoutes({ presetsDir: dir, extraDirs = [], lenient = false }: SandboxOptions) {
  const { presets } = await loadPresets({ dir, extraDirs, domain: PUBLIC_DATA_TOOLS, lenient });
  return new Map(presets.map((preset) => [preset.id, routesOf(preset)])) satisfies Routes;
}

async function listen(server: Server, { host, port }: SandboxOptions): Promise<string> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (cause) {
    throw new StartupError(`The sandbox cannot listen on ${host}:${port}.`, { cause });
  }
  const address = server.address();
  const boundPort = typeof address === 'object' && address ? address.port : port;
  return `http://${urlHost(host)}:${boundPort}`;
}

/** `/` describes the sandbox, `/_sandbox/` controls it, `/practice/` is an API to register, and `/<preset id>/` simulates the upstream of a preset. */
function createResponder(currentRoutes: () => Routes, clock: Clock) {
  const faults = createFaultPlan();
  const log = createRequestLog();
  const practise = createPracticeApi();

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://sandbox');
    const { pathname, searchParams } = url;
    const routes = currentRoutes();
    if (pathname === '/') return send(response, textResponse(explainSandbox([...routes.keys()])));
    if (pathname.startsWith('/_sandbox/')) {
      return send(response, await respondToControl(request, pathname, faults, log));
    }
    if (pathname.startsWith('/practice/')) return send(response, await practise(request, url));
    const [, category = '', name = '', ...rest] = pathname.split('/');
    const presetRoutes = routes.get(`${category}/${name}`);
    if (!presetRoutes) return send(response, textResponse('There is no such preset.\n', 404));
    const method = request.method ?? 'GET';
    const path = `/${rest.join('/')}`;
    const shown = `/${category}/${name}${withoutPathKeys(path, presetRoutes)}`;
    log.add({ method, path: shown + withoutQueryKeys(searchParams, presetRoutes) });
    const fault = parseFault(String(request.headers['x-sandbox-fault'] ?? ''));
    const body = method === 'POST' ? await readSmallBody(request) : undefined;
    const asked = { method, path, query: searchParams, headers: request.headers, body, fault };
    const simulated = simulateUpstream(presetRoutes, { ...asked, nowMs: clock.now() }, faults);
    if (simulated.delayMs > 0) await sleep(simulated.delayMs);
    send(response, simulated.response);
  };
}

function withoutQueryKeys(searchParams: URLSearchParams, routes: readonly SandboxRoute[]): string {
  const query = new URLSearchParams(searchParams);
  for (const name of routes.flatMap(({ tool }) => keyNames(tool))) query.delete(name);
  return query.size > 0 ? `?${query}` : '';
}

/** Some upstreams expect the key as a path segment. */
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

function send(response: ServerResponse, { status, contentType, body }: SandboxFile): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { 'content-type': contentType, 'content-length': bytes.length });
  response.end(bytes);
}
