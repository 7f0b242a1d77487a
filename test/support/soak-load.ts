import { setTimeout as sleep } from 'node:timers/promises';
import { auditIdOf, auditIdsOf } from './audit-ids.ts';
import type { CallLedger } from './call-ledger.ts';
import { addressIn, MANAGED } from './managed-operations.ts';
import {
  ACCEPTS_EVENTS,
  INITIALIZED,
  initializeAs,
  rpc,
  statelessHeaders,
  statelessMeta,
  toolCall,
} from './rpc-requests.ts';
import { openSse } from './sse-client.ts';

/** Two replicas and what may be asked of them. */
interface SoakSubject {
  readonly urls: readonly [string, string];
  /** Keys of the two tenants, "default" and "other". */
  readonly keys: readonly [string, string];
  /** Keys that manage the gateway; each may make 1,000 changes a day. */
  readonly operatorKeys: readonly string[];
  readonly upstreamUrl: string;
  readonly ledger: CallLedger;
}

interface SoakCounts {
  /** Calls of tools. */
  readonly calls: number;
  /** Calls without a response that names their record, and other requests whose response is wrong. */
  readonly failed: number;
  /** How often each of the first 50 reasons occurred. */
  readonly reasons: ReadonlyMap<string, number>;
}

/** Everything that callers do, at once, until it is stopped. */
export interface SoakLoad {
  counts(): SoakCounts;
  stop(): Promise<void>;
}

/** A client gives up. */
const PATIENCE_MS = 30_000;
const CALLERS = 24;
const STREAMS = 16;
/** What one replica has accepted must be known to the other within a second, and later on a busy machine. */
const KNOWN_WITHIN_MS = 10_000;
const EVERY_MS = { registration: 8_000, key: 10_000, list: 400, management: 500 };
const MAX_REASONS = 50;
/** A stream is expected to have the events of calls that were answered at least this long before it was closed. */
const EVENT_MS = 5000;

const pick = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)] as T;
const below = (limit: number): number => Math.floor(Math.random() * limit);

