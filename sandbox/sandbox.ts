import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { urlHost } from '../src/platform/kernel/addresses.ts';
import { StartupError } from '../src/platform/kernel/error.ts';
import { isObject, type JsonObject } from '../src/platform/kernel/plain-json.ts';
import { type Clock, systemClock } from '../src/platform/kernel/time.ts';
import { PUBLIC_DATA_TOOLS } from '../src/public-data/tool-domain.ts';
import { loadPresets } from '../src/tools/catalog/load-presets.ts';
import type { Tool } from '../src/tools/model.ts';
import { explainSandbox, type RequestLog, respondToControl } from './control.ts';
import type { SandboxFile } from './families.ts';
import { createFaultPlan, parseFault } from './faults.ts';
import { createPracticeApi } from './practice-api.ts';
import { textResponse } from './sandbox-response.ts';
import { routesOf, type SandboxRoute, simulateUpstream } from './simulate-upstream.ts';

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

export type Sandbox = Awaited<ReturnType<typeof createSandbox>>;

/**
 * Starts an HTTP server that answers for the upstream of every tool of every preset, with made-up data in the format of its
 * sample that fit the question, and refuses requests as the upstream does. Throws StartupError for invalid presets or an address that is not available.
 */
export async function createSandbox(options: SandboxOptions) {
  const { clock = systemClock } = options;
  let routes = await readRoutes(options);
  const respond = createResponder(() => routes, clock);
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  const url = await listen(server, options);
  return {
    url,
    /** The base address at which the upstream of this preset is simulated. */
    baseUrlFor: (presetId: string) => `${url}/${presetId}`,
    /** Reads the presets and their samples again. Throws StartupError for invalid presets, and then changes nothing. */
    reload: async (): Promise<void> => {
      routes = await readRoutes(options);
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Routes = Awaited<ReturnType<typeof readRoutes>>;

async function readRoutes({ presetsDir: dir, extraDirs = [], lenient = false }: SandboxOptions) {
  const { presets } = await loadPresets({ dir, extraDirs, domain: PUBLIC_DATA_TOOLS, lenient });
  return new Map(presets.map((preset) => [preset.id, routesOf(preset)]));
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

const MAX_LOGGED_REQUESTS = 100;

/** `/` describes the sandbox, `/_sandbox/` controls it, `/practice/` is an API to register, and `/<preset id>/` simulates the upstream of a preset. */
function createResponder(currentRoutes: () => Routes, clock: Clock) {
  const faults = createFaultPlan();
  const practise = createPracticeApi();
  let log: RequestLog = { total: 0, requests: [] };

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', headers } = request;
    const url = new URL(request.url ?? '/', 'http://sandbox');
    const { pathname, searchParams: query } = url;
    const routes = currentRoutes();
    if (pathname === '/') return send(response, textResponse(explainSandbox([...routes.keys()])));
    const body = method === 'POST' ? await readSmallBody(request) : undefined;
    if (pathname.startsWith('/_sandbox/')) {
      return send(response, respondToControl(`${method} ${pathname}`, body, faults, log));
    }
    if (pathname.startsWith('/practice/')) {
      return send(response, practise({ method, url, authorization: headers.authorization, body }));
    }
    const [, category = '', name = '', ...rest] = pathname.split('/');
    const presetRoutes = routes.get(`${category}/${name}`);
    if (!presetRoutes) return send(response, textResponse('There is no such preset.\n', 404));
    const path = `/${rest.join('/')}`;
    const shown = `/${category}/${name}${withoutPathKeys(path, presetRoutes)}`;
    const logged = { method, path: shown + withoutQueryKeys(query, presetRoutes) };
    const requests = [...log.requests, logged].slice(-MAX_LOGGED_REQUESTS);
    log = { total: log.total + 1, requests };
    const fault = parseFault(String(headers['x-sandbox-fault'] ?? ''));
    const asked = { method, path, query, headers, body, nowMs: clock.now(), fault };
    const simulated = simulateUpstream(presetRoutes, asked, faults);
    // A client that is gone must not keep the process waiting for its response.
    if (simulated.delayMs) await sleep(simulated.delayMs, undefined, { ref: false });
    send(response, simulated.response);
  };
}

const MAX_BYTES = 64 * 1024;

/** The JSON object in a request's body; undefined for anything else, or if it is too large. */
async function readSmallBody(request: IncomingMessage): Promise<JsonObject | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes <= MAX_BYTES) pieces.push(piece);
  }
  try {
    const value: unknown = JSON.parse(bytes > MAX_BYTES ? '' : Buffer.concat(pieces).toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
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
