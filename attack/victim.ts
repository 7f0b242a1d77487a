import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Client } from 'undici';

/** The harmless tenant: calls at a steady pace, half of them cache hits, and measures each call. */
const { url, key, perSecond } = workerData as { url: string; key: string; perSecond: number };

interface Tally {
  latenciesMs: number[];
  auditIds: string[];
  failures: string[];
}

const empty = (): Tally => ({ latenciesMs: [], auditIds: [], failures: [] });
let tally = empty();
let count = 0;
let client = new Client(url, { pipelining: 1 });

parentPort?.on('message', () => {
  parentPort?.postMessage(tally);
  tally = empty();
});

async function callOnce(): Promise<void> {
  const n = count % 2 === 0 ? 1 : count;
  count++;
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: count,
    method: 'tools/call',
    params: { name: 'victim_rows', arguments: { n } },
  });
  const startedMs = performance.now();
  const response = await client.request({
    method: 'POST',
    path: '/mcp',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body,
  });
  const { result, error } = (await response.body.json()) as {
    result?: { auditId: string };
    error?: { message: string };
  };
  tally.latenciesMs.push(performance.now() - startedMs);
  if (result) tally.auditIds.push(result.auditId);
  else tally.failures.push(error?.message ?? `HTTP ${response.statusCode}`);
}

for (;;) {
  const next = performance.now() + 1000 / perSecond;
  try {
    await callOnce();
  } catch (error) {
    tally.failures.push(String(error));
    await client.destroy();
    client = new Client(url, { pipelining: 1 });
  }
  await sleep(Math.max(0, next - performance.now()));
}
