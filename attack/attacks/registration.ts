import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, MEMORY_BYTES, MIB } from '../arena.ts';
import { type Attack, verdict } from '../attack.ts';
import {
  DIVERSIONS,
  LARGE_YAML,
  LONG_LISTS,
  SLOW_DESCRIPTIONS,
  SLOW_SHORT,
  SMALL,
} from '../descriptions.ts';
import { HOSTILE_SCHEMAS } from '../hostile-schemas.ts';
import { percentile } from '../report.ts';

const MAX_CALL_MS = 150;
/** Any answer of `/health` while strangers' schemas are registered and called. */
const MAX_HEALTH_MS = 200;
/** A machine that pauses by itself delays calls, too, but hardly in each of so many attempts. */
const ATTEMPTS = 3;
const MAX_WAIT_MS = 10_000;
/** After this long without work, the threads of earlier attacks have ended: otherwise chance decides which of them count. */
const THREADS_END_MS = 6000;
/** One description on the thread for short ones, which it then has to start again. */
const MAX_TURN_MS = 8000;
const UNRESPONSIVE_MS = 20_000;

/** Sends a description, and returns the path of its job; null if it was refused. */
async function register(
  { url, attackerKey }: Arena,
  { body, key = attackerKey, ...members }: RegistrationForm,
): Promise<string | null> {
  const form = new FormData();
  form.set('request', JSON.stringify(members));
  form.set('document', new Blob([body]));
  const response = await fetch(`${url}/api/v1/register`, {
    method: 'POST',
    headers: { 'x-api-key': key },
    body: form,
  });
  await response.body?.cancel();
  return response.headers.get('location');
}

interface RegistrationForm {
  readonly name: string;
  readonly dry_run?: boolean;
  /** The description. */
  readonly body: string;
  readonly key?: string;
}

async function registerAddress(
  { url, attackerKey }: Arena,
  body: { name: string; spec_url: string; auth?: object },
): Promise<string | null> {
  const response = await fetch(`${url}/api/v1/register`, {
    method: 'POST',
    headers: { 'x-api-key': attackerKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.body?.cancel();
  return response.headers.get('location');
}

/** Waits until a job has ended, and returns its status. */
async function follow(arena: Arena, path: string, key = arena.attackerKey): Promise<string> {
  for (;;) {
    const { text } = await arena.get(path, key);
    const { status, progress } = JSON.parse(text) as { status: string; progress?: number };
    if (progress === undefined || progress === 1) return status;
    await sleep(100);
  }
}

/** Sends all slow descriptions at once, and waits for their jobs. Returns how many were accepted. */
async function checkSlowDescriptions(arena: Arena): Promise<number> {
  const jobs = await Promise.all(
    SLOW_DESCRIPTIONS.map((body, n) =>
      register(arena, { name: `Heavy ${n}`, dry_run: true, body: body() }),
    ),
  );
  const accepted = jobs.filter((job) => job !== null);
  for (const job of accepted) await follow(arena, job);
  return accepted.length;
}

/** Deletes what an attack registered. */
async function clear(arena: Arena, key: string): Promise<void> {
  const { text } = await arena.get('/api/v1/registrations?limit=100', key);
  const { registrations = [] } = JSON.parse(text) as { registrations?: { id: string }[] };
  for (const { id } of registrations) {
    await fetch(`${arena.url}/api/v1/registrations/${id}`, {
      method: 'DELETE',
      headers: { 'x-api-key': key },
    });
  }
}

/** Requests `/health` all the time, and says how long the slowest answer took. */
function watchHealth({ url }: Arena): { stop(): Promise<number> } {
  let slowestMs = 0;
  let stopped = false;
  const watching = (async () => {
    while (!stopped) {
      const startedMs = performance.now();
      await (await fetch(`${url}/health`)).arrayBuffer();
      slowestMs = Math.max(slowestMs, performance.now() - startedMs);
      await sleep(5);
    }
    return slowestMs;
  })();
  return {
    stop: () => {
      stopped = true;
      return watching;
    },
  };
}

/** Registers every hostile schema, 20 in one API, and returns the values by the names of the tools that were accepted. */
async function registerHostile(arena: Arena): Promise<ReadonlyMap<string, unknown>> {
  const values = new Map(HOSTILE_SCHEMAS.map(({ value }, n) => [`hostile_${n}`, value]));
  for (let start = 0; start < HOSTILE_SCHEMAS.length; start += 20) {
    const body = hostileDescription(start, start + 20);
    const job = await register(arena, { name: `Hostile ${start}`, body });
    if (job !== null) await follow(arena, job);
  }
  const { text } = await arena.get('/api/v1/tools?source=registered&limit=500');
  const { tools } = JSON.parse(text) as { tools: { name: string }[] };
  return new Map([...values].filter(([name]) => tools.some((tool) => tool.name === name)));
}

const hostileDescription = (from: number, to: number): string =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'T', version: '1' },
    servers: [{ url: 'http://127.0.0.1:9' }],
    paths: Object.fromEntries(
      HOSTILE_SCHEMAS.slice(from, to).map(({ schema }, index) => [
        `/h${from + index}`,
        {
          post: {
            operationId: `hostile_${from + index}`,
            requestBody: {
              content: {
                'application/json': { schema: { type: 'object', properties: { q: schema } } },
              },
            },
          },
        },
      ]),
    ),
  });

