import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLayer } from '../../src/tools/catalog-layer.ts';
import { visibleText } from '../support/arbitrary-text.ts';
import { makeApi, makeTool } from '../support/catalog-entries.ts';
import { TEST_BACKENDS } from '../support/databases.ts';
import { openRegistrationServer, type RegistrationServer } from '../support/registration-server.ts';
import { description, smallSteps, storedRows } from '../support/registrations.ts';
import { openSse, type SseClient } from '../support/sse-client.ts';
import { until } from '../support/until.ts';
import { verifies } from './requirements.ts';

const PATH = '/api/v1/registrations';
const UNKNOWN = `reg_${'0'.repeat(26)}`;

describe.each(TEST_BACKENDS)('registered APIs ($name)', (backend) => {
  let server: RegistrationServer;
  const streams: SseClient[] = [];
  beforeEach(async () => {
    server = await openRegistrationServer({ backend });
  });
  afterEach(async () => {
    for (const stream of streams.splice(0)) stream.close();
    await server.close();
  });

  /** Registers an API and resolves with its registration. */
  async function register(name: string, members: object = {}, key = server.key) {
    const body = { name, spec_raw: description('list get'), ...members };
    const accepted = await server.send('POST', '/api/v1/register', body, { key });
    expect(accepted.body).toMatchObject({ status: 'queued' });
    await until(async () => {
      const job = await server.json(accepted.body.status_url, { key });
      expect(job.body.error).toBeNull();
      return job.body.progress === 1;
    });
    const { body: page } = await server.json(`${PATH}?limit=100`, { key });
    return page.registrations.find((each: { name: string }) => each.name === name);
  }
  const connect = async (key: string, query = ''): Promise<SseClient> => {
    const stream = await openSse(server.url, key, query);
    streams.push(stream);
    return stream;
  };
  const jobEvents = ({ events }: SseClient) =>
    events.filter(({ name }) => name === 'byoapi').map(({ data }) => JSON.parse(data));

  test(
    verifies('GET /api/v1/registrations', 'GET /api/v1/registrations/:id', 'registration.record'),
    async () => {
      const auth = { type: 'basic', username: 'hidden-1', password: 'hidden-2' };
      const { calls, failures, ...registered } = await register('My API', { auth });
      expect([calls, failures]).toEqual([0, 0]);
      expect(registered).toMatchObject({
        id: expect.stringMatching(/^reg_[0-9A-Z]{26}$/),
        tenant: 'ours',
        name: 'My API',
        slug: 'my-api',
        baseUrl: 'https://api.example.com/v1',
        auth: { type: 'basic', set: true },
        toolIds: ['@ours.my-api.list', '@ours.my-api.get'],
        revision: 1,
        createdAt: expect.stringMatching(/Z$/),
        updatedAt: expect.stringMatching(/Z$/),
      });
      const one = await server.json(`${PATH}/${registered.id}`);
      expect(one.status).toBe(200);
      expect(one.body).toMatchObject({
        ...registered,
        extensions: [],
        tools: [{ name: 'list' }, { name: 'get' }],
        history: [{ action: 'registration.created' }],
      });
      expect(JSON.stringify(one.body)).not.toContain('hidden');
    },
  );

  test(verifies('registration.pages'), async () => {
    const names = ['A', 'B', 'C', 'D', 'E'];
    for (const name of names) await register(name);
    const all = await server.json(PATH);
    expect(all.body.registrations.map(({ name }: { name: string }) => name)).toEqual(names);
    expect(all.body.nextCursor).toBeNull();
    const paged: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? '?limit=2' : `?limit=2&cursor=${cursor}`;
      const { body } = await server.json(`${PATH}${query}`);
      expect(body.registrations.length).toBeLessThanOrEqual(2);
      expect(body.nextCursor ?? '').not.toContain('reg_');
      paged.push(...body.registrations.map(({ name }: { name: string }) => name));
      cursor = body.nextCursor;
    }
    expect(paged).toEqual(names);
    // An entry that is deleted meanwhile neither hides nor repeats others.
    const first = await server.json(`${PATH}?limit=2`);
    await server.json(`${PATH}/${first.body.registrations[1].id}`, { method: 'DELETE' });
    const rest = await server.json(`${PATH}?cursor=${first.body.nextCursor}`);
    expect(rest.body.registrations.map(({ name }: { name: string }) => name)).toEqual(
      names.slice(2),
    );
  });

  test.each(['limit=0', 'limit=101', 'limit=x', 'cursor=x', `cursor=${UNKNOWN}`, 'page=2'])(
    `${verifies('registration.pages')}: %s is 400`,
    async (query) => {
      const { status, body } = await server.json(`${PATH}?${query}`);
      expect(status).toBe(400);
      expect(Object.keys(body)).toEqual(['error', 'message']);
    },
  );

  test(verifies('registration.ids'), async () => {
    const ids = fc.oneof(
      visibleText({ minLength: 1, maxLength: 40 }).map(encodeURIComponent),
      fc.constantFrom('%00', 'reg_', "reg_'%20or%201=1", 'job_1', '%F0%9F%98%80', UNKNOWN),
    );
    const requests: [string, string, string][] = [
      ['GET', `${PATH}/`, ''],
      ['DELETE', `${PATH}/`, ''],
      ['DELETE', '/api/v1/tools/', ''],
      ['GET', '/api/v1/register/', '/status'],
    ];
    await fc.assert(
      fc.asyncProperty(ids, fc.constantFrom(...requests), async (id, [method, before, after]) => {
        fc.pre(!['.', '..'].includes(id));
        const { status } = await server.json(`${before}${id}${after}`, { method });
        expect(status).toBe(404);
      }),
      { numRuns: 100 },
    );
    expect((await server.send('PATCH', `${PATH}/%00`, {})).status).toBe(404);
  });

  test(verifies('PATCH /api/v1/registrations/:id', 'registration.patch'), async () => {
    const { id } = await register('My API');
    await register('Other');
    const path = `${PATH}/${id}`;
    const auth = { type: 'bearer', token: 'hidden-1' };
    const changed = await server.send('PATCH', path, { name: 'Pets', auth });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({
      id,
      name: 'Pets',
      slug: 'my-api',
      auth: { type: 'bearer', set: true },
    });
    expect(JSON.stringify(changed.body)).not.toContain('hidden');
    expect((await server.json(path)).body).toMatchObject(changed.body);
    const taken = await server.send('PATCH', path, { name: 'OTHER', auth: { type: 'none' } });
    expect(taken.status).toBe(409);
    expect((await server.json(taken.headers.get('location') ?? '')).body.name).toBe('Other');
    for (const [bad, message] of [
      [{ name: '', auth: {}, slug: 'x' }, '/name must not be empty'],
      [{ name: '', auth: {}, slug: 'x' }, '/auth/type "type" is required'],
      [{ name: '', auth: {}, slug: 'x' }, '/slug Unknown argument'],
      [[], 'Send a JSON object'],
      ['{', 'not valid JSON'],
      [{ spec_raw: 'x' }, '/spec_raw Unknown argument'],
      [{ visibility: 'public' }, '/visibility must be private'],
      [{ spec_raw: '#'.repeat(300_000) }, '/spec_raw Unknown argument'],
    ] as const) {
      const refused = await server.send('PATCH', path, bad);
      expect(refused.status).toBe(400);
      expect(refused.body.message).toContain(message);
    }
    expect((await server.json(path)).body).toMatchObject(changed.body);
    expect(await server.send('PATCH', `${path}?name=x`, {})).toMatchObject({ status: 400 });
    const put = await server.send('PUT', path, {});
    expect(put.status).toBe(405);
    expect(put.headers.get('allow')).toBe('GET, HEAD, DELETE, PATCH');
  });

  test(verifies('DELETE /api/v1/registrations/:id', 'registration.delete'), async () => {
    const registered = await register('My API', { auth: { type: 'bearer', token: 't' } });
    const path = `${PATH}/${registered.id}`;
    const deleted = await server.json(path, { method: 'DELETE' });
    expect(deleted.status).toBe(200);
    expect(deleted.body).toMatchObject({
      deleted: { id: registered.id, toolIds: registered.toolIds },
      message: 'Deleted the API "My API" with all 2 tools.',
    });
    expect((await server.json(path)).status).toBe(404);
    expect((await server.json(path, { method: 'DELETE' })).status).toBe(404);
    expect(await storedRows(server.place.database)).toEqual({
      secrets: [],
      documents: [],
      registrations: [],
    });
    await register('My API');
  });

  test(verifies('registration.tenant'), async () => {
    const { id } = await register('My API');
    const { key } = await server.createKey('theirs');
    const path = `${PATH}/${id}`;
    expect((await server.json(PATH, { key })).body).toEqual({
      registrations: [],
      nextCursor: null,
    });
    const answers = async (each: string) => [
      await server.json(each, { key }),
      await server.send('PATCH', each, { name: 'x' }, { key }),
      await server.json(each, { key, method: 'DELETE' }),
    ];
    const theirs = await answers(path);
    const unknown = await answers(`${PATH}/${UNKNOWN}`);
    expect(theirs.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(theirs.map(({ body }) => body)).toEqual(unknown.map(({ body }) => body));
    expect((await server.json(path)).body.name).toBe('My API');
  });

  describe('by their tools', () => {
    const deleteTool = (tool: string, key = server.key) =>
      server.json(`/api/v1/tools/${encodeURIComponent(tool)}`, { method: 'DELETE', key });
    const toolsOf = (id: string) => makeApi(id, [makeTool('list'), makeTool('get')]);
    const serve = (tenant: 'ours' | 'theirs', version: number) =>
      server.catalog.setTenantLayer(
        server.place[tenant],
        createLayer(toolsOf(`${tenant}/my-api`), version),
      );

    test.each(['@ours.my-api.list', 'get'])(
      `${verifies('DELETE /api/v1/tools/:toolId')}: %s`,
      async (tool) => {
        const registered = await register('My API');
        const other = await register('Other');
        serve('ours', 1);
        const { status, body } = await deleteTool(tool);
        expect(status).toBe(200);
        expect(body).toMatchObject({
          deleted: { id: registered.id },
          message: 'Deleted the API "My API" with all 2 tools.',
        });
        expect((await server.json(PATH)).body.registrations).toEqual([other]);
      },
    );

    test(verifies('contract.403'), async () => {
      await register('My API');
      for (const tool of ['rates', 'money.bank.rates']) {
        const { status, body } = await deleteTool(tool);
        expect(status).toBe(403);
        expect(body).toEqual({
          error: 'Forbidden',
          message: expect.stringContaining('does not belong to an API that your tenant registered'),
        });
      }
      expect((await server.json(PATH)).body.registrations).toHaveLength(1);
    });

    test(verifies('registration.tenant').concat(': tools'), async () => {
      const { key } = await server.createKey('theirs');
      await register('My API');
      serve('ours', 1);
      const hidden = await deleteTool('@ours.my-api.list', key);
      const unknown = await deleteTool('@ours.my-api.nothing', key);
      expect(hidden.status).toBe(404);
      expect(hidden.body).toEqual(unknown.body);
      expect((await server.json(PATH)).body.registrations).toHaveLength(1);
    });

    test('a tool that the key may not use does not exist for it, and the others are 403', async () => {
      await register('My API');
      serve('ours', 1);
      const { key } = await server.createKey('ours', ['list', 'rates']);
      expect((await deleteTool('get', key)).status).toBe(404);
      expect((await deleteTool('list', key)).status).toBe(403);
      expect((await deleteTool('rates', key)).status).toBe(403);
      expect((await server.json(PATH)).body.registrations).toHaveLength(1);
    });

    test('the API that has the slug now is not deleted for a tool of its predecessor', async () => {
      const first = await register('My API');
      serve('ours', 1);
      await server.json(`${PATH}/${first.id}`, { method: 'DELETE' });
      await register('My API', { spec_raw: description('other') });
      expect((await deleteTool('@ours.my-api.list')).status).toBe(404);
      expect((await server.json(PATH)).body.registrations).toHaveLength(1);
    });
  });

  describe('events', () => {
    test(verifies('event.byoapi', 'event.byoapi.key'), async () => {
      const { key: sameTenant } = await server.createKey('ours');
      const { key: otherTenant } = await server.createKey('theirs');
      const mine = await connect(server.key);
      const narrowed = await connect(server.key, '?tools=nothing');
      const others = [await connect(sameTenant), await connect(otherTenant)];
      const auth = { type: 'bearer', token: 'hidden-1' };
      const { toolIds } = await register('My API', { auth });
      await until(() => jobEvents(mine).length === 5 && jobEvents(narrowed).length === 5);
      const events = jobEvents(mine);
      expect(events.map(({ status }) => status)).toEqual([
        'queued',
        'fetching',
        'validating',
        'converting',
        'registered',
      ]);
      for (const event of events) {
        expect(Object.keys(event)).toEqual(['jobId', 'status', 'job']);
        expect(event.job).toMatchObject({ jobId: event.jobId, status: event.status });
      }
      const job = await server.json(`/api/v1/register/${events[0].jobId}/status`);
      expect(events.at(-1).job).toEqual(job.body);
      expect(job.body.toolIds).toEqual(toolIds);
      expect(jobEvents(narrowed)).toEqual(events);
      expect(JSON.stringify(events)).not.toContain('hidden');
      // Events of others arrive in the same order, so that theirs would be there by now.
      await register('Theirs', {}, otherTenant);
      await until(() => jobEvents(others[1] as SseClient).length === 5);
      expect(jobEvents(others[0] as SseClient)).toEqual([]);
      expect(jobEvents(others[1] as SseClient).map(({ job: { name } }) => name)).toEqual(
        new Array(5).fill('Theirs'),
      );
      expect(jobEvents(mine)).toHaveLength(5);
    });

    test(verifies('event.byoapi', 'registration.confirmation'), async () => {
      await server.close();
      const spec_url = 'https://docs.example.com/openapi.json';
      const steps = smallSteps({ [spec_url]: description('list get') });
      server = await openRegistrationServer({ backend, steps });
      const stream = await connect(server.key);
      const body = { name: 'My API', spec_url, auth: { type: 'bearer', token: 'hidden-1' } };
      const submit = (members: object) =>
        server.send('POST', '/api/v1/register', { ...body, ...members });
      const accepted = await submit({});
      await until(() => jobEvents(stream).length === 5);
      const asked = jobEvents(stream).at(-1);
      expect(asked).toMatchObject({
        status: 'confirmation_required',
        job: {
          progress: 1,
          origins: ['https://api.example.com'],
          error: { code: 'conflict', message: expect.stringContaining('confirm_origins') },
          report: { tools: 2 },
          toolIds: [],
        },
      });
      const job = await server.json(accepted.body.status_url);
      expect(job.body).toEqual(asked.job);
      expect(JSON.stringify(job.body)).not.toContain('hidden');
      expect((await server.json(PATH)).body.registrations).toEqual([]);
      expect((await submit({ confirm_origins: ['api.example.com'] })).body.message).toContain(
        '/confirm_origins/0 must be an origin',
      );

      const confirmed = await submit({ confirm_origins: asked.job.origins });
      expect(confirmed.status).toBe(202);
      await until(() => jobEvents(stream).at(-1).status === 'registered');
      expect((await server.json(confirmed.body.status_url)).body.origins).toEqual([]);
    });

    test(verifies('event.byoapi.bound'), async () => {
      await server.close();
      const steps = smallSteps();
      const report = { text: '날'.repeat(30_000) };
      server = await openRegistrationServer({
        backend,
        steps: {
          ...steps,
          compile: async (input, limits) => ({ ...(await steps.compile(input, limits)), report }),
        },
      });
      const mine = await connect(server.key);
      await register('My API');
      await until(() => jobEvents(mine).length === 5);
      const { jobId, job } = jobEvents(mine).at(-1);
      expect(job.report).toBeNull();
      const status = await server.json(`/api/v1/register/${jobId}/status`);
      expect(status.body.report).toEqual(report);
    });
  });
});
