import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { newApiKeyText } from '../../src/platform/kernel/ids.ts';
import { newEncryptionKey } from '../../src/platform/vault/cipher.ts';
import { withoutDatabaseLine } from '../support/database-line.ts';
import { postgres, type TestPlace } from '../support/databases.ts';
import { startDescriptionServer } from '../support/description-server.ts';
import { type FixtureUpstream, startFixtureUpstream } from '../support/fixture-upstream.ts';
import {
  type Environment,
  type RunningGateway,
  runGatewayCommand,
  startGatewayProcess,
} from '../support/gateway-process.ts';
import { testRedisUrl } from '../support/redis.ts';
import { openSse, type SseClient } from '../support/sse-client.ts';
import { until } from '../support/until.ts';

/** Every process notices a change within a second (docs/contract.md#registration), and later while other tests run. */
const NOTICED_MS = 10_000;

describe.runIf(postgres && testRedisUrl)('two gateways with one database', () => {
  let places: TestPlace[];
  let env: Environment;
  let first: RunningGateway;
  let second: RunningGateway;
  let upstream: FixtureUpstream;
  let stream: SseClient;
  /** A key of another tenant. */
  let otherKey: string;

  beforeAll(async () => {
    if (!postgres || !testRedisUrl) throw new Error('PostgreSQL and Redis are required.');
    // The second place only provides a directory.
    places = [await postgres.makePlace(), await postgres.makePlace()];
    env = {
      DATABASE_URL: places[0]?.databaseUrl?.reveal() ?? '',
      REDIS_URL: testRedisUrl,
      REDIS_KEY_PREFIX: `test:${randomUUID()}:`,
      ENCRYPTION_KEY: newEncryptionKey().reveal(),
      BOOTSTRAP_API_KEY: newApiKeyText(),
      ALLOW_PRIVATE_UPSTREAMS: 'true',
    };
    const [one, two] = places.map(({ dataDir }) => ({ ...env, DATA_DIR: dataDir }));
    first = await startGatewayProcess(one ?? {}, []);
    second = await startGatewayProcess(two ?? {}, []);
    upstream = await startFixtureUpstream();
    otherKey = (await command('keys', 'create', '--tenant', 'other')).trim();
    stream = await openSse(first.url, first.key);
  });
  afterAll(async () => {
    stream.close();
    for (const gateway of [first, second]) await gateway.stop();
    await upstream.close();
    for (const place of places) await place.remove();
  });

  test('show, change and delete the tools that either of them registers', async () => {
    const auth = { type: 'bearer', token: 'token-1' };
    const session = await openSession(second.url, second.key);
    onTestFinished(session.close);
    const jobId = await submit('Shared', 'shared_echo', { auth });
    await until(async () => (await statusOf(jobId)) === 'registered');
    await expectSoon(async () => (await outcomeOf(second, 'shared_echo')) === 'ok');
    await until(() => session.messages().some(({ method }) => method === LIST_CHANGED));
    expect(await outcomeOf(second, 'shared_echo', otherKey)).toBe('unknown');
    expect(lastToken()).toBe('Bearer token-1');

    const [registration] = (await send(first, 'GET', '/api/v1/registrations')).registrations;
    const path = `/api/v1/registrations/${registration.id}`;
    await send(second, 'PATCH', path, { auth: { type: 'bearer', token: 'token-2' } });
    await expectSoon(async () => {
      await outcomeOf(first, 'shared_echo');
      return lastToken() === 'Bearer token-2';
    });

    await send(second, 'DELETE', path);
    await expectSoon(async () => (await outcomeOf(first, 'shared_echo')) === 'unknown');
    expect(await outcomeOf(second, 'shared_echo')).toBe('unknown');
  });

  test('tell the stream at one of them of every job that the other accepted', async () => {
    const jobId = await submit('Told', 'told_echo', {}, second);
    await until(() => eventsOf(jobId).at(-1)?.status === 'registered');
    const statuses = eventsOf(jobId).map(({ status }) => status);
    expect(statuses).toEqual(['queued', 'fetching', 'validating', 'converting', 'registered']);
    expect(await statusOf(jobId)).toBe('registered');
  });

  test('tell the stream at one of them that the other was killed during a job', async () => {
    const server = await startDescriptionServer(1);
    onTestFinished(() => server.close());
    server.hold();
    const body = { name: 'Held', spec_url: server.url };
    const { job_id: jobId } = await send(second, 'POST', '/api/v1/register', body);
    await until(() => server.requests() > 0);
    second.kill('SIGKILL');
    await second.ended;
    await until(() => eventsOf(jobId).at(-1)?.status === 'failed');
    expect(await statusOf(jobId)).toBe('failed');
  });

  /** Runs a command beside the gateways. */
  async function command(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = withoutDatabaseLine(
      await runGatewayCommand(args, { ...env, DATA_DIR: places[1]?.dataDir ?? '' }),
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  }

  /** Registers an API with one tool, and resolves with the id of the job. */
  async function submit(name: string, tool: string, members: object, gateway = first) {
    const spec_raw = describeEcho(upstream.url, tool);
    return (await send(gateway, 'POST', '/api/v1/register', { name, spec_raw, ...members })).job_id;
  }

  async function send(
    gateway: RunningGateway,
    method: string,
    path: string,
    body?: object,
    // biome-ignore lint/suspicious/noExplicitAny: tests read responses whose shape is under test.
  ): Promise<any> {
    const response = await fetch(gateway.url + path, {
      method,
      headers: { 'x-api-key': gateway.key, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(response.status).toBeLessThan(300);
    return response.json();
  }

  const statusOf = async (jobId: string): Promise<string> =>
    (await send(first, 'GET', `/api/v1/register/${jobId}/status`)).status;

  async function outcomeOf(gateway: RunningGateway, tool: string, key?: string) {
    const { error } = await gateway.call(tool, {}, key);
    if (error === undefined) return 'ok';
    expect(error.code).toBe(-32602);
    return 'unknown';
  }

  const lastToken = () => upstream.seen.at(-1)?.headers.authorization;

  /** The events of a job on the stream at the first gateway. */
  const eventsOf = (id: string): { status: string; job: { toolIds: string[]; error: unknown } }[] =>
    stream.events
      .filter(({ name }) => name === 'byoapi')
      .map(({ data }) => JSON.parse(data))
      .filter(({ jobId }) => jobId === id);
});

const LIST_CHANGED = 'notifications/tools/list_changed';

/** Opens a session of an HTTP+SSE client. */
async function openSession(url: string, key: string): Promise<SseClient> {
  const session = await openSse(url, key);
  const params = {
    protocolVersion: '2024-11-05',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  };
  for (const message of [
    { id: 1, method: 'initialize', params },
    { method: 'notifications/initialized' },
  ]) {
    await fetch(`${url}/mcp?sessionId=${session.clientId}`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  }
  await until(() => session.messages().some(({ id }) => id === 1));
  return session;
}

/** Waits for what follows from a change that was just made. */
async function expectSoon(condition: () => Promise<boolean>): Promise<void> {
  const startedMs = performance.now();
  await until(condition);
  expect(performance.now() - startedMs).toBeLessThan(NOTICED_MS);
}

const describeEcho = (url: string, tool: string): string => `openapi: 3.1.0
info: { title: Echo, version: '1' }
servers: [{ url: '${url}' }]
paths:
  /echo:
    get:
      operationId: ${tool}
      description: Returns what it was sent.
      x-cache-ttl: 0
      responses: { '200': { description: What it was sent. } }
`;
