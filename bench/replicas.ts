import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { newApiKeyText } from '../src/platform/kernel/ids.ts';
import { cleanedUp } from '../test/support/stop-signals.ts';
import { type CallTimes, makeCalls } from './call-load.ts';
import { type Ratio, ratioOf } from './interval.ts';
import { CONNECTIONS, load, nextArguments, type Target } from './load.ts';
import { cpuMicros, pinToLoadCore, requirePrograms, stopServers } from './processes.ts';
import { quantile } from './quantile.ts';
import { MARKER, startGateway, startUpstream, urlOf } from './servers.ts';
import { makeSharedPlace, type SharedPlace } from './shared-place.ts';
import { shuffled } from './shuffled.ts';

/**
 * What PostgreSQL, Redis and a second replica cost a call. One replica, two, and a gateway with the embedded database run at
 * once, and each round loads them in another order: with as many calls as a fixed number of connections can send, and with the
 * same number of calls per second for each gateway. The bars of CPU are for the same number, because a gateway that waits for
 * its servers between the calls of few connections wakes up more often for as many calls. Needs PostgreSQL and
 * Redis: `node scripts/with-servers.ts npm run bench:replicas`. Fails if a bar is missed.
 */
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '2' },
    /** Calls of each kind that every gateway serves first: V8 optimises the code of a miss during some 50,000. */
    'warm-up-calls': { type: 'string', default: '50000' },
    /** Prints the bars, but does not fail. */
    'no-bars': { type: 'boolean', default: false },
  },
});
const [rounds, seconds, warmUpCalls] = [
  options.rounds,
  options.seconds,
  options['warm-up-calls'],
].map(Number) as [number, number, number];
if (![rounds - 1, seconds, warmUpCalls].every((each) => Number.isInteger(each) && each > 0))
  throw new Error('At least 2 rounds, of whole seconds, are needed.');

/** The CPU of a call of each kind with PostgreSQL and Redis, as a multiple of that with the embedded database. */
const MAX_CPU = { hit: 1.25, miss: 1.35 } as const;
/** The CPU of a call of two replicas, as a multiple of that of one. */
const MAX_CPU_OF_TWO = 1.15;
/** The 99th percentile with PostgreSQL and Redis: less than this, or at most this multiple of that of the embedded database. */
const P99_MS = 5;
const MAX_P99 = 1.5;
/**
 * The rate at which latency is measured, as a part of the calls per second that the gateway can make; and that of equal calls,
 * as a part of those that each of the slowest gateways can make.
 */
const PART_OF_HIGHEST = 0.5;
/** Records reach PostgreSQL within a fraction of a second after the last call. */
const SHIPPED_WITHIN_MS = 20_000;

const KINDS = ['hit', 'miss'] as const;
type Kind = (typeof KINDS)[number];

const GROUPS = {
  embedded: { title: 'embedded', ports: [18_084] },
  one: { title: 'PostgreSQL and Redis', ports: [18_083] },
  two: { title: 'two replicas', ports: [18_087, 18_088] },
} as const;
type GroupName = keyof typeof GROUPS;

/** Gateways that share the load evenly. */
interface Group {
  readonly name: GroupName;
  readonly gateways: readonly { readonly pid: number; readonly url: string }[];
  readonly place: SharedPlace | undefined;
}

/** The figures of each group and kind of call, one for each round. */
class Figures {
  readonly #rounds = new Map<string, number[]>();

  add(group: GroupName, kind: Kind, value: number): void {
    const key = `${group} ${kind}`;
    this.#rounds.set(key, [...this.of(group, kind), value]);
  }

  of(group: GroupName, kind: Kind): readonly number[] {
    return this.#rounds.get(`${group} ${kind}`) ?? [];
  }

  median(group: GroupName, kind: Kind): number {
    return quantile(this.of(group, kind), 0.5);
  }

  /** Other loads on the machine disturbed this round least. */
  least(group: GroupName, kind: Kind): number {
    return Math.min(...this.of(group, kind));
  }

  ratio(kind: Kind, of: GroupName, to: GroupName): Ratio {
    return ratioOf(this.of(of, kind), this.of(to, kind));
  }
}

/** CPU in microseconds, latencies in milliseconds. */
const figures = {
  cpuPerCall: new Figures(),
  cpuAtEqualRate: new Figures(),
  perSecond: new Figures(),
  p50: new Figures(),
  p99: new Figures(),
  late: new Figures(),
};

const key = newApiKeyText();
const places: SharedPlace[] = [];

