import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Client } from 'undici';
import { encodeCall } from '../test/support/gateway-process.ts';

/** Calls of one cached tool. */
export interface CallLoad {
  readonly url: string;
  readonly key: string;
  readonly seconds: number;
  readonly connections: number;
  /** Calls per second; 0 = as many as the connections can send. */
  readonly rate: number;
}

/** How long each call took, in milliseconds. */
export type CallTimes = readonly number[];

const { url, key, seconds, connections, rate } = workerData as CallLoad;
const BODY = encodeCall('frankfurter_rates', { base: 'USD' });
const startedMs = performance.now();
const endMs = startedMs + seconds * 1000;
const times: number[] = [];
let sent = 0;

async function callOnce(client: Client): Promise<void> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const response = await client.request({ path: '/mcp', method: 'POST', headers, body: BODY });
  const text = await response.body.text();
  if (!text.includes('"HIT"')) throw new Error(`Not a response from the cache: ${text}`);
}

async function callUntilTheEnd(): Promise<void> {
  const client = new Client(url);
  for (;;) {
    const dueMs = rate === 0 ? performance.now() : startedMs + (sent++ * 1000) / rate;
    if (dueMs >= endMs) break;
    const isEarly = dueMs > performance.now();
    if (isEarly) await sleep(dueMs - performance.now());
    // A call that had to wait for a connection counts from when it was due.
    const fromMs = isEarly ? performance.now() : dueMs;
    await callOnce(client);
    times.push(performance.now() - fromMs);
  }
  await client.close();
}

await Promise.all(Array.from({ length: connections }, callUntilTheEnd));
parentPort?.postMessage(times satisfies CallTimes);
