import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ADMIN,
  ADMIN_ENV,
  type AdminClient,
  createAdminClient,
  inviteAndJoin,
  signIn,
} from '../support/admin-client.ts';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';

describe.each(GATEWAY_BACKENDS)('people of the dashboard ($name)', (backend) => {
  let gateway: TestGateway;
  let operator: AdminClient;
  let admin: AdminClient;
  let viewer: AdminClient;
  let stranger: AdminClient;

  beforeAll(async () => {
    gateway = await startTestGateway({ backend, env: ADMIN_ENV });
    operator = await signIn(gateway);
    for (const slug of ['team', 'other']) {
      await operator.ask('POST /tenants', { slug, name: `The ${slug}` });
    }
    const join = (tenant: string, email: string, role: 'admin' | 'viewer') =>
      inviteAndJoin(gateway, operator, { tenant, email, role });
    admin = await join('team', 'admin@example.com', 'admin');
    viewer = await join('team', 'viewer@example.com', 'viewer');
    stranger = await join('other', 'stranger@example.com', 'admin');
  });
  afterAll(() => gateway.close());

  const nobody = () => createAdminClient(gateway);
  const idOf = async (client: AdminClient): Promise<string> =>
    (await client.ask('GET /me')).body.person.id;

  it('sign in as the administrator of the settings, who is operator and admin of default', async () => {
    const { person: visitor } = (await createAdminClient(gateway).ask('GET /session')).body;
    const { person } = (await operator.ask('GET /session')).body;
    expect([visitor, person]).toEqual([null, (await operator.ask('GET /me')).body.person]);
    expect((await operator.ask('GET /me')).body.person).toMatchObject({
      email: ADMIN.email,
      isOperator: true,
      memberships: [{ tenantSlug: 'default', role: 'admin' }],
    });
    expect((await nobody().ask('GET /session')).body).toEqual({ person: null, hasOidc: false });
  });

  it('get one cookie, which scripts cannot read, and no other secret', async () => {
    const response = await nobody().ask('POST /session', ADMIN);
    const cookies = response.headers.getSetCookie();
    expect(cookies).toHaveLength(1);
    expect(cookies[0]).toMatch(/^tool_gateway_session=[^;]+; .*HttpOnly/);
    expect(cookies[0]).toContain('SameSite=Lax');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const value = decodeURIComponent(cookies[0]?.split(/[=;]/)[1] ?? '').split('.')[0] ?? '?';
    expect(JSON.stringify(response.body)).not.toContain(value);
    expect(JSON.stringify((await operator.ask('GET /me/sessions')).body)).not.toContain(value);
  });

  it('never keep a session that was planted before they signed in', async () => {
    const client = nobody();
    client.cookies.set('tool_gateway_session', 'planted.value');
    expect((await client.ask('GET /me')).status).toBe(401);
    const planted = operator.cookies.get('tool_gateway_session') ?? '';
    client.cookies.set('tool_gateway_session', planted);
    await client.ask('POST /session', { email: 'viewer@example.com', password: ADMIN.password });
    expect(client.cookies.get('tool_gateway_session')).not.toBe(planted);
    expect((await client.ask('GET /me')).body.person.email).toBe('viewer@example.com');
  });

  it('are refused alike for a wrong password and an unknown address', async () => {
    const wrong = await nobody().ask('POST /session', { ...ADMIN, password: 'wrong' });
    const unknown = await nobody().ask('POST /session', { ...ADMIN, email: 'x@example.com' });
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(wrong.body.message).toBe(unknown.body.message);
    expect(wrong.headers.getSetCookie()).toEqual([]);
  });

  it('are limited in what they guess, with the time to wait', async () => {
    const client = nobody();
    const attempt = { email: 'victim@example.com', password: 'wrong' };
    for (let n = 0; n < 10; n++) await client.ask('POST /session', attempt);
    const { status, headers } = await client.ask('POST /session', attempt);
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('see an invitation, join once, and are listed', async () => {
    const email = 'new@example.com';
    const { body } = await admin.ask('POST /tenants/team/invitations', { email, role: 'viewer' });
    const link = new URL(body.link);
    expect(link.href).toMatch(`${gateway.url}/admin/join?token=`);
    const token = link.searchParams.get('token');
    expect((await nobody().ask(`GET /join?token=${token}`)).body).toEqual({
      email,
      role: 'viewer',
      tenant: { slug: 'team', name: 'The team' },
      expiresAt: expect.stringMatching(/^\d{4}-/),
      isSignedIn: false,
      hasOidc: false,
    });
    const listed = (await admin.ask('GET /tenants/team/invitations')).body;
    expect(listed.invitations).toMatchObject([{ email, role: 'viewer' }]);
    expect(JSON.stringify(listed)).not.toContain(token);
    const client = nobody();
    const joining = { token, name: '<b>New</b>', password: ADMIN.password };
    expect((await client.ask('POST /join', joining)).status).toBe(200);
    expect((await nobody().ask('POST /join', joining)).status).toBe(404);
    const { members, count } = (await viewer.ask('GET /tenants/team/members?limit=100')).body;
    expect(count).toBe(members.length);
    expect(members).toContainEqual({
      personId: await idOf(client),
      email,
      name: '<b>New</b>',
      isProved: false,
      role: 'viewer',
      joinedAt: expect.stringMatching(/^\d{4}-/),
    });
    const id = await idOf(client);
    expect((await admin.ask(`PATCH /tenants/team/members/${id}`, { role: 'admin' })).status).toBe(
      204,
    );
    expect((await admin.ask(`DELETE /tenants/team/members/${id}`)).status).toBe(204);
    expect((await client.ask('GET /me')).status).toBe(401);
  });

  it('keep the last admin of a tenant and the last operator', async () => {
    const last = await idOf(stranger);
    expect((await operator.ask(`DELETE /tenants/other/members/${last}`)).status).toBe(409);
    const own = await idOf(operator);
    expect((await operator.ask(`PATCH /people/${own}`, { isOperator: false })).status).toBe(409);
  });

  it('change their name and password, and end their sessions', async () => {
    const credentials = { email: 'ann@example.com', password: ADMIN.password };
    const ann = await inviteAndJoin(gateway, operator, {
      tenant: 'team',
      email: credentials.email,
      role: 'viewer',
    });
    const elsewhere = await signIn(gateway, credentials);
    expect((await ann.ask('PATCH /me', { name: '김 앤' })).status).toBe(204);
    expect((await ann.ask('GET /me')).body.person.name).toBe('김 앤');
    const { sessions } = (await ann.ask('GET /me/sessions')).body;
    expect(sessions.map(({ isCurrent }: { isCurrent: boolean }) => isCurrent)).toEqual([
      false,
      true,
    ]);
    const next = 'another good password';
    const change = { currentPassword: 'wrong', newPassword: next };
    expect((await ann.ask('POST /me/password', change)).status).toBe(403);
    change.currentPassword = ADMIN.password;
    const before = ann.cookies.get('tool_gateway_session') ?? '';
    expect((await ann.ask('POST /me/password', change)).status).toBe(204);
    const stolen = nobody();
    stolen.cookies.set('tool_gateway_session', before);
    expect((await stolen.ask('GET /me')).status).toBe(401);
    expect((await ann.ask('GET /me')).status).toBe(200);
    expect((await elsewhere.ask('GET /me')).status).toBe(401);
    const again = await signIn(gateway, { ...credentials, password: next });
    expect((await again.ask('DELETE /me/sessions')).body).toEqual({ ended: 1 });
    expect((await ann.ask('GET /me')).status).toBe(401);
    const { password } = (await operator.ask(`POST /people/${await idOf(again)}/password`)).body;
    expect((await again.ask('GET /me')).status).toBe(401);
    const after = await signIn(gateway, { ...credentials, password });
    expect((await after.ask('DELETE /session')).status).toBe(204);
    expect(after.cookies.size).toBe(0);
  });

  it('are listed for operators with their tenants, in pages', async () => {
    const first = (await operator.ask('GET /people?limit=1')).body;
    expect(first.people).toMatchObject([{ email: ADMIN.email, isOperator: true, tenants: 1 }]);
    const rest = (await operator.ask(`GET /people?limit=100&cursor=${first.nextCursor}`)).body;
    expect(rest.people.map(({ email }: { email: string }) => email)).toContain(
      'viewer@example.com',
    );
    expect(rest.nextCursor).toBeNull();
    await operator.ask('PATCH /tenants/other', { name: 'Renamed' });
    const { tenants } = (await operator.ask('GET /tenants')).body;
    expect(tenants).toContainEqual(
      expect.objectContaining({ slug: 'other', name: 'Renamed', members: 1, keys: 0 }),
    );
    expect((await operator.ask('POST /tenants', { slug: 'other', name: 'x' })).status).toBe(409);
  });

  it('read what they did on the trail, of their own tenant only', async () => {
    const ofTeam = (await admin.ask('GET /tenants/team/trail?limit=100')).body;
    const adminId = await idOf(admin);
    expect(ofTeam.entries.length).toBeGreaterThan(3);
    for (const entry of ofTeam.entries) expect(entry.tenantSlug).toBe('team');
    expect(ofTeam.entries).toContainEqual(
      expect.objectContaining({ action: 'member.added', actorEmail: 'admin@example.com' }),
    );
    const query = `actor=${adminId}&action=invitation.created`;
    const filtered = (await operator.ask(`GET /trail?${query}&limit=1`)).body;
    expect(filtered.entries).toMatchObject([{ actor: adminId, action: 'invitation.created' }]);
    const csv = await operator.ask(`GET /trail/export?format=csv&${query}`);
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="trail.csv"');
    expect(String(csv.body).split('\r\n').slice(0, 1)).toEqual([
      'timestamp,tenantSlug,actor,actorEmail,action,subjectId,subjectEmail,details',
    ]);
    const ndjson = String((await operator.ask('GET /trail/export?format=ndjson')).body);
    const all = ndjson
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(all.at(-1)).toMatchObject({ action: 'tenant.created', actor: 'start' });
    expect(ndjson).not.toContain(ADMIN.password);
  });

  it('learn nothing from a link of a person whose address it is for', async () => {
    const tokenOf = async (email: string) => {
      const invitation = { email, role: 'viewer' };
      const { body } = await stranger.ask('POST /tenants/other/invitations', invitation);
      return new URL(body.link).searchParams.get('token');
    };
    const view = async (token: string | null) => {
      const { body } = await nobody().ask(`GET /join?token=${token}`);
      return { ...body, email: '', expiresAt: '' };
    };
    const taken = await tokenOf('viewer@example.com');
    expect(await view(taken)).toEqual(await view(await tokenOf('free@example.com')));
    const joining = { token: taken, name: 'B', password: 'another good password' };
    const refused = await nobody().ask('POST /join', joining);
    expect(refused).toMatchObject({
      status: 401,
      body: { message: expect.stringContaining('has another password') },
    });
    expect(refused.headers.getSetCookie()).toEqual([]);
    expect((await viewer.ask('GET /me')).body.person.memberships).toHaveLength(1);
  });

  it('end a stolen session that has used up their requests', async () => {
    const credentials = { email: 'robbed@example.com', password: ADMIN.password };
    const thief = await inviteAndJoin(gateway, operator, {
      tenant: 'team',
      email: credentials.email,
      role: 'viewer',
    });
    const owner = await signIn(gateway, credentials);
    let status = 200;
    while (status === 200) {
      const statuses = await Promise.all(
        Array.from({ length: 100 }, async () => (await thief.ask('GET /me')).status),
      );
      status = Math.max(...statuses);
    }
    expect(status).toBe(429);
    expect((await owner.ask('DELETE /me/sessions')).body).toEqual({ ended: 1 });
    expect((await thief.ask('GET /me')).status).toBe(401);
    const change = { currentPassword: ADMIN.password, newPassword: 'another good password' };
    expect((await owner.ask('POST /me/password', change)).status).toBe(204);
  });

  it('are sent to no identity provider if none is configured', async () => {
    expect((await nobody().ask('GET /session/oidc')).status).toBe(404);
    expect((await nobody().ask('GET /session/callback/oidc?code=a&state=b')).status).toBe(404);
  });
});