async function main(): Promise<void> {
  requirePrograms('nginx', 'wrk', 'taskset');
  pinToLoadCore();
  const directory = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  await cleanedUp(
    async () => {
      await measure(await startGroups(directory));
      if (!report() && !options['no-bars']) process.exitCode = 1;
    },
    async () => {
      await stopServers();
      for (const place of places) await place.remove();
      rmSync(directory, { recursive: true, force: true });
    },
  );
}

async function startGroups(directory: string): Promise<Group[]> {
  await startUpstream(directory);
  const groups: Group[] = [];
  for (const name of ['embedded', 'one', 'two'] as const) {
    const place = name === 'embedded' ? undefined : await makeSharedPlace();
    if (place) places.push(place);
    const gateways: Group['gateways'][number][] = [];
    for (const port of GROUPS[name].ports) {
      const own = join(directory, String(port));
      mkdirSync(own);
      // Empty ones hide those of this process.
      const env = place?.env ?? { DATABASE_URL: '', REDIS_URL: '' };
      gateways.push({
        pid: await startGateway({ directory: own, key, port, env }),
        url: urlOf(port),
      });
    }
    groups.push({ name, gateways, place });
  }
  return groups;
}

async function measure(groups: readonly Group[]): Promise<void> {
  for (const kind of KINDS) for (const group of groups) await warmUp(group, kind);
  for (let round = 0; round < rounds; round++) {
    for (const kind of KINDS) for (const group of shuffled(groups)) await loadFully(group, kind);
  }
  for (let round = 0; round < rounds; round++) {
    for (const kind of KINDS) for (const group of shuffled(groups)) await loadEqually(group, kind);
  }
  const single = groups.filter(({ name }) => name !== 'two');
  for (let round = 0; round < rounds; round++) {
    for (const kind of KINDS) for (const group of shuffled(single)) await loadByHalf(group, kind);
  }
}

/** By itself, since each of two replicas has half of the calls. */
async function warmUp(group: Group, kind: Kind): Promise<void> {
  for (const target of targetsOf(group, kind)) {
    for (let calls = 0; calls < warmUpCalls; ) {
      calls += (await load(target, key, seconds)).requests;
      await untilShipped(group);
      await group.place?.clearCache();
    }
  }
}

const targetsOf = ({ name, gateways }: Group, kind: Kind): Target[] =>
  gateways.map(({ pid, url }) => ({ name, kind, marker: MARKER, pid, url: `${url}/mcp` }));

/** As many calls as a fixed number of connections can send, divided among the gateways. */
async function loadFully(group: Group, kind: Kind): Promise<void> {
  const { name, gateways, place } = group;
  const cpuBefore = cpuOf(group);
  const samples = await Promise.all(
    targetsOf(group, kind).map((target) =>
      load(target, key, seconds, CONNECTIONS / gateways.length),
    ),
  );
  await untilShipped(group);
  const cpu = cpuOf(group) - cpuBefore;
  const calls = samples.reduce((sum, { requests }) => sum + requests, 0);
  const perSecond = samples.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0);
  figures.cpuPerCall.add(name, kind, cpu / calls);
  figures.perSecond.add(name, kind, perSecond);
  await place?.clearCache();
}

const cpuOf = ({ gateways }: Group): number =>
  gateways.reduce((sum, { pid }) => sum + cpuMicros(pid), 0);

/** The same number of calls per second for each gateway of each group. */
async function loadEqually(group: Group, kind: Kind): Promise<void> {
  const { name, gateways, place } = group;
  const cpuBefore = cpuOf(group);
  const loads = gateways.map(({ url }) => callAtRate(url, kind, equalRate(kind)));
  const sent = (await Promise.all(loads)).reduce((sum, load) => sum + load.sent, 0);
  await untilShipped(group);
  figures.cpuAtEqualRate.add(name, kind, (cpuOf(group) - cpuBefore) / sent);
  await place?.clearCache();
}

function equalRate(kind: Kind): number {
  const highest = (['embedded', 'one', 'two'] as const).map(
    (name) => figures.perSecond.median(name, kind) / GROUPS[name].ports.length,
  );
  return Math.min(...highest) * PART_OF_HIGHEST;
}

async function loadByHalf(group: Group, kind: Kind): Promise<void> {
  const { name, gateways, place } = group;
  const rate = figures.perSecond.median(name, kind) * PART_OF_HIGHEST;
  const { took, late } = await callAtRate(gateways[0]?.url ?? '', kind, rate);
  await untilShipped(group);
  await place?.clearCache();
  figures.p50.add(name, kind, quantile(took, 0.5));
  figures.p99.add(name, kind, quantile(took, 0.99));
  figures.late.add(name, kind, quantile(late, 0.99));
}

