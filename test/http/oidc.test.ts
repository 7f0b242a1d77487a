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
import { type OidcProvider, startOidcProvider } from '../support/oidc-provider.ts';
import { freePort } from '../support/ports.ts';

describe.each(GATEWAY_BACKENDS)('signing in with an identity provider ($name)', (backend) => {
  let provider: OidcProvider;
  let gateway: TestGateway;

  beforeAll(async () => {
    provider = await startOidcProvider();
    const port = await freePort();
    gateway = await startTestGateway({
      backend,
      env: {
        ...ADMIN_ENV,
        PORT: String(port),
        BASE_URL: `http://127.0.0.1:${port}`,
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: 'gateway',
        OIDC_CLIENT_SECRET: 'client-secret',
      },
    });
  });
  afterAll(async () => {
    await gateway.close();
    provider.close();
  });

  /** Follows the browser to the provider and back. Returns where it is led then. */
  const followOidc = async (
    client: AdminClient,
    { returnTo = '/admin/audit?tenant=a', changeBack = (_back: URL): void => undefined } = {},
  ) => {
    const started = await client.ask(`GET /session/oidc?return_to=${encodeURIComponent(returnTo)}`);
    const atProvider = await fetch(started.headers.get('location') ?? '', { redirect: 'manual' });
    const back = new URL(atProvider.headers.get('location') ?? '');
    changeBack(back);
    const path = `${back.pathname.replace('/admin/api', '')}${back.search}`;
    const crossSite = { 'sec-fetch-site': 'cross-site' };
    const ended = await client.ask(`GET ${path}`, undefined, crossSite);
    expect(ended.status).toBe(302);
    return ended.headers.get('location');
  };
  const emailOf = async (client: AdminClient) =>
    (await client.ask('GET /me')).body.person?.email ?? null;
  const claimsOf = (email: string, isVerified = true) => ({
    sub: `sub-${email}`,
    email,
    email_verified: isVerified,
    name: 'From The Provider',
  });

  it('is offered, with state, nonce and PKCE', async () => {
    const client = createAdminClient(gateway);
    expect((await client.ask('GET /session')).body.hasOidc).toBe(true);
    provider.claims = claimsOf(ADMIN.email);
    await followOidc(client);
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(provider.requested.get(name)?.length).toBeGreaterThan(20);
    }
    expect(provider.requested.get('code_challenge_method')).toBe('S256');
    expect(provider.requested.get('scope')).toContain('openid');
  });

  it('refuses an address that the provider does not vouch for', async () => {
    const client = createAdminClient(gateway);
    provider.claims = { ...claimsOf(ADMIN.email, false), sub: 'another sub' };
    expect(await followOidc(client)).toMatch(/^\/admin\/sign-in\?error=/);
    expect(await emailOf(client)).toBeNull();
  });

  it('signs in a person whom the operator created, and returns to the page', async () => {
    const client = createAdminClient(gateway);
    provider.claims = claimsOf(ADMIN.email);
    expect(await followOidc(client)).toBe('/admin/audit?tenant=a');
    expect(await emailOf(client)).toBe(ADMIN.email);
    expect([...client.cookies.keys()]).toEqual(['tool_gateway_session']);
  });

  it.each(['https://evil.example/admin', '//evil.example', '/\\evil.example', '/docs'])(
    'never returns to %s',
    async (returnTo) => {
      const client = createAdminClient(gateway);
      provider.claims = claimsOf(ADMIN.email);
      expect(await followOidc(client, { returnTo })).toBe('/admin');
    },
  );

  it('refuses a response without the state of this browser', async () => {
    const changed = createAdminClient(gateway);
    const changeBack = (back: URL) => back.searchParams.set('state', 'x'.repeat(32));
    expect(await followOidc(changed, { changeBack })).toMatch(/^\/admin\/sign-in\?error=/);
    expect(await emailOf(changed)).toBeNull();
    const other = createAdminClient(gateway);
    const steal = () => other.cookies.clear();
    expect(await followOidc(other, { changeBack: steal })).toMatch(/^\/admin\/sign-in\?error=/);
    expect(await emailOf(other)).toBeNull();
  });

  it.each([
    ['another nonce', { nonce: 'another' }],
    ['another audience', { aud: 'another' }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['an unverified address', { email_verified: false }],
    ['an expired token', { exp: 1 }],
  ])('refuses an id token with %s', async (_what, claims) => {
    const client = createAdminClient(gateway);
    const email = 'ops@example.com';
    const admin = await signIn(gateway);
    await admin.ask('POST /tenants/default/invitations', { email, role: 'viewer' });
    provider.claims = { ...claimsOf(email), sub: 'another sub', ...claims };
    expect(await followOidc(client)).toMatch(/^\/admin\/sign-in\?error=/);
    expect(await emailOf(client)).toBeNull();
  });

  it('creates nobody without an invitation', async () => {
    const client = createAdminClient(gateway);
    provider.claims = claimsOf('stranger@example.com');
    expect(await followOidc(client)).toMatch(/^\/admin\/sign-in\?error=/);
    expect(await emailOf(client)).toBeNull();
  });

  it('lets an invited person join without a password', async () => {
    const admin = await signIn(gateway);
    const email = 'invited@example.com';
    const invited = await admin.ask('POST /tenants/default/invitations', { email, role: 'viewer' });
    const link = new URL(invited.body.link);
    const client = createAdminClient(gateway);
    provider.claims = claimsOf(email);
    const page = `${link.pathname}${link.search}`;
    expect(await followOidc(client, { returnTo: page })).toBe(page);
    const token = link.searchParams.get('token');
    expect((await client.ask(`GET /join?token=${token}`)).body).toMatchObject({ isSignedIn: true });
    const { body } = await client.ask('POST /join', { token });
    const { entries } = (await admin.ask('GET /trail?action=person.created&limit=1')).body;
    expect(entries).toMatchObject([{ actor: body.person.id, subjectEmail: email }]);
    expect(body.person).toMatchObject({
      id: expect.stringMatching(/^person_/),
      name: 'From The Provider',
      memberships: [{ tenantSlug: 'default', role: 'viewer' }],
    });
  });

  it('replaces a person who joined with its address by the link of a tenant admin', async () => {
    const operator = await signIn(gateway);
    const join = (by: AdminClient, email: string, role: 'admin' | 'viewer') =>
      inviteAndJoin(gateway, by, { tenant: 'default', email, role });
    const admin = await join(operator, 'admin@example.com', 'admin');
    const email = 'squatted@example.com';
    const squatter = await join(admin, email, 'admin');
    const squatted = (await squatter.ask('GET /me')).body.person;
    const client = createAdminClient(gateway);
    provider.claims = claimsOf(email, false);
    expect(await followOidc(client)).toMatch(/^\/admin\/sign-in\?error=/);
    provider.claims = { ...claimsOf(email), nonce: 'another' };
    expect(await followOidc(client)).toMatch(/^\/admin\/sign-in\?error=/);
    expect(await emailOf(squatter)).toBe(email);
    provider.claims = claimsOf(email);
    expect(await followOidc(client)).toBe('/admin/audit?tenant=a');
    const owner = (await client.ask('GET /me')).body.person;
    expect(owner).toMatchObject({
      email,
      name: 'From The Provider',
      memberships: [{ tenantSlug: 'default', role: 'admin' }],
    });
    expect(owner.id).not.toBe(squatted.id);
    expect(await emailOf(squatter)).toBeNull();
    const password = { email, password: ADMIN.password };
    expect((await squatter.ask('POST /session', password)).status).toBe(401);
    const { members } = (await admin.ask('GET /tenants/default/members?limit=100')).body;
    expect(members).toContainEqual(
      expect.objectContaining({ personId: owner.id, email, isProved: true }),
    );
    expect(await followOidc(client)).toBe('/admin/audit?tenant=a');
    expect((await client.ask('GET /me')).body.person).toEqual(owner);
  });

  it('signs in a person who joined by the link of an operator, and keeps its password', async () => {
    const email = 'linked@example.com';
    const joined = await inviteAndJoin(gateway, await signIn(gateway), {
      tenant: 'default',
      email,
      role: 'viewer',
    });
    const client = createAdminClient(gateway);
    provider.claims = claimsOf(email);
    expect(await followOidc(client)).toBe('/admin/audit?tenant=a');
    expect((await client.ask('GET /me')).body).toEqual((await joined.ask('GET /me')).body);
    await signIn(gateway, { email, password: ADMIN.password });
  });
});
