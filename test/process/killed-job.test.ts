import { describe, expect, type TestContext, test } from 'vitest';
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

/** So many that compiling them takes long enough to be interrupted. */
const OPERATIONS = 40;
/** The killed process must be silent for 30 seconds, and other tests run at the same time. */
const TIME_LIMIT_MS = 300_000;

/** The last status that a process tells before it is killed. */
const MOMENTS = ['fetching', 'converting', 'registered'];

describe.each(TEST_BACKENDS)('a gateway killed during a registration ($name)', (backend) => {
  test.concurrent.for(MOMENTS)(
    'in state %s fails it after a restart, or has registered it whole',
    { timeout: TIME_LIMIT_MS },
    async (moment, context) => {
      const place = await backend.makePlace();
      context.onTestFinished(() => place.remove());
      const { env, jobId } = await killAt(moment, place, context);

      const gateway = await startGateway(env, context);
      let ended = await endOf(gateway, jobId);
      if (moment === 'registered') expect(ended['status']).toBe('registered');
      if (moment === 'fetching') expect(ended['status']).toBe('failed');
      if (ended['status'] === 'failed') {
        expect(ended['error']).toMatchObject({ code: 'unavailable' });
        await assertStored(place, 0);
        const again = await register(gateway, context);
        ended = await endOf(gateway, again.jobId);
        expect(ended).toMatchObject({ status: 'registered' });
      }
      const names = (ended['toolIds'] as string[]).map((id) => id.slice(id.lastIndexOf('.') + 1));
      expect(await listed(gateway)).toEqual(names.sort());
      await gateway.stop();
      await assertStored(place, 1);
    },
  );
});

/** Starts a gateway, submits a registration, and kills the process. */
async function killAt(moment: string, place: TestPlace, context: TestContext) {
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
  const { jobId } = await register(gateway, context, moment === 'fetching');
  await until(() => events.statuses().includes(moment));
  gateway.kill('SIGKILL');
  await gateway.ended;
  events.close();
  return { env, jobId };
}

/** Submits a registration, whose description is not served if it is held. */
async function register(gateway: RunningGateway, context: TestContext, isHeld = false) {
  const server = await startDescriptionServer(OPERATIONS);
  context.onTestFinished(() => server.close());
  if (isHeld) server.hold();
  const body = { name: 'Items', spec_url: server.url, auth: BEARER };
  const { job_id: jobId } = await request(gateway, '/api/v1/register', body);
  return { jobId: String(jobId) };
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

/** What is stored of so many registrations, and nothing else. */
async function assertStored(place: TestPlace, count: number): Promise<void> {
  const database = await openTestDatabase(place);
  const { registrations, documents, secrets } = await storedRows(database);
  await database.close();
  expect(registrations).toHaveLength(count);
  expect(documents).toHaveLength(count);
  const credentials = secrets.filter(({ field }) => field !== 'canary');
  const expected = registrations.map(({ id }) => ({ subject_id: id, field: 'token' }));
  expect(credentials).toEqual(expected);
}