/** Calls at a fixed rate, whether or not earlier ones have returned: a slow response delays no later call. */
const callAtRate = (url: string, kind: Kind, rate: number): Promise<CallTimes> =>
  makeCalls({
    url,
    key,
    seconds,
    connections: CONNECTIONS,
    rate,
    tool: 'bench_echo',
    args: { n: 1 },
    ...(kind === 'miss' ? { firstNumber: nextArguments() } : {}),
    marker: MARKER,
  });

/** Waits until PostgreSQL has every record, which is part of what a call costs. */
async function untilShipped({ gateways }: Group): Promise<void> {
  const endMs = performance.now() + SHIPPED_WITHIN_MS;
  for (const { url } of gateways) {
    while ((await recordsWaiting(url)) > 0) {
      if (performance.now() > endMs) throw new Error('The records do not reach PostgreSQL.');
      await sleep(50);
    }
  }
}

async function recordsWaiting(url: string): Promise<number> {
  const response = await fetch(`${url}/health/detailed`, { headers: { 'x-api-key': key } });
  const { audit } = (await response.json()) as { audit: { outbox: number } };
  return audit.outbox;
}

/** Prints the figures and the bars. Returns whether all bars are met. */
function report(): boolean {
  const row = (name: GroupName, kind: Kind) => {
    const shown = (of: Figures, digits: number) => Number(of.median(name, kind).toFixed(digits));
    return {
      gateway: GROUPS[name].title,
      call: kind,
      'CPU µs': shown(figures.cpuPerCall, 1),
      'least CPU µs': Number(figures.cpuPerCall.least(name, kind).toFixed(1)),
      'calls/s': shown(figures.perSecond, 0),
      'CPU µs at equal rate': shown(figures.cpuAtEqualRate, 1),
      ...(name === 'two'
        ? {}
        : {
            'p50 ms at half': shown(figures.p50, 2),
            'p99 ms at half': shown(figures.p99, 2),
            'client late p99 ms': shown(figures.late, 2),
          }),
    };
  };
  console.log(`Medians of ${rounds} rounds of ${seconds} s`);
  console.table(
    KINDS.flatMap((kind) => [row('embedded', kind), row('one', kind), row('two', kind)]),
  );
  for (const kind of KINDS) {
    const [servers, second] = [
      figures.cpuPerCall.ratio(kind, 'one', 'embedded'),
      figures.cpuPerCall.ratio(kind, 'two', 'one'),
    ].map(textOf);
    console.log(
      `CPU of a ${kind} with ${CONNECTIONS} connections: PostgreSQL and Redis ${servers}, two replicas that share them ${second}`,
    );
    console.log(`Calls per second at equal rate, each a ${kind}: ${equalRate(kind).toFixed(0)}`);
  }
  return KINDS.flatMap((kind) => [...printCpuBars(kind), printLatencyBar(kind)]).every(Boolean);
}

function printCpuBars(kind: Kind): boolean[] {
  const { cpuAtEqualRate } = figures;
  const servers = cpuAtEqualRate.ratio(kind, 'one', 'embedded');
  const second = cpuAtEqualRate.ratio(kind, 'two', 'one');
  return [
    printBar(
      servers.ratio <= MAX_CPU[kind],
      `a ${kind} with PostgreSQL and Redis costs at most ${MAX_CPU[kind]} x the CPU of the embedded database: ${textOf(servers)}`,
    ),
    printBar(
      second.ratio <= MAX_CPU_OF_TWO,
      `a ${kind} of two replicas costs at most ${MAX_CPU_OF_TWO} x the CPU of one: ${textOf(second)}`,
    ),
  ];
}

function printLatencyBar(kind: Kind): boolean {
  const ratio = figures.p99.ratio(kind, 'one', 'embedded');
  const p99 = figures.p99.median('one', kind);
  const goal = `99 % of ${kind === 'hit' ? 'hits' : 'misses'} take less than ${P99_MS} ms with PostgreSQL and Redis, or at most ${MAX_P99} x`;
  return printBar(
    p99 < P99_MS || ratio.ratio <= MAX_P99,
    `${goal}: ${p99.toFixed(2)} ms, ${textOf(ratio)}`,
  );
}

function printBar(isMet: boolean, text: string): boolean {
  console.log(`${isMet ? 'met   ' : 'MISSED'} ${text}`);
  return isMet;
}

const textOf = ({ ratio, low, high }: Ratio): string =>
  `${ratio.toFixed(2)} x [${low.toFixed(2)}, ${high.toFixed(2)}]`;

await main();
