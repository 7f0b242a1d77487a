import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_ENV, type AdminClient, signIn } from '../support/admin-client.ts';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { verifies } from './requirements.ts';

const AUDIENCE = 'https://gateway.example/mcp';
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;

/** An authorization server that publishes one key; another is not published yet. */
class Issuer {
  readonly server: Server;
  readonly keys: Keys;
  readonly next: Keys;
  published: object[] = [];
  asked = 0;
  isAway = false;

  static async start(): Promise<Issuer> {
    const [keys, next] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
    const issuer = new Issuer(keys, next);
    issuer.published = [{ ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256' }];
    await once(issuer.server.listen(0, '127.0.0.1'), 'listening');
    return issuer;
  }

  private constructor(keys: Keys, next: Keys) {
    this.keys = keys;
    this.next = next;
    this.server = createServer(({ url }, response) => {
      if (this.isAway) return void response.writeHead(500).end();
      if (url === '/realm/.well-known/openid-configuration') {
        return void response.end(JSON.stringify({ jwks_uri: `${this.url}/keys` }));
      }
      this.asked++;
      response.end(JSON.stringify({ keys: this.published }));
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/realm`;
  }

  sign(claims: Record<string, unknown> = {}, { kid = 'one', by = this.keys, typ = 'at+jwt' } = {}) {
    const seconds = Math.floor(Date.now() / 1000);
    const standard = { iss: this.url, aud: AUDIENCE, sub: 'user-1', exp: seconds + 300 };
    return new SignJWT({ ...standard, org: 'Acme Ltd.', azp: 'company-chat', ...claims })
      .setProtectedHeader({ alg: 'RS256', kid, ...(typ && { typ }) })
      .sign(by.privateKey);
  }
}

describe.each(GATEWAY_BACKENDS)('an authorization server of the operator ($name)', (backend) => {
  let gateway: TestGateway;
  let issuer: Issuer;
  let browser: AdminClient;

  beforeAll(async () => {
    issuer = await Issuer.start();
    gateway = await startTestGateway({
      backend,
      env: {
        ...ADMIN_ENV,
        ALLOW_PRIVATE_UPSTREAMS: 'true',
        OAUTH_ISSUER: issuer.url,
        OAUTH_AUDIENCE: AUDIENCE,
        OAUTH_TENANT_CLAIM: 'org',
        OAUTH_TENANT_MAP: 'Acme Ltd.=default',
        AUTH_FAILURES_PER_MINUTE: '5',
      },
    });
    browser = await signIn(gateway);
  });
  afterAll(async () => {
    await gateway?.close();
    issuer?.server.close();
  });

  const list = (token: string, path = '/mcp') =>
    gateway.json(path, {
      key: null,
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(LIST),
    });
  const keys = async () => (await browser.ask('GET /tenants/default/keys')).body.keys;

  test(verifies('oauth.issuer'), async () => {
    const refused = await gateway.json('/mcp', { key: null, method: 'POST' });
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${gateway.url}/.well-known/oauth-protected-resource/mcp"`,
    );
    const { body } = await gateway.json('/.well-known/oauth-protected-resource/mcp');
    expect(body.authorization_servers).toEqual([issuer.url]);
    for (const path of ['/.well-known/oauth-authorization-server', '/authorize', '/token']) {
      expect((await gateway.json(path)).status).toBe(404);
    }
    expect((await list(await issuer.sign({ email: 'kim@example.com' }))).status).toBe(200);
    expect((await list(await issuer.sign())).status).toBe(200);
    const external = (await keys()).filter(({ kind }: { kind: string }) => kind === 'external');
    expect(external).toHaveLength(1);
    expect(external[0]).toMatchObject({ name: 'kim@example.com', client: 'company-chat' });
    const elsewhere = await gateway.json('/api/v1/tools', {
      key: null,
      headers: { authorization: `Bearer ${await issuer.sign()}` },
    });
    expect(elsewhere.status).toBe(403);
  });

  test.each<[string, Record<string, unknown>]>([
    ['another audience', { aud: 'https://other.example' }],
    ['another issuer', { iss: 'https://other.example' }],
    ['an expiry that is over', { exp: Math.floor(Date.now() / 1000) - 100 }],
    ['no expiry', { exp: undefined }],
    ['no subject', { sub: undefined }],
    ['a long subject', { sub: 'x'.repeat(256) }],
  ])(`${verifies('oauth.issuer')}: 401 for a token with %s`, async (_name, claims) => {
    const { status, headers } = await list(await issuer.sign(claims));
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  test.each<[string, string, Record<string, unknown>, number]>([
    ['of RFC 9068', 'application/at+jwt', {}, 200],
    ['with a scope', 'JWT', { scope: 'openid tools' }, 200],
    ['with the scope of Entra', '', { scp: 'tools' }, 200],
    ['of Keycloak', 'JWT', { typ: 'Bearer', nonce: 'n', scope: 'openid' }, 200],
    ['of Cognito', '', { token_use: 'access' }, 200],
    ['that says nothing of its purpose', 'JWT', {}, 401],
    ['for identity', 'JWT', { nonce: 'n', at_hash: 'h' }, 401],
    ['for identity that repeats the scope', 'JWT', { at_hash: 'h', scope: 'openid' }, 401],
    ['for identity of Keycloak', 'JWT', { typ: 'ID', scope: 'openid' }, 401],
    ['to refresh, of Keycloak', 'JWT', { typ: 'Refresh', scope: 'openid' }, 401],
    ['for identity of Cognito', '', { token_use: 'id', scope: 'openid' }, 401],
    ['to log out', 'logout+jwt', { events: {}, scope: 'openid' }, 401],
    ['of another type', 'dpop+jwt', { scope: 'openid' }, 401],
  ])(`${verifies('oauth.issuer')}: a token %s`, async (_name, typ, claims, status) => {
    expect((await list(await issuer.sign(claims, { typ }))).status).toBe(status);
  });

  test.each([['nowhere'], ['default'], [undefined], [['Acme Ltd.']], [''], [{ slug: 'default' }]])(
    `${verifies('oauth.issuer')}: 403 for the tenant %j`,
    async (org) => {
      const { status, body } = await list(await issuer.sign({ org, sub: 'user-of-none' }));
      expect([status, body.message]).toEqual([
        403,
        'The access token names no tenant of this gateway in its claim org.',
      ]);
      const { tenants } = (await browser.ask('GET /tenants')).body;
      expect(tenants.map(({ slug }: { slug: string }) => slug)).toEqual(['default']);
    },
  );

  test(`${verifies('oauth.issuer')}: 401 for other signatures, and for unknown keys in a flood`, async () => {
    const claims = {
      iss: issuer.url,
      aud: AUDIENCE,
      sub: 'x',
      exp: 9_999_999_999,
      org: 'Acme Ltd.',
    };
    const secret = new TextEncoder().encode(JSON.stringify(issuer.published[0]));
    const symmetric = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'one' })
      .sign(secret);
    for (const token of [symmetric, `${new UnsecuredJWT(claims).encode()}x`]) {
      expect((await list(token)).status).toBe(401);
    }
    const asked = issuer.asked;
    const tokens = Array.from({ length: 50 }, (_, i) =>
      issuer.sign({ sub: `user-${i}` }, { kid: `unknown-${i}`, by: issuer.next }),
    );
    const statuses = await Promise.all(
      tokens.map(async (token) => (await list(await token)).status),
    );
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect(issuer.asked - asked).toBeLessThanOrEqual(1);
    // They are no failed authentications.
    expect((await list(await issuer.sign())).status).toBe(200);
  });

  test(`${verifies('oauth.issuer')}: an admin revokes a subject for good`, async () => {
    const token = await issuer.sign({ sub: 'leaver', email: 'leaver@example.com' });
    expect((await list(token)).status).toBe(200);
    const key = (await keys()).find(({ name }: { name: string }) => name === 'leaver@example.com');
    expect((await browser.ask(`DELETE /tenants/default/keys/${key.id}`)).status).toBe(200);
    await until(async () => (await list(token)).status === 401);
    expect((await list(await issuer.sign({ sub: 'leaver' }))).status).toBe(401);
  });

  test(`${verifies('oauth.issuer')}: known tokens work while it is away`, async () => {
    const token = await issuer.sign({ sub: 'steady' });
    expect((await list(token)).status).toBe(200);
    issuer.isAway = true;
    expect((await list(token)).status).toBe(200);
    issuer.isAway = false;
  });
});

test(`${verifies('oauth.issuer')}: without a map, the claim is the slug of a tenant`, async () => {
  const issuer = await Issuer.start();
  const gateway = await startTestGateway({
    env: {
      ALLOW_PRIVATE_UPSTREAMS: 'true',
      OAUTH_ISSUER: issuer.url,
      OAUTH_AUDIENCE: AUDIENCE,
      OAUTH_TENANT_CLAIM: 'org',
    },
  });
  const statusOf = async (org: string) => {
    const authorization = `Bearer ${await issuer.sign({ org })}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const body = JSON.stringify(LIST);
    return (await gateway.json('/mcp', { key: null, method: 'POST', headers, body })).status;
  };
  expect([await statusOf('default'), await statusOf('Acme Ltd.')]).toEqual([200, 403]);
  await gateway.close();
  issuer.server.close();
});

test.each([
  [{ OAUTH_ISSUER: 'https://issuer.example' }, 'Set OAUTH_AUDIENCE and OAUTH_TENANT_CLAIM, too.'],
  [
    { OAUTH_ISSUER: 'http://issuer.example', OAUTH_AUDIENCE: 'x', OAUTH_TENANT_CLAIM: 'org' },
    'OAUTH_ISSUER must start with https://',
  ],
  [{ OAUTH_TENANT_MAP: 'Acme' }, 'OAUTH_TENANT_MAP must be value=slug pairs'],
])(`${verifies('oauth.issuer')}: a start with %j says what is missing`, async (env, message) => {
  await expect(startTestGateway({ env })).rejects.toThrow(message);
});
