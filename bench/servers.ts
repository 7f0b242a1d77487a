import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { LOAD_CORE, SERVER_CORE, startPinned } from './processes.ts';

const UPSTREAM_PORT = 18_081;

export const urlOf = (port: number): string => `http://127.0.0.1:${port}`;

/** Text in the last row of the upstream's response. */
export const MARKER = '"row-39"';

/** 2 KB of JSON with Korean text, as upstreams send it. */
const UPSTREAM_BODY = JSON.stringify({
  rows: Array.from({ length: 40 }, (_, n) => ({
    id: `row-${n}`,
    name: '서울특별시',
    value: n * 1.5,
  })),
});

/** Starts the upstream of all targets: nginx with one fixed response, on the core of the load generator. */
export const startUpstream = (directory: string): Promise<number> =>
  startNginx({
    directory,
    name: 'upstream',
    core: LOAD_CORE,
    port: UPSTREAM_PORT,
    server: `server { listen ${UPSTREAM_PORT} reuseport; location / { default_type application/json; return 200 '${UPSTREAM_BODY}'; } }`,
  });

/** Starts nginx as a proxy of the upstream. */
export const startProxy = (directory: string, port: number): Promise<number> =>
  startNginx({
    directory,
    name: 'proxy',
    core: SERVER_CORE,
    port,
    server: `upstream u { server 127.0.0.1:${UPSTREAM_PORT}; keepalive 64; keepalive_requests 1000000000; } server { listen ${port}; location / { proxy_pass http://u; proxy_http_version 1.1; proxy_set_header Connection ""; } }`,
  });

interface Nginx {
  readonly directory: string;
  readonly name: string;
  readonly core: string;
  readonly port: number;
  readonly server: string;
}

function startNginx({ directory, name, core, port, server }: Nginx): Promise<number> {
  const file = join(directory, `${name}.conf`);
  const worker = `daemon off; worker_processes 1; pid ${directory}/${name}.pid; error_log stderr crit;`;
  const http = `access_log off; keepalive_requests 1000000000; client_body_temp_path ${directory}/${name}-body; proxy_temp_path ${directory}/${name}-proxy; fastcgi_temp_path ${directory}/${name}-f; uwsgi_temp_path ${directory}/${name}-u; scgi_temp_path ${directory}/${name}-s;`;
  writeFileSync(file, `${worker} events { worker_connections 1024; } http { ${http} ${server} }`);
  return startPinned(core, port, { command: 'nginx', args: ['-c', file] });
}

/** Starts a server of this directory that answers calls with the upstream's response. */
export const startPeer = (file: string, port: number): Promise<number> =>
  startPinned(SERVER_CORE, port, {
    command: process.execPath,
    args: [resolve(import.meta.dirname, file), String(port), urlOf(UPSTREAM_PORT)],
  });

interface GatewayProcess {
  /** Where its presets and its data are. */
  readonly directory: string;
  readonly key: string;
  readonly port: number;
  /** The checkout whose gateway it is. */
  readonly checkout?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the gateway as an operator runs it, with key check, validation, rate limit, cache and durable audit. */
export function startGateway(options: GatewayProcess): Promise<number> {
  const { directory, key, port, checkout = resolve(import.meta.dirname, '..') } = options;
  mkdirSync(join(directory, 'presets/bench'), { recursive: true });
  writeFileSync(join(directory, 'presets/bench/echo.yaml'), preset());
  const env = {
    PORT: String(port),
    DATA_DIR: join(directory, 'data'),
    PRESETS_DIR: join(directory, 'presets'),
    BOOTSTRAP_API_KEY: key,
    RATE_LIMIT_PER_MINUTE: '10000000',
    LOG_LEVEL: 'warn',
    ...options.env,
  };
  const program = { command: process.execPath, args: startArguments(checkout), env };
  return startPinned(SERVER_CORE, port, program);
}

/** The settings of `NAME=value` texts. */
export const settingsOf = (settings: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    settings.map((setting): [string, string] => {
      const [name = '', ...rest] = setting.split('=');
      return [name, rest.join('=')];
    }),
  );

/** The arguments of `npm start`, including its flags. */
function startArguments(checkout: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));
  const [, ...args] = scripts.start.split(' ');
  return args.map((arg: string) => (/\.m?[jt]s$/.test(arg) ? join(checkout, arg) : arg));
}

const preset = (): string => `openapi: 3.1.0
info: { title: Bench, version: "1" }
servers: [{ url: "${urlOf(UPSTREAM_PORT)}" }]
paths:
  /echo:
    get:
      operationId: bench_echo
      summary: Returns 2 KB.
      description: Returns 2 KB of JSON.
      parameters:
        - { name: n, in: query, required: true, description: Any number., schema: { type: integer } }
      responses: { "200": { description: The rows. } }
`;
