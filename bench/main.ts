import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { newApiKeyText } from '../src/platform/kernel/ids.ts';
import { load, type Sample, type Target } from './load.ts';
import { requirePrograms, residentMib, stopServers } from './processes.ts';
import { BARS, printReport, type Rounds } from './report.ts';
import { MARKER, startGateway, startPeer, startProxy, startUpstream, urlOf } from './servers.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    'warm-up': { type: 'string', default: '8' },
    'no-bars': { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});

const PORTS = { nginx: 18_082, gateway: 18_083, sdk: 18_084, bare: 18_085 };

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
  await startUpstream(directory);
  const nginx = await startProxy(directory, PORTS.nginx);
  const sdk = await startPeer('sdk-server.ts', PORTS.sdk);
  const bare = await startPeer('bare-server.ts', PORTS.bare);
  const gateway = await startGateway({ directory, key, port: PORTS.gateway });
  return targetsOf({ nginx, sdk, bare, gateway });
}

/** Everything that is measured, by the process ids of the servers. */
function targetsOf(pids: Readonly<Record<'nginx' | 'sdk' | 'bare' | 'gateway', number>>): Target[] {
  const { nginx, sdk, bare, gateway } = pids;
  const marker = MARKER;
  const mcp = `${urlOf(PORTS.gateway)}/mcp`;
  return [
    { name: 'nginx proxy_pass', kind: 'get', url: urlOf(PORTS.nginx), pid: nginx, marker },
    ...(['miss', 'hit'] as const).map((kind) => ({
      name: `bare Node.js ${kind}`,
      kind,
      url: `${urlOf(PORTS.bare)}/mcp`,
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
      url: `${urlOf(PORTS.sdk)}/mcp`,
      pid: sdk,
      marker: 'row-39',
    },
    {
      name: 'MCP SDK server, stateless',
      kind: 'stateless-miss',
      url: `${urlOf(PORTS.sdk)}/mcp`,
      pid: sdk,
      marker: 'row-39',
    },
  ];
}

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
