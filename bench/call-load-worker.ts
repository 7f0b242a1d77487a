import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Pool } from 'undici';
import { encodeCall } from '../test/support/gateway-process.ts';
import type { CallLoad, CallTimes } from './call-load.ts';

/** Calls that wait for a response or a connection. Beyond them, the gateway does not keep pace, and no figure means anything. */
const MAX_WAITING = 20_000;
/** A call without a response fails. */
const PATIENCE_MS = 10_000;
/** A timer is late by up to 2 ms, as long as many calls take. Before a call is due, the thread takes naps and polls instead. */
const TIMER_MS = 2;
const NAP_MS = 0.1;
/** The first calls open connections, and are made by code that V8 has not optimised yet: they do not count. */
const LEAD_MS = 1000;

const load = workerData as CallLoad;
const pool = new Pool(load.url, {
  connections: load.connections,
  pipelining: 1,
  headersTimeout: PATIENCE_MS,
  bodyTimeout: PATIENCE_MS,
});
const headers = { 'x-api-key': load.key, 'content-type': 'application/json' };
const equalBody = encodeCall(load.tool, load.args);
const beganMs = performance.now();
const startedMs = beganMs + LEAD_MS;
const endMs = startedMs + load.seconds * 1000;
const took: number[] = [];
const late: number[] = [];
let sent = 0;
let waiting = 0;

function nextBody(): string {
  const number = sent++;
  if (load.firstNumber === undefined) return equalBody;
  return encodeCall(load.tool, { ...load.args, n: load.firstNumber + number });
}

function send(dueMs: number, onEnd: () => void): void {
  if (++waiting > MAX_WAITING) throw new Error(`More than ${MAX_WAITING} calls wait.`);
  const counts = dueMs >= startedMs;
  if (counts) late.push(performance.now() - dueMs);
  let text = '';
  pool.dispatch(
    { path: '/mcp', method: 'POST', headers, body: nextBody() },
    {
      onRequestStart: () => undefined,
      onResponseStart: () => undefined,
      onResponseData: (_controller, chunk) => {
        text += chunk.toString('latin1');
      },
      onResponseEnd: () => {
        if (counts) took.push(performance.now() - dueMs);
        waiting--;
        if (!text.includes(load.marker)) throw new Error(`A wrong response: ${text}`);
        onEnd();
      },
      onResponseError: (_controller, error) => {
        throw error;
      },
    },
  );
}

async function untilDue(dueMs: number): Promise<void> {
  for (;;) {
    const leftMs = dueMs - performance.now();
    if (leftMs <= 0) return;
    if (leftMs > TIMER_MS) await sleep(leftMs - TIMER_MS);
    else await nap(Math.min(leftMs, NAP_MS));
  }
}

const neverNotified = new Int32Array(new SharedArrayBuffer(4));

async function nap(ms: number): Promise<void> {
  Atomics.wait(neverNotified, 0, 0, ms);
  await setImmediate();
}

async function sendWhenDue(): Promise<void> {
  for (let n = 0; ; n++) {
    const dueMs = beganMs + (n * 1000) / load.rate;
    if (dueMs >= endMs) return;
    await untilDue(dueMs);
    send(dueMs, () => undefined);
    // Also a client that catches up reads responses.
    await setImmediate();
  }
}

function sendWithoutPause(): void {
  const now = performance.now();
  if (now < endMs) send(now, sendWithoutPause);
}

if (load.rate > 0) await sendWhenDue();
else for (let n = 0; n < load.connections; n++) sendWithoutPause();
while (waiting > 0 || performance.now() < endMs) await sleep(1);
await pool.close();
parentPort?.postMessage({ took, late, sent } satisfies CallTimes);
