import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { documentOf, registerText } from '../../../test/support/compile-text.ts';
import {
  type Handler,
  JOB_ID,
  jobStatus,
  type PlannedGateway,
  type ReceivedRegistration,
  respond,
  startPlannedGateway,
} from '../../../test/support/planned-gateway.ts';
import { makeDataDir, removeDir } from '../../../test/support/temporary-dir.ts';
import { createReport } from '../../tools/report/create-report.ts';
import { MAX_RESPONSE_BYTES } from '../shared/gateway-request.ts';
import { runWithin } from '../testing/run-within.ts';

const DOCUMENT = documentOf({ get: { operationId: 'listThings' }, post: { parameters: [1] } });
const ADDRESS = 'https://pets.example.com/openapi.json';
const TOOL_IDS = ['@ours.pets.list_pets', '@ours.pets.v1.get'];
const REGISTERED = jobStatus('registered', { toolIds: TOOL_IDS });

let dir: string;
let file: string;
let server: PlannedGateway;
beforeEach(async () => {
  dir = await makeDataDir();
  file = join(dir, 'pets.json');
  await writeFile(file, DOCUMENT);
  server = await startPlannedGateway();
  vi.stubEnv('BASE_URL', server.url);
  vi.stubEnv('TOOL_GATEWAY_API_KEY', 'a-key');
  vi.stubEnv('TOOL_GATEWAY_CREDENTIAL', '');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
  await removeDir(dir);
});

const run = (source: string, ...options: string[]) =>
  runWithin('register', source, '--name', 'Pets', ...options);

/** Runs a command that must succeed, and returns what the server received. */
async function receivedFrom(source: string, ...options: string[]) {
  server.statuses.push(REGISTERED);
  const { code, stderr } = await run(source, ...options);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const [{ headers, request }] = server.received as [ReceivedRegistration];
  return { headers, request };
}

describe('register', () => {
  test('prints the progress of the job, and then its tools', async () => {
    server.statuses.push(
      jobStatus('queued'),
      jobStatus('fetching', { progress: 0.1 }),
      jobStatus('converting', { progress: 0.8 }),
      REGISTERED,
    );
    expect(await run(file)).toEqual({
      code: 0,
      stdout:
        'ID                    NAME\n' +
        '@ours.pets.list_pets  list_pets\n' +
        '@ours.pets.v1.get     v1.get\n',
      stderr: `${JOB_ID}\n  0 % queued\n 10 % fetching\n 80 % converting\n100 % registered\n`,
    });
  });

  test('prints exactly the last status as JSON', async () => {
    server.statuses.push(REGISTERED);
    const { code, stdout } = await run(file, '--json');
    expect({ code, stdout: JSON.parse(stdout) }).toEqual({ code: 0, stdout: REGISTERED });
  });

  test('reads the status of a job that has ended when its submission is answered', async () => {
    server.statuses.push(REGISTERED);
    server.instead.push((request, response) => {
      const status_url = `/api/v1/register/${JOB_ID}/status`;
      const answer = { job_id: JOB_ID, status: 'registered', status_url };
      request.resume().on('end', () => respond(response, 202, answer));
    });
    expect((await run(file)).stdout).toContain(TOOL_IDS[0]);
  });

  test('says how many operations were lost', async () => {
    const report = createReport(await registerText(DOCUMENT));
    server.statuses.push(jobStatus('registered', { report }));
    const { stderr } = await run(file);
    expect(stderr).toMatch(/\n1 operation refused, 0 changed\. Add --dry-run to see why\.\n$/);
  });

  test('prints the report of a dry run', async () => {
    const report = createReport(await registerText(DOCUMENT));
    server.statuses.push(jobStatus('checked', { report }));
    const { code, stdout } = await run(file, '--dry-run');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^GET +\/things +listthings +accepted$/m);
    expect(stdout).toMatch(/^Score \d+ of 100: /m);
    expect(server.received[0]?.request.isDryRun).toBe(true);
  });

  test.each([
    ['unprocessable', '/paths', 'run: npm run -s cli -- openapi check'],
    ['upstream_unreachable', undefined, 'Check the address'],
    ['internal', undefined, 'Run the command again'],
    ['conflict', undefined, 'Nothing was registered.\n'],
  ])('fails with the reason and what to do for %s', async (code, pointer, advice) => {
    const failed = jobStatus('failed', {
      error: { code, message: 'It is \x1b[2Jwrong.', pointer },
    });
    server.statuses.push(failed);
    const plain = await run(file);
    expect(plain).toMatchObject({ code: 1, stdout: '' });
    expect(plain.stderr).toContain(`It is wrong.\n${pointer ? `  at ${pointer}\n` : ''}`);
    expect(plain.stderr).toContain(advice);
    const json = await run(file, '--json');
    expect({ code: json.code, stdout: JSON.parse(json.stdout) }).toEqual({
      code: 1,
      stdout: failed,
    });
  });
});