interface Sent {
  readonly url: string;
  readonly key: string;
  readonly method?: string;
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

async function send({ url, key, body, headers, ...rest }: Sent) {
  const response = await fetch(url, {
    method: rest.method ?? (body ? 'POST' : 'GET'),
    headers: {
      'x-api-key': key,
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: rest.signal ?? AbortSignal.timeout(PATIENCE_MS),
  });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: responses of every kind are read.
  const json: any = text === '' ? {} : JSON.parse(text);
  return { status: response.status, body: json };
}

/** What a caller may do with a replica in the name of a tenant. */
interface Turn {
  readonly url: string;
  readonly tenant: number;
  readonly key: string;
}

type Dialect = (turn: Turn, name: string, args: object) => Sent;

const DIALECTS: readonly Dialect[] = [
  ({ url, key }, name, args) => ({ url: `${url}/mcp`, key, body: toolCall(name, args) }),
  ({ url, key }, name, args) => ({
    url: `${url}/mcp`,
    key,
    body: toolCall(name, args),
    headers: { ...ACCEPTS_EVENTS, 'mcp-protocol-version': '2025-11-25' },
  }),
  ({ url, key }, name, args) => ({
    url: `${url}/mcp`,
    key,
    body: rpc('tools/call', { name, arguments: args, _meta: statelessMeta('soak') }),
    headers: { ...ACCEPTS_EVENTS, ...statelessHeaders('tools/call', { name }) },
  }),
];

/** Tools and arguments, of which the hits are a third. */
const CALLS: readonly (() => readonly [name: string, args: object])[] = [
  () => ['fixture_cached', { n: 1 + below(5) }],
  () => ['fixture_cached', { n: 1 + below(5), color: 'red' }],
  () => ['fixture_brief', {}],
  () => ['fixture_cached', { n: 1 + below(9000) }],
  () => ['fixture_cached', { n: 1 + below(9000), color: 'green' }],
  () => ['fixture_uncached', {}],
  () => ['fixture_secret', { part: `${below(50) === 0 ? 'large' : 'small'}-${below(100)}` }],
  () => ['fixture_write', { title: `Title ${below(100)}`, tags: ['a', 'b'] }],
];

/** Starts it all; `rate` is in calls per second. */
export function startSoakLoad(subject: SoakSubject, rate: number): SoakLoad {
  const stopping = new AbortController();
  const counts = { calls: 0, failed: 0, reasons: new Map<string, number>() };
  const fail = (reason: string): void => {
    counts.failed++;
    const known = counts.reasons.get(reason);
    if (known !== undefined || counts.reasons.size < MAX_REASONS)
      counts.reasons.set(reason, (known ?? 0) + 1);
  };
  const soak: Soak = {
    ...subject,
    counts,
    fail,
    isOver: () => stopping.signal.aborted,
    pause: (ms) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined),
  };
  const parts = [
    ...Array.from({ length: CALLERS }, (_, n) => callAtRate(soak, n, rate / CALLERS)),
    ...Array.from({ length: STREAMS }, () => repeat(soak, 'stream', 0, useStream)),
    repeat(soak, 'registration', EVERY_MS.registration, useRegistration),
    repeat(soak, 'key', EVERY_MS.key, useKey),
    repeat(soak, 'list', EVERY_MS.list, readList),
    repeat(soak, 'management', EVERY_MS.management, readManagement),
  ];
  return {
    counts: () => ({ ...counts }),
    stop: async () => {
      stopping.abort();
      await Promise.all(parts);
    },
  };
}

interface Soak extends SoakSubject {
  readonly counts: { calls: number };
  fail(reason: string): void;
  isOver(): boolean;
  /** Resolves early when the load is stopped. */
  pause(ms: number): Promise<void>;
}

const turnOf = ({ urls, keys }: Soak): Turn => {
  const tenant = below(keys.length);
  return { url: pick(urls), tenant, key: keys[tenant] ?? '' };
};

async function repeat(
  soak: Soak,
  name: string,
  everyMs: number,
  act: (soak: Soak, n: number) => Promise<void>,
): Promise<void> {
  for (let n = 0; !soak.isOver(); n++) {
    try {
      await act(soak, n);
    } catch (error) {
      soak.fail(`${name}: ${reasonOf(error)}`);
    }
    await soak.pause(everyMs);
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? `${error.message} ${error.cause ?? ''}`.trim() : String(error);

/** Calls at a steady pace, and later if a response takes longer. */
async function callAtRate(soak: Soak, caller: number, rate: number): Promise<void> {
  let dueMs = performance.now() + (caller * 1000) / (rate * CALLERS);
  while (!soak.isOver()) {
    await soak.pause(Math.max(0, dueMs - performance.now()));
    dueMs = Math.max(dueMs + 1000 / rate, performance.now());
    const turn = turnOf(soak);
    const kind = below(50);
    if (kind === 0) await abandon(turn);
    else if (kind === 1) await callInBatch(soak, turn);
    else await call(soak, turn, ...pick(CALLS)());
  }
}

/** Calls a tool in one of the dialects, and enters it in the ledger. */
async function call(soak: Soak, turn: Turn, name: string, args: object): Promise<void> {
  soak.counts.calls++;
  try {
    const { status, body } = await send(pick(DIALECTS)(turn, name, args));
    enter(soak, turn.tenant, body, `${name}: status ${status}`);
  } catch (error) {
    soak.fail(`${name}: ${reasonOf(error)}`);
  }
}

function enter(soak: Soak, tenant: number, response: unknown, what: string): void {
  const id = auditIdOf(response);
  if (id) soak.ledger.answered(tenant, id);
  else soak.fail(`${what}, no record: ${JSON.stringify(response).slice(0, 200)}`);
}

async function callInBatch(soak: Soak, { url, key, tenant }: Turn): Promise<void> {
  soak.counts.calls += 3;
  try {
    const calls = [1, 2, 3].map((id) => toolCall('fixture_cached', { n: 1 + below(100) }, id));
    const { status, body } = await send({ url: `${url}/mcp`, key, body: calls });
    for (const response of body) enter(soak, tenant, response, `batch: status ${status}`);
  } catch (error) {
    soak.fail(`batch: ${reasonOf(error)}`);
  }
}

/** A client that disconnects during its call. */
async function abandon({ url, key }: Turn): Promise<void> {
  const body = toolCall('fixture_uncached');
  const signal = AbortSignal.timeout(1 + below(20));
  await send({ url: `${url}/mcp`, key, body, signal }).catch(() => undefined);
}

/** Opens a stream for a while; one in four is a session of HTTP+SSE that calls over the other replica. */
async function useStream(soak: Soak): Promise<void> {
  const turn = turnOf(soak);
  const isSession = below(4) === 0;
  // Events of other calls would only be in the way of a session.
  const stream = await openSse(turn.url, turn.key, isSession ? '?tools=fixture_brief' : '');
  const fromMs = performance.now() + EVENT_MS;
  try {
    const lifeMs = 5000 + below(40_000);
    if (isSession) await callInSession(soak, turn, stream, performance.now() + lifeMs);
    else await soak.pause(lifeMs);
    if (stream.ended()) soak.fail('a stream ended');
    const seen = auditIdsOf(stream);
    if (!isSession) {
      const toMs = performance.now() - EVENT_MS;
      soak.ledger.checkStream({ tenant: turn.tenant, fromMs, toMs, seen });
    }
  } finally {
    stream.close();
  }
}

type Stream = Awaited<ReturnType<typeof openSse>>;

async function callInSession(
  soak: Soak,
  { key, tenant }: Turn,
  stream: Stream,
  endMs: number,
): Promise<void> {
  const post = (body: object) =>
    send({ url: `${pick(soak.urls)}/mcp?sessionId=${stream.clientId}`, key, body });
  await post(initializeAs('soak')('2024-11-05', 'first'));
  await responseOn(stream, 'first');
  await post(INITIALIZED);
  for (let id = 1; performance.now() < endMs && !soak.isOver(); id++) {
    soak.counts.calls++;
    await post(toolCall('fixture_brief', {}, id));
    enter(soak, tenant, await responseOn(stream, id), 'session');
    await soak.pause(1000);
  }
}

async function responseOn(stream: Stream, id: number | string): Promise<unknown> {
  const endMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const response = stream.messages().find((message) => message.id === id);
    if (response) return response;
    if (stream.ended() || performance.now() > endMs) throw new Error('No response on the stream.');
    await sleep(20);
  }
}

/** Waits until a request has the status that a change must lead to. */
async function become(status: number, request: Sent): Promise<void> {
  const endMs = performance.now() + KNOWN_WITHIN_MS;
  for (;;) {
    const { status: now } = await send(request);
    if (now === status) return;
    if (performance.now() > endMs)
      throw new Error(`${request.method ?? 'GET'} is ${now}, expected ${status}.`);
    await sleep(50);
  }
}

/** Registers an API at one replica, calls its tools at both, and deletes it at the other. */
async function useRegistration(soak: Soak, n: number): Promise<void> {
  const { key, tenant } = turnOf(soak);
  const [here, there] = n % 2 === 0 ? soak.urls : soak.urls.toReversed();
  const body = { name: `Soak ${n}`, category: 'soak', spec_raw: describeApi(soak.upstreamUrl, n) };
  const accepted = await send({ url: `${here}/api/v1/register`, key, body });
  if (accepted.status !== 202) throw new Error(`refused with ${accepted.status}`);
  const job = await untilEnded({ url: `${there}${accepted.body.status_url}`, key });
  if (job.status !== 'registered') throw new Error(`the job is ${job.status}`);
  for (const url of soak.urls) {
    await become(200, { url: `${url}/api/v1/tools/${job.toolIds[0]}`, key });
    for (const name of toolsOf(n)) await call(soak, { url, key, tenant }, name, { n: below(10) });
  }
  const path = `/api/v1/tools/${job.toolIds[0]}`;
  const deleted = await send({ url: `${there}${path}`, key, method: 'DELETE' });
  if (deleted.status !== 200) throw new Error(`deletion refused with ${deleted.status}`);
  for (const url of soak.urls) await become(404, { url: `${url}${path}`, key });
}

async function untilEnded(request: Sent) {
  const endMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const { body } = await send(request);
    if (body.progress === 1 || performance.now() > endMs) return body;
    await sleep(50);
  }
}

const toolsOf = (n: number): string[] =>
  ['first', 'second', 'third'].map((each) => `soak_${n}_${each}`);

const describeApi = (upstreamUrl: string, n: number): string =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Soak', version: '1' },
    servers: [{ url: upstreamUrl }],
    paths: Object.fromEntries(
      toolsOf(n).map((operationId) => [
        `/${operationId}`,
        {
          get: {
            operationId,
            description: 'Returns a number.',
            parameters: [{ name: 'n', in: 'query', schema: { type: 'integer', maximum: 100 } }],
            responses: { 200: { description: 'The number.' } },
          },
        },
      ]),
    ),
  });

