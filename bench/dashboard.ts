import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { AdminClient } from '../test/support/admin-client.ts';
import type { RunningGateway } from '../test/support/gateway-process.ts';
import { makeCalls } from './call-load.ts';
import { prepareData, type Subject, signInReaders, startGateway } from './dashboard-data.ts';
import { type DashboardList, dashboardLists } from './dashboard-lists.ts';
import { type BenchPlace, eachDatabase } from './each-database.ts';
import { quantile } from './quantile.ts';

/**
 * How fast the lists of the dashboard are with 1,000 keys, 500 registered tools and many records, and what a reader who
 * requests them all the time costs calls: `npm run bench:dashboard [-- --records N --counted N --rate N --seconds N --reads N]`, of the embedded
 * database, and of PostgreSQL if TEST_DATABASE_URL names a server. Fails if a list is too slow.
 */
const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '1000000' },
    /** How many of the records the statistics contain; all if unset. */
    counted: { type: 'string' },
    /** Calls per second; 0 = as many as possible. */
    rate: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '10' },
    /** Lists that the reader requests per second; 0 = one after another without a pause. */
    reads: { type: 'string', default: '5' },
  },
});
const counted = Number(values.counted ?? values.records);
const [records = 0, rate = 0, seconds = 0, reads = 0] = [
  values.records,
  values.rate,
  values.seconds,
  values.reads,
].map(Number);
const P95_MS = 200;
const REQUESTS = 20;
const ROUNDS = 3;
const CONNECTIONS = 8;

const print = console.log;

/** Requests a list, and resolves with the milliseconds until the response was read. */
type RequestList = (list: DashboardList) => Promise<number>;

/** The readers take turns. */
function createRequestList({ url }: RunningGateway, readers: readonly AdminClient[]): RequestList {
  let turn = 0;
  return async ({ path }) => {
    const cookies = readers[turn++ % readers.length]?.cookies ?? [];
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const startedMs = performance.now();
    const response = await fetch(`${url}/admin/api${path}`, { headers: { cookie } });
    const bytes = await response.arrayBuffer();
    const tookMs = performance.now() - startedMs;
    if (response.status === 200) return tookMs;
    throw new Error(`${path}: status ${response.status}, ${Buffer.from(bytes)}`);
  };
}

/** Prints how long each list takes, and resolves with those that are too slow. */
async function measureLists(
  requestList: RequestList,
  lists: readonly DashboardList[],
): Promise<string[]> {
  print(`\n  ${'ms'.padStart(7)} p50     p95     max`);
  const slow: string[] = [];
  for (const list of lists) {
    const times: number[] = [];
    for (let n = 0; n < REQUESTS; n++) times.push(await requestList(list));
    const [p50, p95, max] = [0.5, 0.95, 1].map((share) => quantile(times, share));
    const isSlow = (p95 ?? 0) > P95_MS;
    if (isSlow) slow.push(list.title);
    print(
      `  ${[p50, p95, max].map(inColumn).join('')}  ${list.title}${isSlow ? '  TOO SLOW' : ''}`,
    );
  }
  return slow;
}

const inColumn = (ms = 0): string => ms.toFixed(1).padStart(8);

/** How long each call took, in milliseconds. */
type Times = readonly number[];

async function callForAWhile({ url, key }: RunningGateway): Promise<Times> {
  const cached = { tool: 'frankfurter_rates', args: { base: 'USD' }, marker: '"HIT"' };
  const { took } = await makeCalls({
    ...{ url, key, seconds, rate, connections: CONNECTIONS },
    ...cached,
  });
  return took;
}

/** Requests all lists, one after another and again, until the work is done. Resolves with how many it has read. */
async function readWhile(work: Promise<unknown>, read: (n: number) => Promise<unknown>) {
  let isDone = false;
  const done = () => {
    isDone = true;
  };
  work.then(done, done);
  let count = 0;
  while (!isDone) await read(count++);
  return count;
}

/** Prints what calls take without and with a reader of the dashboard, in turn. */
async function measureCalls(
  gateway: RunningGateway,
  requestList: RequestList,
  lists: readonly DashboardList[],
): Promise<void> {
  await gateway.call('frankfurter_rates', { base: 'USD' });
  await callForAWhile(gateway);
  const alone: Times[] = [];
  const together: Times[] = [];
  let listsRead = 0;
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await callForAWhile(gateway));
    const calling = callForAWhile(gateway);
    listsRead += await readWhile(calling, (n) => {
      const list = lists[n % lists.length];
      return Promise.all([list && requestList(list), reads > 0 && sleep(1000 / reads)]);
    });
    together.push(await calling);
  }
  print(`\n  Calls from the cache, ${rate || 'as many as possible'} per second, ms per round`);
  print(`  without a reader:   ${alone.map(describe).join(' | ')}`);
  print(`  with ${`${listsRead} lists read`.padEnd(15)}${together.map(describe).join(' | ')}`);
  for (const share of [0.5, 0.99]) {
    const middle = (rounds: Times[]) =>
      quantile(
        rounds.map((times) => quantile(times, share)),
        0.5,
      );
    const ratio = middle(together) / middle(alone);
    print(
      `  p${share * 100}, median of the rounds: ${ratio.toFixed(2)} times that without a reader`,
    );
  }
}

function describe(times: Times): string {
  const [p50, p99, max] = [0.5, 0.99, 1].map((share) => quantile(times, share).toFixed(2));
  return `p50 ${p50} p99 ${p99} max ${max}, ${Math.round(times.length / seconds)}/s`;
}

async function measure(place: BenchPlace, subject: Subject): Promise<string[]> {
  const gateway = await startGateway(place);
  try {
    const readers = await signInReaders(gateway);
    const lists = await dashboardLists(readers[0] as AdminClient, subject);
    const requestList = createRequestList(gateway, readers);
    const slow = await measureLists(requestList, lists);
    await measureCalls(gateway, requestList, lists);
    return slow;
  } finally {
    await gateway.stop();
  }
}

await eachDatabase(async (place) => {
  print(
    `\n${place.databaseUrl ? 'PostgreSQL' : 'Embedded'}, ${records.toLocaleString('en')} records`,
  );
  const startedMs = performance.now();
  const subject = await prepareData(place, { records, counted });
  print(`  prepared in ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
  const slow = await measure(place, subject);
  if (slow.length > 0) process.exitCode = 1;
  print(`\n  Lists with p95 over ${P95_MS} ms: ${slow.length === 0 ? 'none' : slow.join('; ')}`);
});
