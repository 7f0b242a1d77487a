import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MAX_JSON_BYTES } from '../../src/dialects/json-rpc/read-members.ts';
import { GatewayError } from '../../src/platform/kernel/error.ts';
import { createVault } from '../../src/platform/vault/vault.ts';
import { TEST_BACKENDS } from '../support/databases.ts';
import { sendRaw } from '../support/raw-request.ts';
import {
  openRegistrationServer,
  type RegistrationServer,
  type RegistrationServerOptions,
} from '../support/registration-server.ts';
import { description, smallSteps, storedRows } from '../support/registrations.ts';
import { until } from '../support/until.ts';
import { verifies } from './requirements.ts';

const PATH = '/api/v1/register';
const RAW = { name: 'My API', spec_raw: description('list get') };
const NOTHING = { secrets: [], documents: [], registrations: [] };
const BEARER = { type: 'bearer', token: 't' };

describe.each(TEST_BACKENDS)('POST /api/v1/register ($name)', (backend) => {
  let server: RegistrationServer;
  const reopen = async (options: Partial<RegistrationServerOptions>) => {
    await server.close();
    server = await openRegistrationServer({ backend, ...options });
  };
  beforeEach(async () => {
    server = await openRegistrationServer({ backend });
  });
  afterEach(() => server.close());

  const register = (body: unknown, headers: Record<string, string> = {}) =>
    server.send('POST', PATH, body, { headers });
  /** Waits for the end of the job that a response names, and returns its view. */
  async function ended({ body }: { body: { status_url: string } }) {
    let job = await server.json(body.status_url);
    await until(async () => {
      job = await server.json(body.status_url);
      return job.body.progress === 1;
    });
    return job.body;
  }

  test(
    verifies(
      'POST /api/v1/register',
      'GET /api/v1/register/:id/status',
      'registration.202',
      'registration.job',
    ),
    async () => {
      const accepted = await register(RAW);
      expect(accepted.status).toBe(202);
      const { job_id: id } = accepted.body;
      expect(id).toMatch(/^job_[0-9A-Z]{26}$/);
      const statusUrl = `${PATH}/${id}/status`;
      expect(accepted.body).toEqual({ job_id: id, status: 'queued', status_url: statusUrl });
      expect(accepted.headers.get('location')).toBe(statusUrl);
      expect(await ended(accepted)).toEqual({
        job_id: id,
        jobId: id,
        status: 'registered',
        name: 'My API',
        progress: 1,
        createdAt: expect.stringMatching(/Z$/),
        updatedAt: expect.stringMatching(/Z$/),
        error: null,
        origins: [],
        report: { tools: 2 },
        toolIds: ['@ours.my-api.list', '@ours.my-api.get'],
      });
    },
  );

  test(verifies('registration.members'), async () => {
    await reopen({
      steps: smallSteps({ 'https://example.com/openapi.yaml': description('list') }),
    });
    const all = {
      name: '날씨 API',
      spec_url: 'https://example.com/openapi.yaml',
      auth: { type: 'api_key', in: 'header', key_name: 'x-key', token: 'secret-1' },
      visibility: 'private',
      category: 'open-data',
      description: 'Two\nlines.',
      base_url: 'https://api.example.com/v2',
      confirm_origins: ['https://api.example.com'],
      include: [{ tag: 'weather', method: 'GET', path: '/a/*', operationId: 'list' }],
      exclude: [{ operationId: 'deleteAll' }],
      dry_run: true,
    };
    const accepted = await register(all);
    expect(accepted).toMatchObject({ status: 202 });
    expect(await ended(accepted)).toMatchObject({ status: 'checked', toolIds: [] });
    const wrong = await register({ ...all, nmae: 'x' });
    expect(wrong.status).toBe(400);
    expect(wrong.body.message).toContain('/nmae Unknown argument');
  });

  test.each([
    ['none', {}],
    ['bearer', { token: 'secret-1' }],
    ['basic', { username: 'secret-1', password: 'secret-2' }],
    ['api_key', { in: 'query', key_name: 'key', token: 'secret-1' }],
    [
      'oauth2_client_credentials',
      {
        token_url: 'https://id.example.com/token',
        client_id: 'me',
        client_secret: 'secret-1',
        scope: 'read',
      },
    ],
  ])(`${verifies('registration.members')}: auth of type %s`, async (type, members) => {
    const accepted = await register({ ...RAW, auth: { type, ...members } });
    expect(accepted.status).toBe(202);
    const job = await ended(accepted);
    const { body } = await server.json('/api/v1/registrations');
    expect(body.registrations[0].auth).toEqual({ type, set: type !== 'none' });
    expect(JSON.stringify([accepted.body, job, body])).not.toContain('secret-');
  });

  test(verifies('registration.form'), async () => {
    const members = { name: '날씨', base_url: 'https://b.example.com', auth: BEARER };
    const accepted = await server.sendForm(PATH, members, description('list'));
    expect(accepted.status).toBe(202);
    expect(await ended(accepted)).toMatchObject({ status: 'registered', name: '날씨' });
    const { body } = await server.json('/api/v1/registrations');
    expect(body.registrations).toMatchObject([
      { name: '날씨', baseUrl: 'https://b.example.com', auth: { type: 'bearer' } },
    ]);
    const refused = await server.sendForm(PATH, { nmae: 'x' }, description('list'));
    expect(refused.status).toBe(400);
    expect(refused.body.message).toMatch(/\/name "name" is required.*\/nmae Unknown argument/);
  });

  test(verifies('registration.query'), async () => {
    for (const name of ['name', 'token', 'auth', 'password', 'client_secret']) {
      const { status } = await server.send('POST', `${PATH}?${name}=hidden`, RAW);
      expect(status).toBe(400);
    }
    expect(await storedRows(server.place.database)).toEqual(NOTHING);
  });

  test(verifies('registration.400'), async () => {
    const { status, body } = await register({
      name: '',
      spec_url: 'ftp://example.com',
      spec_raw: 'openapi: 3.1.0',
      auth: { type: 'basic', username: 'a' },
      visibility: 'secret',
      category: 'Not One',
      include: 'all',
      dry_run: 'yes',
    });
    expect(status).toBe(400);
    expect(body.error).toBe('Bad Request');
    for (const pointer of ['/name', '/spec_raw', '/auth/password', '/visibility', '/category']) {
      expect(body.message).toContain(`${pointer} `);
    }
    expect(body.message).toContain('/include ');
    expect(body.message).toContain('/dry_run ');
  });

  test.each([
    ['both sources', { ...RAW, spec_url: 'https://example.com/a' }, '/spec_raw must not be sent'],
    ['no source', { name: 'x' }, '/spec_url is required'],
    ['an empty name', { ...RAW, name: ' ' }, '/name must not be empty'],
    ['no name', { spec_raw: 'x' }, '/name "name" is required'],
    ['an empty description', { ...RAW, spec_raw: ' ' }, '/spec_raw must be a string with'],
    ['auth without its parts', { ...RAW, auth: { type: 'bearer' } }, '/auth/token is required'],
    ['auth without a type', { ...RAW, auth: {} }, '/auth/type "type" is required'],
    ['a private address', { name: 'x', spec_url: 'http://127.1/' }, '/spec_url must be on the'],
    ['an array', [RAW], 'must be a JSON object'],
    ['null', null, 'must be a JSON object'],
    ['not JSON', '{"name"', 'not valid JSON'],
    ['a duplicate member', '{"name":"a","name":"b"}', 'names a member twice'],
  ])(`${verifies('registration.400')}: %s`, async (_what, body, message) => {
    const response = await register(body);
    expect(response.status).toBe(400);
    expect(Object.keys(response.body)).toEqual(['error', 'message']);
    expect(response.body.message).toContain(message);
    expect(await storedRows(server.place.database)).toEqual(NOTHING);
  });

  test.each([
    ['JSON', { 'content-type': 'application/json' }],
    ['a form', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['no media type', {}],
  ])(`${verifies('registration.400')}: an empty body, %s`, async (_what, headers) => {
    const response = await sendRaw(server.url, {
      method: 'POST',
      path: PATH,
      headers: { 'x-api-key': server.key, 'content-length': 0, ...headers },
    });
    expect(response.status).toBe(400);
    expect(response.json.message).toContain('The request has no body');
  });

  test(verifies('registration.409'), async () => {
    const steps = smallSteps();
    const go = Promise.withResolvers<void>();
    await reopen({
      steps: {
        ...steps,
        compile: async (input, limits) => {
          await go.promise;
          return steps.compile(input, limits);
        },
      },
    });
    const first = await register(RAW);
    const running = await register({ ...RAW, name: 'MY-api' });
    expect(running.status).toBe(409);
    expect(running.body).toEqual({ error: 'Conflict', message: expect.stringContaining('My API') });
    expect(running.headers.get('location')).toBe(first.body.status_url);
    go.resolve();
    await ended(first);
    const { body } = await server.json('/api/v1/registrations');
    const registered = await register(RAW);
    expect(registered.status).toBe(409);
    expect(registered.headers.get('location')).toBe(
      `/api/v1/registrations/${body.registrations[0].id}`,
    );
    expect((await server.json(registered.headers.get('location') ?? '')).status).toBe(200);
  });

  test(verifies('registration.413'), async () => {
    await reopen({ maxDocumentBytes: 300_000 });
    const document = (bytes: number) => `${description('list')}\n`.padEnd(bytes, '#');
    const members = { name: 'x', dry_run: true };
    expect((await server.sendForm(PATH, members, document(300_000))).status).toBe(202);
    const inJson = (spec_raw: string) => JSON.stringify({ ...members, spec_raw });
    // Escapes do not count: only the description does.
    const escaped = inJson(document(300_000)).replaceAll('#', '\\n');
    expect(escaped.length).toBeGreaterThan(500_000);
    expect((await register(escaped)).status).toBe(202);
    const tooLong = await register(inJson('x').padEnd(MAX_JSON_BYTES + 1));
    expect(tooLong.body.message).toContain('-F document=@openapi.yaml');
    const refused = [
      tooLong,
      await server.sendForm(PATH, members, document(300_001)),
      await server.sendForm(PATH, members, document(2_000_000)),
      await register(inJson(document(300_001))),
    ];
    for (const { status, body } of refused) {
      expect(status).toBe(413);
      expect(body).toEqual({
        error: 'Payload Too Large',
        message: expect.stringMatching(/larger than \d+ bytes/),
      });
    }
  });

  test.each(['text/plain', 'application/yaml', 'application/jsonx'])(
    verifies('registration.415').concat(': %s'),
    async (type) => {
      const response = await server.json(PATH, {
        method: 'POST',
        headers: { 'content-type': type },
        body: description('list'),
      });
      expect(response.status).toBe(415);
      expect(response.body.message).toContain('multipart/form-data');
    },
  );

  test(verifies('registration.415').concat(': a content coding'), async () => {
    const response = await register(RAW, { 'content-encoding': 'gzip' });
    expect(response.status).toBe(415);
    expect(response.headers.get('accept-encoding')).toBe('identity');
  });

  test(verifies('registration.private'), async () => {
    const { status, body } = await register({ ...RAW, visibility: 'public' });
    expect(status).toBe(400);
    expect(body).toEqual({
      error: 'Bad Request',
      message:
        'The registration is not valid: /visibility must be private: registered APIs are private to their tenant. To share one with all tenants, an operator makes it a preset with `tool-gateway presets from-registration`.',
    });
  });

  test(verifies('registration.429'), async () => {
    await reopen({
      steps: { ...smallSteps(), compile: () => new Promise(() => undefined) },
    });
    for (let i = 0; i < 32; i++) {
      expect((await register({ ...RAW, name: `API ${i}` })).status).toBe(202);
    }
    const { status, headers, body } = await register({ ...RAW, name: 'one more' });
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(body.message).toContain('32 registration jobs are waiting');
  });

  test(verifies('registration.503'), async () => {
    await reopen({ vault: createVault(() => []) });
    const { status, body } = await register({ ...RAW, auth: { type: 'bearer', token: 't' } });
    expect(status).toBe(503);
    expect(body.message).toContain('ENCRYPTION_KEY');
    expect((await register(RAW)).status).toBe(202);
  });

  test(verifies('registration.rate-limit'), async () => {
    await reopen({ rateLimit: 3 });
    await register(RAW);
    await register({});
    expect((await server.json('/api/v1/registrations')).headers.get('ratelimit')).toMatch(/r=0/);
    expect((await register({ ...RAW, name: 'Second' })).status).toBe(429);
  });

  test(verifies('registration.memory'), async () => {
    await reopen({ budgetBytes: 2_000_000 });
    const long = `${description('list')}\n${'#'.repeat(600_000)}`;
    // The body fits the half of a tenant, but not the body and what it is parsed to.
    const refused = await register({ ...RAW, spec_raw: long });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((await server.sendForm(PATH, { name: 'x' }, long)).status).toBe(202);
    await until(() => server.budget.stats().usedBytes === 0);
  });

  test(verifies('registration.failed'), async () => {
    const accepted = await register({
      ...RAW,
      spec_raw: 'broken',
      auth: { type: 'bearer', token: 't' },
    });
    expect(await ended(accepted)).toMatchObject({
      status: 'failed',
      error: { code: 'unprocessable', message: expect.any(String), pointer: '/paths' },
      report: null,
      toolIds: [],
    });
    expect(await storedRows(server.place.database)).toEqual(NOTHING);
    expect((await server.json('/api/v1/registrations')).body.registrations).toEqual([]);
  });

  test(verifies('registration.failed').concat(': an unreachable address'), async () => {
    await reopen({
      steps: {
        ...smallSteps(),
        fetchDocument: () =>
          Promise.reject(new GatewayError('upstream_blocked', 'The address is a private one.')),
      },
    });
    const accepted = await register({ name: 'x', spec_url: 'https://example.com/a' });
    expect(await ended(accepted)).toMatchObject({
      status: 'failed',
      error: { code: 'upstream_blocked', message: 'The address is a private one.' },
    });
  });

  test(verifies('registration.403'), async () => {
    const { key } = await server.createKey('ours', ['*', '@*']);
    const { body } = await register(RAW);
    const id = `reg_${'0'.repeat(26)}`;
    for (const [method, path] of [
      ['POST', PATH],
      ['GET', body.status_url],
      ['GET', '/api/v1/registrations'],
      ['GET', `/api/v1/registrations/${id}`],
      ['PATCH', `/api/v1/registrations/${id}`],
      ['DELETE', `/api/v1/registrations/${id}`],
    ]) {
      const response =
        method === 'GET'
          ? await server.json(path, { key })
          : await server.send(method, path, RAW, { key });
      expect(response.status).toBe(403);
      expect(response.body).toEqual({
        error: 'Forbidden',
        message: expect.stringContaining('without such a list'),
      });
    }
  });

  test(verifies('registration.tenant').concat(': jobs'), async () => {
    const { body } = await register(RAW);
    const { key } = await server.createKey('theirs');
    const theirs = await server.json(body.status_url, { key });
    const unknown = await server.json(`${PATH}/job_${'0'.repeat(26)}/status`, { key });
    expect(theirs.status).toBe(404);
    expect(theirs.body).toEqual(unknown.body);
  });

  test(verifies('registration.400').concat(': whatever the members are'), async () => {
    const value = fc.oneof(fc.string(), fc.jsonValue());
    const names = ['name', 'spec_raw', 'spec_url', 'auth', 'include', 'dry_run', 'description'];
    const bodies = fc.dictionary(fc.constantFrom(...names), value);
    await fc.assert(
      fc.asyncProperty(bodies, async (members) => {
        const { status, body } = await register({ ...members, visibility: 'wrong' });
        expect(status).toBe(400);
        expect(body.message.length).toBeLessThan(4000);
      }),
      { numRuns: 60 },
    );
  });
});