/** Creates a key at one replica, calls with it at the other, and revokes it. */
async function useKey(soak: Soak, n: number): Promise<void> {
  const manager = soak.operatorKeys[n % soak.operatorKeys.length] ?? '';
  const [here, there] = n % 2 === 0 ? soak.urls : soak.urls.toReversed();
  const path = '/api/v1/admin/tenants/default/keys';
  const body = { name: `Soak ${n}`, rateLimitPerMinute: 1000 };
  const created = await send({ url: `${here}${path}`, key: manager, body });
  if (created.status !== 200) throw new Error(`refused with ${created.status}`);
  const { key, text } = created.body;
  const list = { url: `${there}/api/v1/tools?limit=1`, key: text };
  await become(200, list);
  const stream = await openSse(there ?? '', text);
  try {
    for (let count = 0; count < 3; count++)
      await call(soak, { url: there ?? '', key: text, tenant: 0 }, 'fixture_cached', { n: 1 });
    const revoked = await send({ url: `${here}${path}/${key.id}`, key: manager, method: 'DELETE' });
    if (revoked.status !== 200) throw new Error(`revocation refused with ${revoked.status}`);
    await become(401, list);
    const endMs = performance.now() + KNOWN_WITHIN_MS;
    while (!stream.ended() && performance.now() < endMs) await sleep(20);
    if (!stream.ended()) throw new Error('the stream of a revoked key is open');
  } finally {
    stream.close();
  }
}