test('register without a terminal says how to confirm where the credential is sent', async () => {
  const asked = jobStatus('confirmation_required', {
    origins: ['https://api.example.com', 'https://b.example.com'],
    error: { code: 'conflict', message: 'It would be sent elsewhere.' },
  });
  server.statuses.push(asked);
  vi.stubEnv('TOOL_GATEWAY_CREDENTIAL', 'token');
  const { code, stdout, stderr } = await run(ADDRESS, '--auth', 'bearer', '--json');
  expect({ code, stdout: JSON.parse(stdout) }).toEqual({ code: 1, stdout: asked });
  expect(stderr).toMatch(
    /\nIt would be sent elsewhere\.\nNothing was registered\. To send the credential there, add: --confirm-origin https:\/\/api\.example\.com --confirm-origin https:\/\/b\.example\.com\n$/,
  );
});

describe('register sends', () => {
  test('a file as it is, with everything else', async () => {
    await writeFile(file, `${DOCUMENT}${' '.repeat(300_000)}동물`);
    const { headers, request } = await receivedFrom(
      file,
      ...['--category', 'pets', '--base-url', 'https://pets.example.com/v2'],
      ...['--description', '동물', '--include', 'tag=pets', '--include', 'tag=cats'],
      ...['--exclude', 'method=delete,path=/pets/*'],
    );
    expect(headers['x-api-key']).toBe('a-key');
    expect(request).toMatchObject({
      name: 'Pets',
      isDryRun: false,
      options: {
        about: { category: 'pets', description: '동물' },
        baseUrl: 'https://pets.example.com/v2',
        include: [{ tag: 'pets' }, { tag: 'cats' }],
        exclude: [{ method: 'delete', path: '/pets/*' }],
      },
    });
    expect(request.source.document).toEqual(await readFile(file));
  });

  test('an address for the gateway to fetch', async () => {
    const { request } = await receivedFrom(ADDRESS, '--dry-run');
    expect(request).toMatchObject({
      source: { descriptionUrl: ADDRESS },
      isDryRun: true,
      authentication: { scheme: { type: 'none' } },
    });
  });

  test('the origins that are confirmed', async () => {
    const origins = ['https://a.example.com', 'https://b.example.com'];
    const options = origins.flatMap((origin) => ['--confirm-origin', origin]);
    const { request } = await receivedFrom(ADDRESS, ...options);
    expect(request.confirmedOrigins).toEqual(origins);
  });

  test.each([
    ['bearer', [], { type: 'bearer' }, { token: 's3:cret' }],
    ['basic', [], { type: 'basic' }, { username: 's3', password: 'cret' }],
    ['basic', ['--username', 'me'], { type: 'basic' }, { username: 'me', password: 's3:cret' }],
    [
      'api_key',
      ['--auth-in', 'query', '--key-name', 'k'],
      { type: 'api_key', in: 'query', keyName: 'k' },
      { token: 's3:cret' },
    ],
    [
      'oauth2_client_credentials',
      ['--token-url', 'https://pets.example.com/token', '--client-id', 'me', '--scope', 'a b'],
      { clientId: 'me', scope: 'a b', tokenUrl: 'https://pets.example.com/token' },
      { client_secret: 's3:cret' },
    ],
  ])('the credential for %s %j', async (type, options, scheme, credentials) => {
    vi.stubEnv('TOOL_GATEWAY_CREDENTIAL', 's3:cret');
    const { request } = await receivedFrom(file, '--auth', type, ...options);
    expect(request.authentication.scheme).toMatchObject(scheme);
    const sent = Object.entries(request.authentication.credentials);
    expect(Object.fromEntries(sent.map(([name, secret]) => [name, secret.reveal()]))).toEqual(
      credentials,
    );
  });
});

