import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { newApiKeyText } from '../src/platform/kernel/ids.ts';
import { load, type Sample, type Target } from './load.ts';
import {
  LOAD_CORE,
  requirePrograms,
  residentMib,
  SERVER_CORE,
  startPinned,
  stopServers,
} from './processes.ts';
import { BARS, printReport, type Rounds } from './report.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    'warm-up': { type: 'string', default: '8' },
    'no-bars': { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});

const PORTS = { upstream: 18_081, nginx: 18_082, gateway: 18_083, sdk: 18_084, bare: 18_085 };
const at = (port: number): string => `http://127.0.0.1:${port}`;
const MARKER = '"row-39"';

/** 2 KB of JSON with Korean text, as upstreams send it. */
const UPSTREAM_BODY = JSON.stringify({
  rows: Array.from({ length: 40 }, (_, n) => ({
    id: `row-${n}`,
    name: '서울특별시',
    value: n * 1.5,
  })),
});

const nginxConfig = (directory: string, name: string, server: string): string => {
  const file = join(directory, `${name}.conf`);
  const worker = `daemon off; worker_processes 1; pid ${directory}/${name}.pid; error_log stderr crit;`;
  const http = `access_log off; keepalive_requests 1000000000; client_body_temp_path ${directory}/${name}-body; proxy_temp_path ${directory}/${name}-proxy; fastcgi_temp_path ${directory}/${name}-f; uwsgi_temp_path ${directory}/${name}-u; scgi_temp_path ${directory}/${name}-s;`;
  writeFileSync(file, `${worker} events { worker_connections 1024; } http { ${http} ${server} }`);
  return file;
};

async function main(): Promise<void> {
  requirePrograms('nginx', 'wrk', 'taskset');
  const directory = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const key = newApiKeyText();
  try {
    const targets = await startServers(directory, key);
    const chosen = options.only
      ? targets.filter(({ name }) => name.includes(String(options.only)))
      : targets;
    const started = new Map(chosen.map(({ name, pid }) => [name, residentMib(pid)]));
    const rounds = await measure(chosen, key);
    const failed = printReport(rounds, started, options['no-bars'] || options.only ? [] : BARS);
    process.exitCode = failed ? 1 : 0;
  } finally {
    await stopServers();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function startServers(directory: string, key: string): Promise<Target[]> {
  const upstream = nginxConfig(
    directory,
    'upstream',
    `server { listen ${PORTS.upstream} reuseport; location / { default_type application/json; return 200 '${UPSTREAM_BODY}'; } }`,
  );
  await startPinned(LOAD_CORE, PORTS.upstream, { command: 'nginx', args: ['-c', upstream] });
  const proxy = nginxConfig(
    directory,
    'proxy',
    `upstream u { server 127.0.0.1:${PORTS.upstream}; keepalive 64; keepalive_requests 1000000000; } server { listen ${PORTS.nginx}; location / { proxy_pass http://u; proxy_http_version 1.1; proxy_set_header Connection ""; } }`,
  );
  const nginx = await startPinned(SERVER_CORE, PORTS.nginx, {
    command: 'nginx',
    args: ['-c', proxy],
  });
  const startPeer = (file: string, port: number) =>
    startPinned(SERVER_CORE, port, {
      command: process.execPath,
      args: [resolve(import.meta.dirname, file), String(port), at(PORTS.upstream)],
    });
  const sdk = await startPeer('sdk-server.ts', PORTS.sdk);
  const bare = await startPeer('bare-server.ts', PORTS.bare);
  const gateway = await startGateway(directory, key);
  return targetsOf({ nginx, sdk, bare, gateway });
}

/** Everything that is measured, by the process ids of the servers. */
function targetsOf(pids: Readonly<Record<'nginx' | 'sdk' | 'bare' | 'gateway', number>>): Target[] {
  const { nginx, sdk, bare, gateway } = pids;
  const marker = MARKER;
  const mcp = `${at(PORTS.gateway)}/mcp`;
  return [
    { name: 'nginx proxy_pass', kind: 'get', url: at(PORTS.nginx), pid: nginx, marker },
    ...(['miss', 'hit'] as const).map((kind) => ({
      name: `bare Node.js ${kind}`,
      kind,
      url: `${at(PORTS.bare)}/mcp`,
      pid: bare,
      marker,
    })),
    { name: 'gateway miss', kind: 'miss', url: mcp, pid: gateway, marker },
    { name: 'gateway hit', kind: 'hit', url: mcp, pid: gateway, marker },
    ...(['miss', 'hit'] as const).flatMap((outcome) =>
      (['streamable', 'stateless'] as const).map((dialect) => ({
        name: `${dialect} ${outcome}`,
        kind: `${dialect}-${outcome}` as const,
        url: mcp,
        pid: gateway,
        marker,
      })),
    ),
    { name: 'gateway tools/list', kind: 'list', url: mcp, pid: gateway, marker: 'bench_echo' },
    // The SDK sends the JSON of the upstream as an escaped string.
    {
      name: 'MCP SDK server',
      kind: 'sdk',
      url: `${at(PORTS.sdk)}/mcp`,
      pid: sdk,
      marker: 'row-39',
    },
    {
      name: 'MCP SDK server, stateless',
      kind: 'stateless-miss',
      url: `${at(PORTS.sdk)}/mcp`,
      pid: sdk,
      marker: 'row-39',
    },
  ];
}

/** Starts the gateway as an operator runs it, with key check, validation, rate limit, cache and durable audit. */
async function startGateway(directory: string, key: string): Promise<number> {
  mkdirSync(join(directory, 'presets/bench'), { recursive: true });
  writeFileSync(join(directory, 'presets/bench/echo.yaml'), preset());
  const env = {
    PORT: String(PORTS.gateway),
    DATA_DIR: join(directory, 'data'),
    PRESETS_DIR: join(directory, 'presets'),
    BOOTSTRAP_API_KEY: key,
    RATE_LIMIT_PER_MINUTE: '10000000',
    LOG_LEVEL: 'warn',
  };
  const program = { command: process.execPath, args: startArguments(), env };
  return startPinned(SERVER_CORE, PORTS.gateway, program);
}

/** The arguments of `npm start`, including its flags. */
function startArguments(): string[] {
  const root = resolve(import.meta.dirname, '..');
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [, ...args] = scripts.start.split(' ');
  return args.map((arg: string) => (/\.m?[jt]s$/.test(arg) ? join(root, arg) : arg));
}

const preset = (): string => `openapi: 3.1.0
info: { title: Bench, version: "1" }
servers: [{ url: "${at(PORTS.upstream)}" }]
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

/** Rounds interleave the targets, so that noise on the machine affects all of them. */
async function measure(targets: readonly Target[], key: string): Promise<Rounds> {
  const samples = new Map<string, Sample[]>(targets.map(({ name }) => [name, []]));
  // V8 optimises the code of a call during the first 50,000 calls or so, which cost up to twice the CPU.
  for (const target of targets) await load(target, key, Number(options['warm-up']));
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const target of targets) {
      samples.get(target.name)?.push(await load(target, key, Number(options.seconds)));
      await sleep(100);
    }
  }
  return samples;
}

await main();