const LISTS: readonly ((turn: Turn) => Sent)[] = [
  ({ url, key }) => ({ url: `${url}/mcp`, key, body: rpc('tools/list') }),
  ({ url, key }) => ({
    url: `${url}/mcp`,
    key,
    body: rpc('tools/list', {
      query: pick(['cached number', 'secret', 'write', '숫자']),
      limit: 3,
    }),
    headers: ACCEPTS_EVENTS,
  }),
  ({ url, key }) => ({ url: `${url}/api/v1/tools?q=${pick(['soak', 'cached', 'title'])}`, key }),
  ({ url, key }) => ({ url: `${url}/registry/tools?q=second`, key }),
  ({ url, key }) => ({ url: `${url}/api/v1/audit?limit=50`, key }),
  ({ url, key }) => ({ url: `${url}/api/v1/audit?limit=5&tool=fixture_write&status=ok`, key }),
  ({ url, key }) => ({ url: `${url}/openapi.json`, key }),
  ({ url, key }) => ({ url: `${url}/health/ready`, key }),
];

async function readList(soak: Soak): Promise<void> {
  const request = pick(LISTS)(turnOf(soak));
  await expectOk(request);
}

/** Every list of the management that names nothing else. */
const MANAGED_LISTS = MANAGED.filter(({ method }) => method === 'GET')
  .map(({ path }) => addressIn(path, '_'))
  .filter((path) => !path.includes('/none'));

async function readManagement(soak: Soak): Promise<void> {
  const [url, key] = [pick(soak.urls), pick(soak.operatorKeys)];
  const isTool = below(5) === 0;
  await expectOk(
    isTool
      ? { url: `${url}/mcp?mode=manage`, key, body: toolCall('keys_list'), headers: ACCEPTS_EVENTS }
      : { url: `${url}${pick(MANAGED_LISTS)}`, key },
  );
}

async function expectOk(request: Sent): Promise<void> {
  const { status } = await send(request);
  if (status !== 200) throw new Error(`${new URL(request.url).pathname} is ${status}`);
}
