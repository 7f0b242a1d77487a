import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ADMIN_ENV } from '../support/admin-client.ts';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { joinTenant, type PersonClient, signIn } from './person-client.ts';

const ENV = {
  ...ADMIN_ENV,
  ALLOW_PRIVATE_UPSTREAMS: 'true',
  ENCRYPTION_KEY: Buffer.alloc(32, 'k').toString('base64'),
  REGISTRATION_MAX_BYTES: '1000000',
};
const BEARER = { type: 'bearer', token: 'practice-token' };

describe.each(GATEWAY_BACKENDS)('people and the APIs of their tenant ($name)', (backend) => {
  let gateway: TestGateway;
  let operator: PersonClient;
  let admin: PersonClient;
  let viewer: PersonClient;
  let tenant: string;
  let number = 0;
  beforeAll(async () => {
    gateway = await startTestGateway({ backend, env: ENV });
    operator = await signIn(gateway);
  });
  afterAll(() => gateway.close());
  beforeEach(async () => {
    tenant = `readers-${++number}`;
    await operator.ask('POST /tenants', { slug: tenant, name: 'Readers' });
    admin = await joinTenant(gateway, operator, { tenant, role: 'admin' });
    viewer = await joinTenant(gateway, operator, { tenant, role: 'viewer' });
  });

  const practice = () => `${gateway.sandbox.url}/practice/openapi.yaml`;
  const base = () => `/tenants/${tenant}`;
  const request = (members: object = {}) => ({
    name: 'Reading List',
    spec_url: practice(),
    auth: BEARER,
    ...members,
  });

  /** Follows a job until it ends or waits. */
  async function ended(id: string, who = viewer) {
    let job: { status: string; [member: string]: unknown } = { status: '' };
    await until(async () => {
      job = await who.get(`GET ${base()}/registration-jobs/${id}`);
      return job['progress'] === 1;
    });
    return job as Awaited<ReturnType<PersonClient['get']>>;
  }
  const submit = async (members: object = {}, who = admin) => {
    const { id } = await who.get(`POST ${base()}/registrations`, request(members));
    return ended(id);
  };
  const open = (id: string, who = viewer) => who.get(`GET ${base()}/registrations/${id}`);

  test('a description is checked, then registered, listed and called', async () => {
    const checked = await submit({ dry_run: true });
    expect(checked).toMatchObject({
      status: 'checked',
      isDryRun: true,
      actor: admin.id,
      authType: 'bearer',
      source: { kind: 'address', address: practice() },
      report: { tools: 3 },
    });
    expect((await viewer.get(`GET ${base()}/registrations`)).registrations).toEqual([]);

    const done = await submit();
    expect(done).toMatchObject({ status: 'registered' });
    const { registrations, nextCursor } = await viewer.get(`GET ${base()}/registrations`);
    expect(registrations).toMatchObject([
      { id: done.registrationId, name: 'Reading List', auth: { type: 'bearer', set: true } },
    ]);
    expect(nextCursor).toBeNull();
    expect(await open(done.registrationId)).toMatchObject({
      revision: 1,
      origins: [gateway.sandbox.url],
      tools: [
        { name: 'listbooks', method: 'GET', path: '/books', ownText: null },
        { name: 'addbook' },
        { name: 'getbook' },
      ],
      history: [{ action: 'registration.created', actor: admin.id }],
    });
    const { key } = await gateway.createKey(tenant);
    const called = await gateway.call('listbooks', { author: 'Borges' }, key);
    expect(called.body.result.data).toMatchObject({ books: [{ title: 'Ficciones' }] });

    const { jobs } = await viewer.get(`GET ${base()}/registration-jobs`);
    expect(jobs.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
      [done.id, 'registered'],
      [checked.id, 'checked'],
    ]);
  });

  test('pages of jobs follow one another', async () => {
    for (let each = 0; each < 3; each++) await submit({ dry_run: true });
    const path = `GET ${base()}/registration-jobs?limit=2`;
    const first = await viewer.get(path);
    expect(first.jobs).toHaveLength(2);
    const second = await viewer.get(`${path}&cursor=${first.nextCursor}`);
    expect([second.jobs.length, second.nextCursor]).toEqual([1, null]);
    expect((await viewer.ask(`${path}&cursor=nothing`)).status).toBe(404);
  });

  test('two people who change the same registration hear of one another', async () => {
    const { registrationId: id } = await submit();
    const change = (input: object, who = admin) =>
      who.ask(`PATCH ${base()}/registrations/${id}`, input);
    const renamed = await change({ revision: 1, name: 'Books' }, operator);
    expect(renamed).toMatchObject({ status: 200, body: { name: 'Books' } });
    const late = await change({ revision: 1, descriptions: { listbooks: 'All books.' } });
    expect(late.status).toBe(409);
    expect(JSON.stringify(late.body)).toContain('Reload it');
    expect((await change({ revision: 2, include: [{ method: 'get' }] })).status).toBe(200);
    const filtered = await change({ revision: 2, include: null });
    expect(filtered.status).toBe(409);
    expect((await change({ revision: 3, descriptions: { listbooks: 'All.' } })).status).toBe(200);
    const refresh = { revision: 3, dry_run: true };
    const path = `POST ${base()}/registrations/${id}/refresh`;
    expect((await admin.ask(path, refresh)).status).toBe(409);
    expect(await open(id)).toMatchObject({
      revision: 4,
      name: 'Books',
      tools: [{ name: 'listbooks', ownText: 'All.', description: 'All.' }, { name: 'getbook' }],
      history: [{ actor: admin.id }, { actor: admin.id }, { actor: operator.id }, {}],
    });
    expect((await change({ revision: 4 }, viewer)).status).toBe(403);
  });
});
