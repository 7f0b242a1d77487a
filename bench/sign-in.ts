import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN_ENV, type AdminClient, signIn } from '../test/support/admin-client.ts';
import { startGatewayProcess } from '../test/support/gateway-process.ts';
import { consent, redeem, refresh, registerHost } from '../test/support/oauth-host.ts';
import { residentMib } from './processes.ts';
import { quantile } from './quantile.ts';

/**
 * What sign-in from hosts costs: the first request of a host after a start, which loads the authorization server, the way from
 * the challenge to the first result of a tool without the person's own time, and memory. `npm run bench:sign-in`. Fails if a
 * bar is missed.
 */
const MAX_FIRST_MS = 1000;
const MAX_WAY_MS = 1000;
const MAX_MEMORY_MIB = 30;

const RUNS = 7;
/** After a start, the gateway returns memory that only the start needed. */
const REST_MS = 5000;

async function measure(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gateway-sign-in-'));
  const gateway = await startGatewayProcess({ ...ADMIN_ENV, DATA_DIR: dataDir });
  try {
    // A person is signed in already, and the dashboard is loaded.
    const browser = await signIn(gateway);
    await sleep(REST_MS);
    const before = residentMib(gateway.pid);
    const unknown = { clientId: 'x', clientSecret: undefined, redirectUri: '', verifier: '' };
    firsts.push(await timeOf(() => refresh(gateway, unknown, 'x')));
    for (let i = 0; i < 3; i++) ways.push(await timeOf(() => connect(gateway.url, browser)));
    growths.push(residentMib(gateway.pid) - before);
  } finally {
    await gateway.stop();
    await rm(dataDir, { recursive: true });
  }
}

/** What a host does, from the first 401 to the result of a tool. */
async function connect(url: string, browser: AdminClient): Promise<void> {
  const challenge = (await post(url, {})).headers.get('www-authenticate') ?? '';
  const [, document = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
  await (await fetch(document)).json();
  await (await fetch(`${url}/.well-known/oauth-authorization-server`)).json();
  const host = await registerHost({ url });
  const code = (await consent({ url }, browser, host)).searchParams.get('code') ?? '';
  const { body } = await redeem({ url }, host, code);
  const text = await (await post(url, { authorization: `Bearer ${body.access_token}` })).text();
  if (!text.includes('"result"')) throw new Error(text);
}

const post = (url: string, headers: Record<string, string>): Promise<Response> =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: QUESTION }),
  });

/** A tool that needs no upstream. */
const QUESTION = { name: 'find_code', arguments: { kind: 'district', text: '서울 강남구' } };

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const firsts: number[] = [];
const ways: number[] = [];
const growths: number[] = [];
for (let run = 0; run < RUNS; run++) await measure();

const rows: readonly (readonly [string, readonly number[], number])[] = [
  ['first request for tokens after a start, ms', firsts, MAX_FIRST_MS],
  ['from the challenge to the first result, ms', ways, MAX_WAY_MS],
  ['memory after three connections, MiB more', growths, MAX_MEMORY_MIB],
];
for (const [name, values, bar] of rows) {
  const [median = 0, most = 0] = [0.5, 1].map((share) => quantile(values, share));
  const isMissed = median > bar;
  if (isMissed) process.exitCode = 1;
  console.log(
    `${isMissed ? 'MISSED' : 'met   '} ${name}: median ${median.toFixed(1)}, most ${most.toFixed(1)}, bar ${bar}`,
  );
}
