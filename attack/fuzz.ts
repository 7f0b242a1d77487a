import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { Pool } from 'undici';
import { newApiKeyText } from '../src/platform/kernel/ids.ts';
import { type RunningGateway, startGatewayProcess } from '../test/support/gateway-process.ts';
import { createRandom } from './fuzz/random.ts';
import { makeRequest } from './fuzz/request-maker.ts';
import { createResponseReader } from './fuzz/response-reader.ts';
import { spellingsOf } from './spellings.ts';

/** Sends malformed requests and upstream responses of every known kind. Nothing may fail, and no secret may leak. */
const { values: options } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    answers: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const seed = Number(options.seed);
const CONNECTIONS = 32;
/** So many that some circuits can be open while other origins are called. */
const ORIGINS = 64;
const CIRCUIT_MS = 10_000;
const SECRET = 'Zm9v+YmFy/cXV4IQ==secret9';
const SAMPLES = resolve(import.meta.dirname, '../sandbox/samples');
/** Strings that reveal the inside of the gateway. */
const INTERNALS = ['/src/', 'node:internal', 'at Object.', 'SQLITE_', 'ECONNREFUSED'];

const findings: string[] = [];
const note = (finding: string): void => {
  if (findings.length < 20) console.log(`FOUND ${finding.slice(0, 600)}`);
  findings.push(finding);
};

/** Notes failures of the gateway: a 5xx that is not a refusal, an internal JSON-RPC error, or a leak. */
function check(status: number, text: string, describe: () => string): void {
  if (status >= 500 && status !== 503 && status !== 501)
    note(`${status}: ${text} for ${describe()}`);
  if (text.includes('"reason":"internal"'))
    note(`internal: ${text.slice(0, 300)} for ${describe()}`);
  const internal = INTERNALS.find((string) => text.includes(string));
  if (internal) note(`${internal} in ${text.slice(0, 300)} for ${describe()}`);
  const leak = spellingsOf(SECRET).find((spelling) => text.includes(spelling));
  if (leak) note(`the secret as ${leak} in ${text.slice(0, 300)}`);
}

/** Sends the requests of one connection, one after another, and reconnects when the connection closes. */
async function fuzzConnection(
  gateway: RunningGateway,
  count: number,
  ownSeed: number,
  tally: Map<number, number>,
): Promise<void> {
  const random = createRandom(ownSeed);
  const keys = [...new Array(20).fill(gateway.key), newApiKeyText(), 'x', ''];
  const port = Number(new URL(gateway.url).port);
  let sent = 0;
  while (sent < count) {
    await new Promise<void>((done) => {
      let last = makeRequest(random, keys);
      const reader = createResponseReader(
        () => last.bytes.subarray(0, 5).toString() === 'HEAD ',
        ({ status, body }) => {
          if (status < 200) return;
          tally.set(status, (tally.get(status) ?? 0) + 1);
          check(status, body.toString(), () => last.bytes.toString('latin1').slice(0, 400));
          if (last.endsConnection || sent >= count) socket.end();
          else send();
        },
      );
      const socket = connect(port, '127.0.0.1')
        .setNoDelay()
        .on('error', () => undefined)
        .on('data', (chunk: Buffer) => reader.add(chunk))
        .once('close', () => {
          clearTimeout(timer);
          done();
        });
      // The gateway may still wait for the rest of a request that was mutated as a whole.
      let timer: NodeJS.Timeout | undefined;
      const send = (): void => {
        last = makeRequest(random, keys);
        sent++;
        socket.write(last.bytes);
        clearTimeout(timer);
        timer = setTimeout(() => socket.destroy(), last.endsConnection ? 60 : 5000);
      };
      send();
    });
  }
}

