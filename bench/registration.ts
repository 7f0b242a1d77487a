/**
 * What the registration of large APIs costs other tenants: `npm run bench:registration`. Registers real-world documents, one
 * after another, while another tenant's calls run. States how each ended, how long the event loop was blocked, and
 * how soon the tools of an API with 100 operations can be called.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { exampleDocuments } from '../test/oas-examples/documents.ts';
import { runGatewayCommand, startGatewayProcess } from '../test/support/gateway-process.ts';
import { freePort } from '../test/support/ports.ts';
import { describeThings } from './describe-things.ts';
import { githubDescription } from './github-description.ts';
import { quantile } from './quantile.ts';

/** The bars of the event loop's delay, in milliseconds. */
const P99_MS = 50;
const MAX_MS = 150;

const documents = new Map([...exampleDocuments(), ['GitHub', await githubDescription()]]);

const metricsPort = await freePort();
const dataDir = await mkdtemp(join(tmpdir(), 'registration-'));
const env = {
  DATA_DIR: dataDir,
  METRICS_PORT: String(metricsPort),
  RATE_LIMIT_PER_MINUTE: '0',
  ALLOW_PRIVATE_UPSTREAMS: 'true',
};
const gateway = await startGatewayProcess(env, ['--sandbox']);

const newKey = async (tenant: string): Promise<string> =>
  (await runGatewayCommand(['keys', 'create', '--tenant', tenant], env)).stdout.trim();

async function request(path: string, key: string, init: RequestInit = {}) {
  const headers = { 'x-api-key': key, ...init.headers };
  const response = await fetch(`${gateway.url}${path}`, { ...init, headers });
  // biome-ignore lint/suspicious/noExplicitAny: read once, in this script.
  return { status: response.status, body: (await response.json()) as any };
}

/** The longest delays of the event loop since the last reading, in milliseconds. */
async function readDelays(): Promise<{ p99: number; max: number }> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const read = (name: string): number =>
    1000 * Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)`, 'm').exec(text)?.[1]);
  return { p99: read('p99'), max: read('max') };
}

/** Registers a description, and resolves with its ended job. */
async function register(key: string, name: string, text: string) {
  const form = new FormData();
  form.set('request', JSON.stringify({ name }));
  form.set('document', new Blob([text]));
  const { status, body } = await request('/api/v1/register', key, { method: 'POST', body: form });
  if (status !== 202) return { status: `refused (${status})`, error: body, toolIds: [] };
  for (;;) {
    const job = (await request(body.status_url, key)).body;
    if (job.progress === 1) return job;
    await sleep(20);
  }
}

const latencies: number[] = [];
let isDone = false;
async function callAllTheTime(): Promise<void> {
  while (!isDone) {
    const startedMs = performance.now();
    await gateway.call('frankfurter_rates', { base: 'USD' });
    latencies.push(performance.now() - startedMs);
    await sleep(5);
  }
}

async function registerAll() {
  const counts = new Map<string, number>();
  const delays: { name: string; p99: number; max: number }[] = [];
  let key = '';
  let at = 0;
  for (const [name, text] of documents) {
    // A tenant has at most 100 registrations.
    if (at++ % 90 === 0) key = await newKey(`tenant-${at}`);
    await readDelays();
    const startedMs = performance.now();
    const { status, error, toolIds } = await register(key, `${at} ${name}`.slice(0, 100), text);
    const listed = await request('/api/v1/tools?limit=1', key);
    const tookMs = performance.now() - startedMs;
    const delay = await readDelays();
    delays.push({ name, ...delay });
    counts.set(status, (counts.get(status) ?? 0) + 1);
    if (
      delay.max > MAX_MS / 2 ||
      tookMs > 2000 ||
      listed.status !== 200 ||
      status !== 'registered'
    ) {
      console.log(
        `${name}: ${(text.length / 1e6).toFixed(1)} MB, ${status}, ${toolIds?.length} tools, ${tookMs.toFixed(0)} ms, delay p99 ${delay.p99.toFixed(0)} max ${delay.max.toFixed(0)} ms ${error ? JSON.stringify(error).slice(0, 200) : ''}`,
      );
    }
  }
  return { counts, delays };
}

/** Milliseconds from the request to the first successful call of a tool of a new API with 100 operations. */
async function timeToCall(key: string, round: number): Promise<number> {
  const startedMs = performance.now();
  const job = await register(
    key,
    `Hundred ${round}`,
    describeThings(`round_${round}`, `${gateway.sandboxUrl}/practice`),
  );
  if (job.status !== 'registered') throw new Error(JSON.stringify(job));
  const name = String(job.toolIds[0]).split('.').at(-1) ?? '';
  await gateway.call(name, {}, key);
  return performance.now() - startedMs;
}

const calling = callAllTheTime();
try {
  const { counts, delays } = await registerAll();
  console.log(`Documents: ${[...counts].map(([status, n]) => `${n} ${status}`).join(', ')}`);
  const worst = delays.toSorted((a, b) => b.max - a.max)[0];
  const p99 = Math.max(...delays.map((each) => each.p99));
  console.log(
    `Event loop: p99 ${p99.toFixed(0)} ms (bar ${P99_MS}), max ${worst?.max.toFixed(0)} ms with ${worst?.name} (bar ${MAX_MS})`,
  );
  const key = await newKey('hundred');
  const times: number[] = [];
  for (let round = 0; round < 10; round++) times.push(await timeToCall(key, round));
  console.log(
    `From POST to a call, 100 operations: median ${quantile(times, 0.5).toFixed(0)} ms, longest ${Math.max(...times).toFixed(0)} ms (bar 1000)`,
  );
  console.log(
    `Calls meanwhile: ${latencies.length}, p50 ${quantile(latencies, 0.5).toFixed(1)} ms, p99 ${quantile(latencies, 0.99).toFixed(1)} ms, longest ${Math.max(...latencies).toFixed(0)} ms`,
  );
} finally {
  isDone = true;
  await calling.catch(() => undefined);
  await gateway.stop();
  await rm(dataDir, { recursive: true, force: true });
}
