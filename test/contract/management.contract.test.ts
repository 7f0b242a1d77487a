import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ADMIN_ENV,
  type AdminClient,
  createAdminClient,
  inviteAndJoin,
  signIn,
} from '../support/admin-client.ts';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { verifies } from './requirements.ts';

describe.each(GATEWAY_BACKENDS)('management by keys with a scope ($name)', (backend) => {
  let gateway: TestGateway;
  let admin: string;
  let operator: string;
  beforeAll(async () => {
    gateway = await startTestGateway({ backend, env: ADMIN_ENV });
    admin = (await gateway.createKey('acme', { scope: 'admin' })).key;
    operator = (await gateway.createKey('acme', { scope: 'operator' })).key;
    await gateway.createKey('other');
  });
  afterAll(() => gateway.close());

  const send = async (key: string, route: string, body?: object) => {
    const [method = '', path = ''] = route.split(' ');
    return gateway.json(`/api/v1/admin${path}`, {
      method,
      key,
      ...(body && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
  };
  const manage = (key: string, method: string, params: object = {}) =>
    gateway.json('/mcp?mode=manage', {
      method: 'POST',
      key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });

  test(verifies('management.rest'), async () => {
    const created = await send(admin, 'POST /tenants/acme/keys', {
      name: 'night report',
      allowedTools: ['kma_*'],
      dailyLimit: 5,
    });
    expect(created).toMatchObject({
      status: 200,
      body: {
        text: expect.stringMatching(/^tg_live_/),
        key: { owner: { id: 'cli' }, scope: null },
      },
    });
    expect(created.headers.get('cache-control')).toBe('no-store');
    const { id, revision } = created.body.key;
    const list = await gateway.rpc(
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      created.body.text,
    );
    expect(list.status).toBe(200);
    const changed = await send(admin, `PATCH /tenants/acme/keys/${id}`, {
      revision,
      dailyLimit: 7,
    });
    expect(changed.body).toMatchObject({ dailyLimit: 7, allowedTools: ['kma_*'] });
    const listed = await send(admin, 'GET /tenants/acme/keys?q=night&limit=1');
    expect(listed.body).toMatchObject({ keys: [{ id, dailyLimit: 7 }], nextCursor: null });
    expect(JSON.stringify(listed.body)).not.toContain(created.body.text);
    const rotated = await send(admin, `POST /tenants/acme/keys/${id}/rotate`, {
      revision: changed.body.revision,
    });
    expect(rotated.body).toMatchObject({ key: { rotatedFrom: id }, replaced: { id } });
    expect((await send(admin, `DELETE /tenants/acme/keys/${id}`)).body.state).toBe('revoked');
    expect((await send(admin, 'GET /tenants/acme/keys/hygiene')).body.active).toBeGreaterThan(0);
    const refused = await send(admin, 'POST /tenants/acme/keys', { dailyLimit: 0, owner: 'x' });
    expect(refused.status).toBe(400);
    for (const part of ['/name "name" is required', '/dailyLimit must be', '/owner Unknown']) {
      expect(refused.body.message).toContain(part);
    }
  });

  test(verifies('management.scope'), async () => {
    for (const key of [gateway.key, (await gateway.createKey('acme')).key]) {
      expect((await send(key, 'GET /tenants/acme/keys')).status).toBe(403);
      expect((await manage(key, 'tools/list')).status).toBe(400);
    }
    const narrow = await gateway.createKey('acme', { scope: 'admin' });
    await gateway.allowTools(narrow.id, ['kma_*']);
    await until(async () => (await send(narrow.key, 'GET /tenants/acme/keys')).status === 403);
    const narrowed = await gateway.json('/mcp?mode=manage&tools=keys_list', {
      method: 'POST',
      key: admin,
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(narrowed.status).toBe(400);
    const unknown = await send(admin, 'GET /tenants/nowhere/keys');
    const foreign = await send(admin, 'GET /tenants/other/keys');
    expect(foreign).toMatchObject({ status: 404, body: unknown.body });
    expect((await send(operator, 'GET /tenants/other/keys')).body.keys).toHaveLength(1);
    expect((await send(admin, 'GET /tenants')).status).toBe(403);
    expect((await send(operator, 'GET /tenants?limit=1')).body).toMatchObject({
      tenants: [{ slug: 'acme', keys: expect.any(Number) }],
      nextCursor: 'acme',
    });
    const tenant = { slug: 'third', name: 'Third' };
    expect((await send(operator, 'POST /tenants', tenant)).status).toBe(204);
    expect((await send(operator, 'POST /tenants', tenant)).status).toBe(409);
    expect((await gateway.json('/admin/api/tenants/acme/keys', { key: operator })).status).toBe(
      401,
    );
  });

  test(verifies('management.own'), async () => {
    for (const key of [admin, operator]) {
      const named = await send(key, 'GET /tenants/acme/keys');
      const own = await send(key, 'GET /tenants/_/keys');
      expect(own).toMatchObject({ status: 200, body: named.body });
    }
    expect((await send(admin, 'GET /tenants/__/keys')).status).toBe(404);
  });

  test(verifies('management.give'), async () => {
    const give = (key: string, scope: string) =>
      send(key, 'POST /tenants/acme/keys', { name: scope, scope });
    expect((await give(admin, 'admin')).body.key.scope).toBe('admin');
    expect(await give(admin, 'operator')).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('operator') },
    });
    const given = await give(operator, 'operator');
    const { id, revision } = given.body.key;
    const rotated = await send(admin, `POST /tenants/acme/keys/${id}/rotate`, { revision });
    expect(rotated.status).toBe(403);
    const change = { revision, name: 'mine' };
    expect((await send(admin, `PATCH /tenants/acme/keys/${id}`, change)).status).toBe(403);
    expect((await send(admin, `DELETE /tenants/acme/keys/${id}`)).status).toBe(200);
    const both = { name: 'both', scope: 'admin', allowedTools: ['kma_*'] };
    expect((await send(admin, 'POST /tenants/acme/keys', both)).status).toBe(400);
  });

  test(verifies('management.bounds'), async () => {
    const many = { name: 'many', allowedTools: Array.from({ length: 40_000 }, () => 1) };
    expect((await send(admin, 'POST /tenants/acme/keys', many)).status).toBe(413);
    const values = { name: 'many', allowedTools: Array.from({ length: 20_001 }, () => 1) };
    expect((await send(admin, 'POST /tenants/acme/keys', values)).status).toBe(400);
    expect((await send(admin, 'POST /tenants/acme/keys?q=1', { name: 'x' })).status).toBe(400);
  });

  describe('of a person', () => {
    let boss: AdminClient;
    beforeAll(async () => {
      boss = await signIn(gateway);
    });

    test(verifies('management.owner'), async () => {
      const email = 'ada@example.com';
      const ada = await inviteAndJoin(gateway, boss, { tenant: 'acme', email, role: 'admin' });
      const body = { name: 'of ada', scope: 'admin' };
      const { text, key } = (await ada.ask('POST /tenants/acme/keys', body)).body;
      expect((await send(text, `GET /tenants/acme/keys/${key.id}`)).body.owner.name).toBe(email);
      const { key: rotated } = (
        await send(admin, `POST /tenants/acme/keys/${key.id}/rotate`, { revision: key.revision })
      ).body;
      expect(rotated.owner.name).toBe(email);
      const { person } = (await ada.ask('GET /me')).body;
      // A tenant keeps an admin.
      const other = { tenant: 'acme', email: 'bob@example.com', role: 'admin' as const };
      await inviteAndJoin(gateway, boss, other);
      const demoted = await boss.ask(`PATCH /tenants/acme/members/${person.id}`, {
        role: 'viewer',
      });
      expect(demoted.status).toBeLessThan(300);
      expect(await send(text, 'GET /tenants/acme/keys')).toMatchObject({
        status: 403,
        body: { message: expect.stringContaining('no longer has the role') },
      });
    });
  });

  test(verifies('management.invite'), async () => {
    const boss = await signIn(gateway);
    const body = { name: 'of an operator', scope: 'admin' };
    const { text } = (await boss.ask('POST /tenants/acme/keys', body)).body;
    const email = 'unproved@example.com';
    const { link } = (await send(text, 'POST /tenants/acme/invitations', { email, role: 'viewer' }))
      .body;
    expect(link).toMatch(/^\/admin\/join\?token=/);
    const token = new URL(link, gateway.url).searchParams.get('token');
    const joining = { token, name: 'Unproved', password: 'another password' };
    expect((await createAdminClient(gateway).ask('POST /join', joining)).status).toBe(200);
    const { members } = (await send(text, 'GET /tenants/acme/members')).body;
    expect(members).toContainEqual(expect.objectContaining({ email, isProved: false }));
  });

  test(verifies('management.tools'), async () => {
    const { result } = (await manage(admin, 'tools/list')).body;
    const names: string[] = result.tools.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['keys_change', 'keys_list', 'keys_revoke']));
    expect(names.filter((name) => /create|rotate/.test(name))).toEqual([]);
    const hints = Object.fromEntries(
      result.tools.map((tool: { name: string; annotations: { readOnlyHint: boolean } }) => [
        tool.name,
        tool.annotations.readOnlyHint,
      ]),
    );
    expect(hints).toMatchObject({ keys_list: true, keys_revoke: false });
    const called = await manage(operator, 'tools/call', {
      name: 'keys_list',
      arguments: { tenant: 'other' },
    });
    expect(JSON.parse(called.body.result.data).keys).toHaveLength(1);
    const refused = await manage(admin, 'tools/call', {
      name: 'keys_list',
      arguments: { tenant: 'other' },
    });
    expect(refused.body.error.message).toContain('manages no tenant');
    const wrong = await manage(admin, 'tools/call', {
      name: 'keys_change',
      arguments: { revision: 0, daily: 1 },
    });
    expect(wrong.body.error.message).toMatch(/\/daily .*\/id .*\/revision /);
    const usual = await gateway.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, admin);
    expect(JSON.stringify(usual.body)).not.toContain('keys_list');
  });
});
