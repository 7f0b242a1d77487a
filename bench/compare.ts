import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { newApiKeyText } from '../src/platform/kernel/ids.ts';
import { ratioOf } from './interval.ts';
import { type CallKind, kindsOf, load, type Target } from './load.ts';
import { requirePrograms, stopServers } from './processes.ts';
import { MARKER, settingsOf, startGateway, startPeer, startUpstream, urlOf } from './servers.ts';
import { shuffled } from './shuffled.ts';

/**
 * Compares what a call costs in this checkout with what it costs in another one and with bare Node.js. All of them run
 * at once, and each round loads them in another order, so that what slows the machine down affects all of them.
 */
const { values: options } = parseArgs({
  options: {
    /** The other checkout, with its dependencies installed. */
    before: { type: 'string' },
    /** Settings of this checkout only, such as `TRACE_SAMPLE=1`. With `--before .`, they are all that differs. */
    env: { type: 'string', multiple: true, default: [] },
    kinds: { type: 'string', default: 'hit,miss' },
    rounds: { type: 'string', default: '12' },
    seconds: { type: 'string', default: '2' },
    'warm-up': { type: 'string', default: '8' },
  },
});

const SERVERS = ['now', 'before', 'bare'] as const;
type Server = (typeof SERVERS)[number];

const PORTS: Readonly<Record<Server, number>> = { now: 18_083, before: 18_084, bare: 18_085 };

async function main(): Promise<void> {
  if (options.before === undefined)
    throw new Error('Name the other checkout with --before <directory>.');
  const kinds = kindsOf(options.kinds);
  requirePrograms('nginx', 'wrk', 'taskset');
  const directory = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const key = newApiKeyText();
  try {
    const pids = await startServers({ directory, key, before: resolve(options.before) });
    for (const kind of kinds) printRatios(kind, await measure(targetsOf(kind, pids), key));
  } finally {
    await stopServers();
    rmSync(directory, { recursive: true, force: true });
  }
}

type Pids = Readonly<Record<Server, number>>;

async function startServers({
  directory,
  key,
  before,
}: {
  directory: string;
  key: string;
  before: string;
}): Promise<Pids> {
  await startUpstream(directory);
  const start = (name: 'now' | 'before') => {
    const own = join(directory, name);
    mkdirSync(own);
    return name === 'now'
      ? startGateway({ directory: own, key, port: PORTS.now, env: settingsOf(options.env) })
      : startGateway({ directory: own, key, port: PORTS.before, checkout: before });
  };
  return {
    bare: await startPeer('bare-server.ts', PORTS.bare),
    before: await start('before'),
    now: await start('now'),
  };
}

/** Bare Node.js knows plain calls only, with which the other dialects are compared too. */
const targetsOf = (kind: CallKind, pids: Pids): ReadonlyMap<Server, Target> =>
  new Map(
    SERVERS.map((name) => [
      name,
      {
        name: `${name} ${kind}`,
        kind: name === 'bare' ? (kind.endsWith('hit') ? 'hit' : 'miss') : kind,
        url: `${urlOf(PORTS[name])}/mcp`,
        pid: pids[name],
        marker: MARKER,
      },
    ]),
  );

/** The CPU time of a call in each round, in microseconds. */
type Costs = ReadonlyMap<Server, readonly number[]>;

async function measure(targets: ReadonlyMap<Server, Target>, key: string): Promise<Costs> {
  const costs = new Map<Server, number[]>(SERVERS.map((name) => [name, []]));
  for (const target of targets.values()) await load(target, key, Number(options['warm-up']));
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const [name, target] of shuffled([...targets])) {
      const { cpuPerRequest } = await load(target, key, Number(options.seconds));
      costs.get(name)?.push(cpuPerRequest);
    }
  }
  return costs;
}

function printRatios(kind: CallKind, costs: Costs): void {
  const now = costs.get('now') ?? [];
  for (const name of ['before', 'bare'] as const) {
    const { ratio, low, high } = ratioOf(now, costs.get(name) ?? []);
    const interval = `95 % interval ${low.toFixed(2)} to ${high.toFixed(2)}`;
    console.log(`${kind}, now to ${name}: ${ratio.toFixed(2)} x, ${interval}`);
  }
  const least = SERVERS.map((name) => `${name} ${Math.min(...(costs.get(name) ?? [])).toFixed(1)}`);
  console.log(`${kind}, least CPU in a round, in microseconds: ${least.join(', ')}`);
}

await main();