/** Calls every tool with its value, four at a time, and counts the outcomes. */
async function callHostile(
  arena: Arena,
  values: ReadonlyMap<string, unknown>,
): Promise<ReadonlyMap<string, number>> {
  const outcomes = new Map<string, number>();
  const waiting = [...values];
  const worker = async (): Promise<void> => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [name, q] = next;
      const { status, body } = await arena.call(name, { q });
      if (status === 429) {
        waiting.push(next);
        await sleep(1000);
        continue;
      }
      const { error } = body;
      const isLate = error?.message.includes('to check') ?? false;
      const outcome = isLate
        ? 'ended by the deadline'
        : error?.code === -32602
          ? 'refused'
          : 'sent';
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  return outcomes;
}

const STOLEN = 'credential-of-the-tenant';

/** What a description does with a credential is the same for all of these. */
const CREDENTIALS = (home: string): readonly object[] => [
  { type: 'bearer', token: STOLEN },
  { type: 'api_key', in: 'query', key_name: 'k', token: STOLEN },
  {
    type: 'oauth2_client_credentials',
    token_url: `${home}/token`,
    client_id: 'i',
    client_secret: 's',
  },
];

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return { url, [Symbol.dispose]: () => void server.close().closeAllConnections() };
}

/** Registers every description that leads elsewhere, with every credential, and calls what was registered. */
async function divert(arena: Arena) {
  const tally = { asked: 0, calls: 0, received: 0, stolen: 0 };
  using thief = await serve(({ url, headers }, response) => {
    tally.received++;
    if (`${url} ${JSON.stringify(headers)}`.includes(STOLEN)) tally.stolen++;
    response.setHeader('content-type', 'application/json').end('{}');
  });
  using home = await serve(({ url = '' }, response) => {
    const [, kind = '', n] = url.split('/');
    const token = { access_token: STOLEN, token_type: 'bearer', expires_in: 60 };
    const described = DIVERSIONS[Number(n)]?.(home.url, thief.url, kind);
    const body = JSON.stringify(kind === 'token' ? token : described);
    response.setHeader('content-type', 'application/json').end(body);
  });
  for (const [at, auth] of CREDENTIALS(home.url.origin).entries()) {
    for (const n of DIVERSIONS.keys()) {
      const tool = `divert_${at}_${n}`;
      const spec_url = `${home.url.origin}/${tool}/${n}`;
      const job = await registerAddress(arena, { name: tool, spec_url, auth });
      const status = job === null ? 'refused' : await follow(arena, job);
      if (status === 'confirmation_required') tally.asked++;
      if (status !== 'registered') continue;
      tally.calls++;
      await arena.call(tool, {});
    }
  }
  await clear(arena, arena.attackerKey);
  return tally;
}