describe('register refuses', () => {
  test.each([
    [['--auth', 'basic'], '--auth basic needs --username'],
    [['--auth', 'digest'], 'Allowed choices are none, bearer, basic'],
    [['--auth-in', 'body'], 'Allowed choices are header, query, cookie'],
    [['--include', 'pets'], 'Give one or more of tag, method, path, operationId'],
  ])('%j as wrong usage, before it sends anything', async (options, words) => {
    vi.stubEnv('TOOL_GATEWAY_CREDENTIAL', 's3cret');
    const { code, stdout, stderr } = await run(file, ...options);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: /);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain('s3cret');
    expect(server.received).toEqual([]);
  });
});

describe('register, when the gateway refuses,', () => {
  test('prints its message', async () => {
    const { code, stdout, stderr } = await run(file, '--category', 'No Category');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('/category must be lower-case letters');
  });

  test.each([
    [['--auth', 'api_key', '--auth-in', 'header'], '/auth/key_name'],
    [['--auth', 'bearer', '--key-name', 'k'], '/auth/key_name'],
    [['--scope', 'all'], '/auth/scope'],
  ])('names the member that is wrong: %j', async (options, member) => {
    vi.stubEnv('TOOL_GATEWAY_CREDENTIAL', 's3cret');
    const { code, stdout, stderr } = await run(file, ...options);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(member);
    expect(stderr).not.toContain('s3cret');
  });

  test.each([
    '/api/v1/registrations/reg_01KA3Z2V8QK6D4T0N9XJ5W7M1C',
    `/api/v1/register/${JOB_ID}/status`,
  ])('says how to show what a name is in conflict with: %s', async (path) => {
    server.instead.push((_, response) =>
      respond(response, 409, { message: 'An API named "Pets" is registered.' }, { location: path }),
    );
    const { code, stderr } = await run(file);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `An API named "Pets" is registered.\nShow it with: curl -H "x-api-key: $TOOL_GATEWAY_API_KEY" ${server.url}${path}\n`,
    );
  });

  test('does not repeat an address that no gateway sends', async () => {
    const location = '/api/v1/registrations/$(reboot)';
    server.instead.push((_, response) =>
      respond(response, 409, { message: 'It is registered.' }, { location }),
    );
    expect((await run(file)).stderr).toBe('It is registered.\n');
  });

  test.each([
    ['no job', 202, '{"status":"queued"}', 'is not the status of a registration job'],
    ['an id that is no id', 202, '{"job_id":"../x","status":"queued"}', 'is not the status of'],
  ])('checks that it is a gateway: %s', async (_, status, body, words) => {
    server.instead.push((_request, response) => response.writeHead(status).end(body));
    const { code, stderr } = await run(file);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(words) });
  });

  test('reads a bounded response', async () => {
    const megabyte = Buffer.alloc(1024 * 1024, ' ');
    server.instead.push((_, response) => {
      const write = (): void => {
        while (!response.destroyed && response.write(megabyte));
      };
      response.on('drain', write);
      write();
    });
    const { stderr } = await run(file);
    expect(stderr).toContain(`has more than ${MAX_RESPONSE_BYTES} bytes`);
  });
});

describe('register, when the connection breaks,', () => {
  const breakOff: Handler = (request) => request.destroy();
  const accept: Handler = (request, response) => {
    request.resume().on('end', () => respond(response, 202, jobStatus('queued')));
  };

  test('says so', async () => {
    server.instead.push(breakOff);
    const { code, stderr } = await run(file);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `The connection to the gateway at ${server.url} broke before the response was complete.\n`,
    });
    expect(server.received).toEqual([]);
  });

  test('keeps following the job', async () => {
    server.statuses.push(REGISTERED);
    server.instead.push(
      accept,
      (_, response) => respond(response, 200, jobStatus('queued')),
      breakOff,
      (_, response) => respond(response, 503, { message: 'Starting.' }),
    );
    const { code, stderr } = await run(file);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `${JOB_ID}\n  0 % queued\nThe gateway at ${server.url} does not respond. Trying again.\n100 % registered\n`,
    });
  });

  test('says how to look later if the job cannot be followed', async () => {
    server.instead.push(accept, (_, response) =>
      respond(response, 401, { message: 'A valid API key is required.' }),
    );
    const { code, stderr } = await run(file);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `creates a key. The job may still end. Show it with: curl -H "x-api-key: $TOOL_GATEWAY_API_KEY" ${server.url}/api/v1/register/${JOB_ID}/status\n`,
    );
  });
});