async function fuzzRequests(gateway: RunningGateway, count: number): Promise<void> {
  const tally = new Map<number, number>();
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: CONNECTIONS }, (_, n) =>
      fuzzConnection(gateway, Math.ceil(count / CONNECTIONS), seed + n, tally),
    ),
  );
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  const statuses = [...tally].sort(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`);
  console.log(`${count} requests in ${seconds} s; ${statuses.join(', ')}`);
}

/** Every upstream response is read: a call that finds an open circuit is repeated at another origin. */
async function fuzzResponses(gateway: RunningGateway, count: number): Promise<void> {
  const pool = new Pool(gateway.url, { connections: CONNECTIONS });
  const outcomes = new Map<string, number>();
  /** When each circuit closes again. */
  const openMs = new Array<number>(ORIGINS).fill(0);
  let sent = 0;
  const call = async (n: number, tool: string): Promise<string> => {
    const response = await pool.request({
      method: 'POST',
      path: '/mcp',
      headers: {
        'x-api-key': gateway.key,
        'content-type': 'application/json',
        ...(n % 3 === 0 ? { accept: 'application/json, text/event-stream' } : {}),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: n,
        method: 'tools/call',
        params: { name: tool, arguments: { n } },
      }),
    });
    const text = await response.body.text();
    check(response.statusCode, text, () => `upstream response ${n}`);
    const parsed = JSON.parse(text);
    return parsed.error?.data?.reason ?? (parsed.error ? 'error' : 'result');
  };
  const callRepeatedly = async (): Promise<void> => {
    while (sent < count) {
      const n = sent++;
      for (let at = n; ; at++) {
        const origin = at % ORIGINS;
        if ((openMs[origin] ?? 0) > performance.now()) {
          if (at - n > ORIGINS) await sleep(100);
          continue;
        }
        const outcome = await call(n, `fuzz_${n % 2 ? 'public' : 'plain'}_${origin}`);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        if (outcome !== 'upstream_circuit_open') break;
        openMs[origin] = performance.now() + CIRCUIT_MS;
      }
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, callRepeatedly));
  await pool.close();
  const kinds = [...outcomes].map(([outcome, n]) => `${outcome}: ${n}`);
  console.log(`${count} upstream responses; ${kinds.join(', ')}`);
}

const preset = (name: string, baseUrl: string, extra: string): string => `openapi: 3.1.0
info: { title: Fuzz, version: "1" }
${extra}
servers: [{ url: "${baseUrl}" }]
x-cache-ttl: 0
paths:
  /fuzz:
    get:
      operationId: ${name}
      description: Returns anything.
      parameters:
        - { name: n, in: query, required: true, description: Any number., schema: { type: integer } }
        - { name: serviceKey, in: query, x-secret: ${extra ? 'PUBLIC_DATA_SERVICE_KEY' : 'FUZZ_SECRET'}, schema: { type: string } }
      responses: { "200": { description: Anything. } }
`;

async function main(): Promise<void> {
  console.log(`seed ${seed}`);
  const directory = await mkdtemp(join(tmpdir(), 'gateway-fuzz-'));
  const upstream = new Worker(new URL('./fuzz/malformed-upstream.ts', import.meta.url), {
    workerData: { samplesDir: SAMPLES, seed, secret: SECRET, origins: ORIGINS },
  });
  const [ports] = (await once(upstream, 'message')) as [number[]];
  await mkdir(join(directory, 'presets/fuzz'), { recursive: true });
  const shape = 'x-public-data: true\nx-items: /response/body/items/item';
  for (const [origin, port] of ports.entries()) {
    const url = `http://127.0.0.1:${port}`;
    const write = (name: string, extra: string) =>
      writeFile(
        join(directory, `presets/fuzz/${name}-${origin}.yaml`),
        preset(`fuzz_${name}_${origin}`, url, extra),
      );
    await Promise.all([write('public', shape), write('plain', '')]);
  }
  const gateway = await startGatewayProcess(
    {
      DATA_DIR: join(directory, 'data'),
      PRESETS_DIR: join(directory, 'presets'),
      PUBLIC_DATA_SERVICE_KEY: SECRET,
      FUZZ_SECRET: SECRET,
      AUTH_FAILURES_PER_MINUTE: '0',
      LOG_LEVEL: 'error',
    },
    [],
  );
  let ended = false;
  void gateway.ended.then(() => {
    ended = true;
  });
  await fuzzResponses(gateway, Number(options.answers));
  await fuzzRequests(gateway, Number(options.requests));
  if (ended) note(`the gateway ended: ${gateway.stderr().slice(-1000)}`);
  const logged = gateway.stderr();
  if (logged.includes(SECRET)) note('the secret is in the log');
  if (logged)
    console.log(
      `The log has ${logged.split('\n').length - 1} lines, starting with:\n${logged.slice(0, 1000)}`,
    );
  await gateway.stop();
  await upstream.terminate();
  await rm(directory, { recursive: true, force: true });
  console.log(`${findings.length} findings`);
  process.exitCode = findings.length > 0 ? 1 : 0;
}

await main();
