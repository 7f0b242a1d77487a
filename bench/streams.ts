import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createApiKeyStore } from '../src/access/keys/api-key-store.ts';
import { createTenantStore } from '../src/access/tenants/tenant-store.ts';
import { openDatabase } from '../src/platform/database/database.ts';
import { Secret } from '../src/platform/kernel/secret.ts';
import { systemClock } from '../src/platform/kernel/time.ts';
import type { RunningGateway } from '../test/support/gateway-process.ts';
import { canHaveReplicas, type Replicas, startReplicasIn } from '../test/support/replicas.ts';
import { withPlace } from './bench-place.ts';
import { type EventStream, openEventStream } from './event-stream.ts';
import { residentMib } from './processes.ts';
import { quantile } from './quantile.ts';

/**
 * How fast events of one replica reach the streams of another, and what idle streams cost: `npm run bench:streams`, with the
 * servers that TEST_DATABASE_URL and TEST_REDIS_URL name.
 */
const { values: options } = parseArgs({
  options: {
    /** Calls whose events are timed, 50 in a second. */
    events: { type: 'string', default: '500' },
    /** Streams that all receive an event. */
    streams: { type: 'string', default: '1000' },
    /** Streams that receive nothing. They need as many file descriptors, here and in the gateway. */
    idle: { type: 'string', default: '10000' },
    'no-bars': { type: 'boolean', default: false },
  },
});
const [EVENTS, STREAMS, IDLE] = [options.events, options.streams, options.idle].map(Number) as [
  number,
  number,
  number,
];

const BARS = { p95Ms: 50, allStreamsMs: 100, idleKib: 20 };
const STREAMS_OF_KEY = 100;
const PAUSE_MS = 20;
const BROADCASTS = 20;
/** Streams that are opened at the same time. */
const BATCH = 100;
/** Until memory is returned. */
const REST_MS = 8000;

/** Creates keys of the tenant that has the first key. */
async function createKeys({ env }: Replicas, count: number): Promise<string[]> {
  const databaseUrl = new Secret(env['DATABASE_URL'] ?? '');
  const database = openDatabase({ dataDir: '', databaseUrl });
  const deps = { db: database.db, clock: systemClock };
  try {
    const { id: tenantId } = await createTenantStore(deps).ensure('default');
    const store = createApiKeyStore(deps);
    const keys: string[] = [];
    for (let n = 0; n < count; n++) {
      keys.push((await store.create({ tenantId, name: 'Streams' })).text.reveal());
    }
    return keys;
  } finally {
    await database.close();
  }
}

async function openStreams(
  { url }: RunningGateway,
  keys: readonly string[],
  count: number,
): Promise<EventStream[]> {
  const streams: EventStream[] = [];
  while (streams.length < count) {
    const size = Math.min(BATCH, count - streams.length);
    const key = keys[Math.floor(streams.length / STREAMS_OF_KEY)] ?? '';
    streams.push(
      ...(await Promise.all(Array.from({ length: size }, () => openEventStream(url, key)))),
    );
  }
  return streams;
}

/** Makes a call. Resolves with its id, and the time at which its response was read. */
async function call({ call: send }: RunningGateway) {
  const { result, error } = await send('fixture_uncached');
  if (!result) throw new Error(error?.message);
  return { auditId: result.auditId, answeredMs: performance.now() };
}

/** How long after its response each stream has the event of a call; 0 if it was there before. */
async function delayOf(gateway: RunningGateway, streams: readonly EventStream[]) {
  const { auditId, answeredMs } = await call(gateway);
  const arrived = await Promise.all(streams.map((stream) => stream.arrival(auditId)));
  return Math.max(0, Math.max(...arrived) - answeredMs);
}

function closeAll(streams: readonly EventStream[]): void {
  const surplus = streams.reduce((sum, stream) => sum + stream.surplus(), 0);
  for (const stream of streams) stream.close();
  if (surplus > 0) throw new Error(`${surplus} events came twice.`);
}

/** The delay of single events at a stream of the other replica. */
async function measureEvents({ gateways: [first, second] }: Replicas, keys: readonly string[]) {
  const streams = await openStreams(second, keys, 1);
  for (let n = 0; n < 20; n++) await delayOf(first, streams);
  const delays: Promise<number>[] = [];
  for (let n = 0; n < EVENTS; n++) {
    delays.push(delayOf(first, streams));
    await sleep(PAUSE_MS);
  }
  const times = await Promise.all(delays);
  closeAll(streams);
  return times;
}

/** The time until the last of many streams of the other replica has an event. */
async function measureBroadcasts({ gateways: [first, second] }: Replicas, keys: readonly string[]) {
  const streams = await openStreams(second, keys, STREAMS);
  const times: number[] = [];
  for (let n = 0; n < BROADCASTS; n++) {
    times.push(await delayOf(first, streams));
    await sleep(100);
  }
  closeAll(streams);
  return times;
}

/** KiB of memory for each idle stream. */
async function measureIdle({ gateways: [, second] }: Replicas, keys: readonly string[]) {
  // What the first streams bring with them, such as code, is not theirs.
  closeAll(await openStreams(second, keys, Math.min(IDLE, 1000)));
  await sleep(REST_MS);
  const before = residentMib(second.pid);
  const streams = await openStreams(second, keys, IDLE);
  await sleep(REST_MS);
  const after = residentMib(second.pid);
  closeAll(streams);
  return ((after - before) * 1024) / IDLE;
}

function report(what: string, value: number, bar = Number.POSITIVE_INFINITY): void {
  const isMissed = value > bar;
  if (isMissed && !options['no-bars']) process.exitCode = 1;
  const verdict = isMissed ? `  more than ${bar}` : '';
  console.log(`${what.padEnd(48)}${value.toFixed(1).padStart(9)}${verdict}`);
}

async function measure(databaseUrl: string): Promise<void> {
  const replicas = await startReplicasIn(databaseUrl, {
    MAX_CONNECTIONS: String(2 * (IDLE + 5000)),
    TENANT_RATE_LIMIT_PER_MINUTE: '0',
    SSE_KEEPALIVE_MS: '60000',
  });
  try {
    const keys = await createKeys(replicas, Math.ceil(Math.max(IDLE, STREAMS) / STREAMS_OF_KEY));
    const delays = await measureEvents(replicas, keys);
    report('event at the other replica, p50', quantile(delays, 0.5));
    report('p95', quantile(delays, 0.95), BARS.p95Ms);
    report('the worst', quantile(delays, 1));
    const broadcasts = await measureBroadcasts(replicas, keys);
    report(`event at all of ${STREAMS} streams, p50`, quantile(broadcasts, 0.5), BARS.allStreamsMs);
    report('the worst', quantile(broadcasts, 1));
    report(`KiB of each of ${IDLE} idle streams`, await measureIdle(replicas, keys), BARS.idleKib);
  } finally {
    await replicas.close();
  }
}

const server = process.env['TEST_DATABASE_URL'];
if (!server || !canHaveReplicas) throw new Error('Set TEST_DATABASE_URL and TEST_REDIS_URL.');
console.log('Milliseconds after the response of the call');
await withPlace(server, ({ databaseUrl }) => measure(databaseUrl?.reveal() ?? ''));
