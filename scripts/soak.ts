import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createCallLedger } from '../test/support/call-ledger.ts';
import { type ChaosArena, openChaosArena } from '../test/support/chaos-arena.ts';
import type { RunningGateway } from '../test/support/gateway-process.ts';
import { type SoakLoad, startSoakLoad } from '../test/support/soak-load.ts';
import { INSPECTED, type MemoryWatch, watchMemory } from '../test/support/soak-memory.ts';
import { answerAsInLife } from '../test/support/soak-upstream.ts';
import { cleanedUp } from '../test/support/stop-signals.ts';

/** Lets two replicas do everything at once for a long time, and checks that their memory does not grow and nothing is lost. */
const USAGE = `Usage: npm run soak -- [--minutes 30] [--rate 100] [--as-is]
  --minutes   how long; parts of a minute are possible
  --rate      calls per second of both replicas together, besides everything else
  --as-is     lets V8 collect garbage when it likes; otherwise it is made to every 30 seconds, without which the time
              of its last collection decides how much memory has grown`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    rate: { type: 'string', default: '100' },
    'as-is': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const [minutes, rate] = [Number(values.minutes), Number(values.rate)];
if (values.help || !(minutes > 0 && rate > 0)) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 1);
}

const MAX_GROWTH = 0.05;
/** Longer than a caller waits: a call that began before has been answered, or never will be. */
const SETTLED_MS = 40_000;
/** A key may make 1,000 changes a day, and the load makes 12 a minute. */
const MINUTES_OF_A_KEY = 60;
const SETTINGS = {
  ALLOW_PRIVATE_UPSTREAMS: 'true',
  // Full within minutes, so that the cache does not grow any more when memory is first compared.
  CACHE_MAX_BYTES: String(8 * 1024 * 1024),
  LOG_LEVEL: 'warn',
  // Counted, and never reached.
  RATE_LIMIT_PER_MINUTE: '100000',
  ...(values['as-is'] ? {} : INSPECTED),
};

interface Watched {
  readonly gateway: RunningGateway;
  readonly memory: MemoryWatch;
}

let arena: ChaosArena | undefined;
let load: SoakLoad | undefined;

async function run(): Promise<void> {
  arena = await openChaosArena({ answer: answerAsInLife(), settings: SETTINGS, isDirect: true });
  const { replicas, keys, createKey, upstreamUrl } = arena;
  const [first, second] = replicas;
  const urls = [first.gateway.url, second.gateway.url] as const;
  const operatorKeys: string[] = [];
  for (let n = 0; n < minutes / MINUTES_OF_A_KEY; n++)
    operatorKeys.push(await createKey('--tenant', 'default', '--scope', 'operator'));
  const ledger = createCallLedger(urls, keys);
  const watched = replicas.map(({ gateway }) => ({ gateway, memory: watchMemory(gateway) }));
  load = startSoakLoad({ urls, keys, operatorKeys, upstreamUrl, ledger }, rate);
  await watch(load, watched, () => ledger.checkRecords(Date.now() - SETTLED_MS));
  await load.stop();
  await ledger.checkRecords(Date.now());
  printReasons(load);
  watched.forEach(printLog);
  const isSteady = watched.map(printGrowth).every(Boolean);
  const { checked, ...wrong } = ledger.report();
  const isWhole = checked > 0 && Object.values(wrong).every((count) => count === 0);
  const counts = Object.entries(wrong).map(([name, count]) => `${count} ${name}`);
  printBar(isWhole, `${checked} answered calls: ${counts.join(', ')}`);
  if (!(isSteady && isWhole)) process.exitCode = 1;
}

/** Reads the memory every second, and prints a line and checks the records every minute, until the run is over. */
async function watch(
  running: SoakLoad,
  watched: readonly Watched[],
  checkRecords: () => Promise<void>,
): Promise<void> {
  const startedMs = performance.now();
  const ended = new AbortController();
  for (const { gateway } of watched)
    void gateway.ended.then((ending) => ended.abort(`A replica ended: ${JSON.stringify(ending)}`));
  printLine(['minute', 'calls', 'failed', 'RSS MiB', 'heap MiB', 'streams', 'waiting']);
  let before = running.counts();
  for (let second = 1; second <= minutes * 60; second++) {
    await sleep(Math.max(0, startedMs + second * 1000 - performance.now()));
    if (ended.signal.aborted) throw new Error(ended.signal.reason);
    await Promise.all(watched.map(({ memory }) => memory.read()));
    if (second % 60 !== 0) continue;
    const now = running.counts();
    const counts = [now.calls - before.calls, now.failed - before.failed];
    printLine([second / 60, ...counts, ...(await figuresOf(watched))]);
    before = now;
    await checkRecords();
  }
}

/** What `/health/detailed` says of one replica. */
interface Health {
  readonly memory: { readonly heapUsedBytes: number };
  readonly streams: number;
  readonly audit: { readonly outbox: number };
}

/** The columns of both replicas. */
async function figuresOf(watched: readonly Watched[]): Promise<string[]> {
  const healths = await Promise.all(
    watched.map(async ({ gateway: { url, key } }) => {
      const response = await fetch(`${url}/health/detailed`, { headers: { 'x-api-key': key } });
      return (await response.json()) as Health;
    }),
  );
  const both = (figures: readonly number[]): string =>
    figures.map((figure) => figure.toFixed(0)).join(' ');
  return [
    both(watched.map(({ memory }) => memory.latest(60))),
    both(healths.map(({ memory }) => memory.heapUsedBytes / 1024 / 1024)),
    both(healths.map(({ streams }) => streams)),
    both(healths.map(({ audit }) => audit.outbox)),
  ];
}

function printGrowth({ memory }: Watched, at: number): boolean {
  const { fromMib, toMib, part } = memory.growth();
  const percent = `${(part * 100).toFixed(1)} %, less than ${MAX_GROWTH * 100} % wanted`;
  return printBar(
    part < MAX_GROWTH,
    `memory of replica ${at + 1} from ${fromMib.toFixed(0)} to ${toMib.toFixed(0)} MiB: ${percent}`,
  );
}

function printBar(isMet: boolean, text: string): boolean {
  console.log(`${isMet ? 'met   ' : 'MISSED'} ${text}`);
  return isMet;
}

function printReasons(running: SoakLoad): void {
  for (const [reason, count] of running.counts().reasons)
    console.log(`failed: ${count} x ${reason}`);
}

/** Prints how often each message is in the log of a replica, with the first line that has it. */
function printLog({ gateway }: Watched, at: number): void {
  const lines = gateway.stderr().split('\n');
  const byMessage = Map.groupBy(lines, (line) => /"msg":"(.*?)"/.exec(line)?.[1] ?? '');
  for (const [message, [first, ...rest]] of byMessage) {
    if (message) console.log(`log of replica ${at + 1}: ${1 + rest.length} x ${first}`);
  }
}

function printLine(columns: readonly (string | number)[]): void {
  console.log(columns.map((each) => String(each).padStart(10)).join(''));
}

await cleanedUp(run, async () => {
  await load?.stop();
  await arena?.close();
});
