import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, type TestContext, test } from 'vitest';
import { newApiKeyText } from '../../src/platform/kernel/ids.ts';
import { newEncryptionKey } from '../../src/platform/vault/cipher.ts';
import { openTestDatabase, TEST_BACKENDS, type TestPlace } from '../support/databases.ts';
import { startDescriptionServer } from '../support/description-server.ts';
import { FEW_PRESETS } from '../support/few-presets.ts';
import {
  type Environment,
  type RunningGateway,
  startGatewayProcess,
} from '../support/gateway-process.ts';
import { storedRows } from '../support/registrations.ts';
import { openSse } from '../support/sse-client.ts';
import { until } from '../support/until.ts';

/** How often a process is killed in each way. */
const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? 1);
/** So many that compiling them takes long enough to be interrupted. */
const OPERATIONS = 40;
/** The lease of the killed process must expire, and other tests run at the same time. */
const TIME_LIMIT_MS = 300_000;

/** When a process is killed. */
interface Moment {
  readonly name: string;
  /** Whether the server with the description does not respond until the process is killed. */
  readonly isHeld?: boolean;
  /** Resolves when it is time, after the job was accepted. */
  readonly comes: (job: {
    readonly statuses: () => readonly string[];
    readonly requests: () => number;
  }) => Promise<void>;
}

const MOMENTS: readonly Moment[] = [
  { name: 'right after it accepted the job', comes: async () => undefined },
  {
    name: 'while it fetches',
    isHeld: true,
    comes: ({ requests }) => until(() => requests() > 0),
  },
  ...['validating', 'converting', 'registered'].map((status) => ({
    name: `once it says ${status}`,
    comes: ({ statuses }: { statuses: () => readonly string[] }) =>
      until(() => statuses().includes(status)),
  })),
  { name: 'at any time', comes: () => sleep(Math.random() * 1000) },
];

/** How often each state was found after the kill. */
const found = new Map<string, number>();
afterAll(() => {
  if (ROUNDS > 1) console.info('States of killed jobs:', Object.fromEntries(found));
});

describe.each(TEST_BACKENDS)('a gateway killed during a registration ($name)', (backend) => {
  const rounds = Array.from({ length: ROUNDS }, (_, at) => at + 1);
  const cases = rounds.flatMap((round) => MOMENTS.map((moment) => [moment.name, round, moment]));

  test.concurrent.for(cases as [string, number, Moment][])(
    '%s ends it once after a restart (round %i)',
    { timeout: TIME_LIMIT_MS },
    async ([, , moment], context) => {
      const place = await backend.makePlace();
      context.onTestFinished(() => place.remove());
      const { env, jobId, tools } = await killAt(moment, place, context);

      const gateway = await startGateway(env, context);
      const events = await openByoapi(gateway);
      const ended = await endOf(gateway, jobId);
      expect(ended).toMatchObject({ status: 'registered', error: null });
      expect(ended['toolIds']).toHaveLength(OPERATIONS);
      const registered = () => events.statuses().filter((status) => status === 'registered');
      expect(await listed(gateway)).toEqual(tools);
      const called = await gateway.call(`item${OPERATIONS}`);
      expect(called.result?.cacheStatus).toBe('MISS');
      expect(registered().length).toBeLessThanOrEqual(1);
      events.close();
      await gateway.stop();
      await assertStoredOnce(place);
    },
  );
});

/** Starts a gateway, submits a registration, and kills the process. */
async function killAt(moment: Moment, place: TestPlace, context: TestContext) {
  const server = await startDescriptionServer(OPERATIONS);
  context.onTestFinished(() => server.close());
  if (moment.isHeld) server.hold();
  const env = {
    DATA_DIR: place.dataDir,
    PRESETS_DIR: FEW_PRESETS,
    ALLOW_PRIVATE_UPSTREAMS: 'true',
    ENCRYPTION_KEY: newEncryptionKey().reveal(),
    BOOTSTRAP_API_KEY: newApiKeyText(),
    LOG_LEVEL: 'warn',
    ...(place.databaseUrl ? { DATABASE_URL: place.databaseUrl.reveal() } : {}),
  };
  const gateway = await startGateway(env, context);
  const events = await openByoapi(gateway);
  const { job_id: jobId } = await request(gateway, '/api/v1/register', {
    name: 'Items',
    spec_url: server.url,
    auth: BEARER,
  });
  await moment.comes({ statuses: events.statuses, requests: server.requests });
  gateway.kill('SIGKILL');
  await gateway.ended;
  events.close();
  server.release();
  await countState(place, String(jobId));
  const tools = Array.from({ length: OPERATIONS }, (_, at) => `item${at + 1}`).sort();
  return { env, jobId: String(jobId), tools };
}

const BEARER = { type: 'bearer', token: 'a-token' };

async function startGateway(env: Environment, context: TestContext): Promise<RunningGateway> {
  const gateway = await startGatewayProcess(env);
  context.onTestFinished(async () => {
    await gateway.stop();
  });
  return gateway;
}

/** The statuses of the job, as the gateway tells them. */
async function openByoapi({ url, key }: RunningGateway) {
  const stream = await openSse(url, key);
  return {
    statuses: (): string[] =>
      stream.events
        .filter(({ name }) => name === 'byoapi')
        .map(({ data }) => JSON.parse(data).status),
    close: stream.close,
  };
}

/** Sends a POST with a JSON body, or a GET, and resolves with the members of the response. */
async function request(
  { url, key }: RunningGateway,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(url + path, {
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  expect(response.status).toBeLessThan(300);
  return (await response.json()) as Record<string, unknown>;
}

/** The job once it has ended. */
async function endOf(gateway: RunningGateway, jobId: string) {
  const read = () => request(gateway, `/api/v1/register/${jobId}/status`);
  let job = await read();
  await until(async () => {
    job = await read();
    return job['progress'] === 1;
  });
  return job;
}

/** The names of the tools of the API. */
async function listed(gateway: RunningGateway): Promise<string[]> {
  const names: string[] = [];
  let cursor = '';
  do {
    const query = `?source=registered&limit=500${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const page = await request(gateway, `/api/v1/tools${query}`);
    names.push(...(page['tools'] as { name: string }[]).map(({ name }) => name));
    cursor = String(page['nextCursor'] ?? '');
  } while (cursor);
  return names.sort();
}

async function countState(place: TestPlace, jobId: string): Promise<void> {
  const database = await openTestDatabase(place);
  const row = await database.db
    .selectFrom('registration_jobs')
    .select('state')
    .where('id', '=', jobId)
    .executeTakeFirstOrThrow();
  await database.close();
  found.set(row.state, (found.get(row.state) ?? 0) + 1);
}

async function assertStoredOnce(place: TestPlace): Promise<void> {
  const database = await openTestDatabase(place);
  const { registrations, documents, secrets } = await storedRows(database);
  await database.close();
  expect(registrations).toMatchObject([{ name: 'Items' }]);
  expect(documents).toHaveLength(1);
  const credential = { subject_id: registrations[0]?.id, field: 'token' };
  const credentials = secrets.filter(({ field }) => field !== 'canary');
  expect(credentials).toEqual([credential]);
}