export const registrationAttacks: readonly Attack[] = [
  {
    name: 'descriptions that lead a credential to another origin',
    bound: 'no other origin receives the credential, and the tenant is asked',
    run: async (arena) => {
      const { asked, calls, received, stolen } = await divert(arena);
      return verdict(
        stolen === 0 && asked > 0 && received > 0,
        `${stolen} of ${received} requests had the credential; ${asked} jobs asked, ${calls} tools called`,
      );
    },
  },
  {
    name: 'descriptions of megabytes that take long to read and to compile',
    // Memory is not judged: with both threads at the limit of their heaps, the gateway takes up to 600 MB.
    bound: `99 % of the calls of another tenant end within ${MAX_CALL_MS} ms`,
    run: async (arena) => {
      let p99 = Number.POSITIVE_INFINITY;
      let [calls, failed, accepted] = [0, 0, 0];
      for (let n = 0; n < ATTEMPTS && p99 >= MAX_CALL_MS; n++) {
        await arena.victimTally();
        accepted += await checkSlowDescriptions(arena);
        const { latenciesMs, failures } = await arena.victimTally();
        p99 = Math.min(p99, percentile(latenciesMs, 0.99));
        calls += latenciesMs.length;
        failed += failures.length;
      }
      return verdict(
        accepted > 0 && p99 < MAX_CALL_MS && failed === 0 && arena.isAlive(),
        `p99 ${Math.round(p99)} ms of ${calls} calls, ${failed} failed; ${accepted} accepted`,
      );
    },
  },
  {
    name: 'five short descriptions with 2,000 tools each, all of which repeat a long list',
    bound: `memory stays under ${MEMORY_BYTES / MIB} MB, calls of another tenant are served`,
    run: async (arena) => {
      await sleep(THREADS_END_MS);
      arena.peakRssBytes();
      await arena.victimTally();
      const statuses: string[] = [];
      for (const [n, body] of LONG_LISTS.entries()) {
        const job = await register(arena, { name: `Long ${n}`, body: body() });
        if (job !== null) statuses.push(await follow(arena, job));
        await arena.get('/api/v1/tools?limit=100');
      }
      const { failures } = await arena.victimTally();
      await clear(arena, arena.attackerKey);
      const peak = arena.peakRssBytes();
      const held = arena.isAlive() && peak < MEMORY_BYTES && failures.length === 0;
      return verdict(
        held && statuses.length > 0,
        `at most ${Math.round(peak / MIB)} MB, ${failures.length} calls failed; ${statuses.join(', ') || 'none accepted'}`,
      );
    },
  },
  {
    name: '200 schemas that take long to check: patterns, formats, choices, unique items',
    bound: `\`/health\` answers within ${MAX_HEALTH_MS} ms while they are registered and called`,
    run: async (arena) => {
      await clear(arena, arena.attackerKey);
      let slowestMs = Number.POSITIVE_INFINITY;
      let registered: ReadonlyMap<string, unknown> = new Map();
      let outcomes: ReadonlyMap<string, number> = new Map();
      for (let n = 0; n < ATTEMPTS && slowestMs >= MAX_HEALTH_MS; n++) {
        const health = watchHealth(arena);
        registered = await registerHostile(arena);
        outcomes = await callHostile(arena, registered);
        slowestMs = Math.min(slowestMs, await health.stop());
        await clear(arena, arena.attackerKey);
      }
      const held = slowestMs < MAX_HEALTH_MS && registered.size > 150 && arena.isAlive();
      const counts = [...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
      return verdict(held, `${Math.round(slowestMs)} ms; ${registered.size} tools; ${counts}`);
    },
  },
  {
    name: 'descriptions that take long to compile, long ones in YAML and short ones',
    bound: `a registration of another tenant ends within ${MAX_TURN_MS / 1000} s`,
    run: async (arena) => {
      const run = Date.now();
      const heavy = [LARGE_YAML, LARGE_YAML, SLOW_SHORT, SLOW_SHORT].map((body, n) =>
        register(arena, { name: `Slow ${run} ${n}`, dry_run: true, body: body() }),
      );
      const accepted = (await Promise.all(heavy)).filter((job) => job !== null);
      await sleep(1000);
      const startedMs = performance.now();
      const request = { name: `Mine ${run}`, body: SMALL, key: arena.victimKey };
      const job = await register(arena, request);
      const status = job === null ? 'refused' : await follow(arena, job, arena.victimKey);
      const tookMs = performance.now() - startedMs;
      await clear(arena, arena.victimKey);
      for (const path of accepted) await follow(arena, path);
      const held = status === 'registered' && tookMs < MAX_TURN_MS && accepted.length > 0;
      return verdict(held, `${status} after ${Math.round(tookMs)} ms`);
    },
  },
  // The last, because its jobs keep further ones of the attacker waiting for a while.
  {
    name: '32 registrations whose servers do not respond',
    bound: `a registration of another tenant ends within ${MAX_WAIT_MS / 1000} s`,
    run: async (arena) => {
      const run = Date.now();
      for (let n = 0; n < 32; n++) {
        const address = `${arena.upstreamUrl}/slow?ms=${UNRESPONSIVE_MS}&n=${n}`;
        await registerAddress(arena, { name: `Slow ${run} ${n}`, spec_url: address });
      }
      const startedMs = performance.now();
      const request = { name: `Mine ${run}`, body: SMALL, key: arena.victimKey };
      const job = await register(arena, request);
      const status = job === null ? 'refused' : await follow(arena, job, arena.victimKey);
      const tookMs = performance.now() - startedMs;
      await clear(arena, arena.victimKey);
      const held = status === 'registered' && tookMs < MAX_WAIT_MS;
      return verdict(held, `${status} after ${Math.round(tookMs)} ms`);
    },
  },
];
