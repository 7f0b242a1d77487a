import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_GRANTS } from '../../src/access/oauth/apps.ts';
import { MAX_TOKENS } from '../../src/access/oauth/grants.ts';
import { MAX_CLIENTS } from '../../src/access/oauth/operations.ts';
import { MAX_REFRESH_TOKENS } from '../../src/access/oauth/refresh-tokens.ts';
import { newApiKeyText } from '../../src/platform/kernel/ids.ts';
import {
  ADMIN,
  ADMIN_ENV,
  type AdminClient,
  inviteAndJoin,
  joinAsViewer,
  readResponse,
  signIn,
} from '../support/admin-client.ts';
import { openTestDatabase } from '../support/databases.ts';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';
import {
  authorizePath,
  CONSENT,
  connectHost,
  consent,
  type OAuthHost,
  openAuthorize,
  REDIRECT,
  redeem,
  refresh,
  registerHost,
  sendForm,
  sendJson,
} from '../support/oauth-host.ts';
import { until } from '../support/until.ts';
import { verifies } from './requirements.ts';

const INVALID_GRANT = { error: 'invalid_grant', error_description: expect.any(String) };
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

describe.each(GATEWAY_BACKENDS)('sign-in from hosts ($name)', (backend) => {
  let now = Date.now();
  let gateway: TestGateway;
  let browser: AdminClient;

  beforeAll(async () => {
    gateway = await startTestGateway({
      backend,
      env: {
        ...ADMIN_ENV,
        TRUST_PROXY: '1',
        AUTH_FAILURES_PER_MINUTE: '5',
        ENCRYPTION_KEY: KEY,
      },
      clock: { now: () => now },
    });
    browser = await signIn(gateway);
  });
  afterAll(() => gateway.close());

  const bearer = (token: string, path = '/mcp', body: unknown = LIST) =>
    gateway.json(path, {
      key: null,
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const call = (token: string) =>
    bearer(token, '/mcp', {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'frankfurter_rates', arguments: { base: 'EUR' } },
    });
  const openDatabase = () =>
    openTestDatabase({ ...gateway.place, dataDir: gateway.settings.DATA_DIR });
  /** Other processes, and this one after a change of people, follow within half a second. */
  const hasEnded = (token: string) => until(async () => (await bearer(token)).status === 401);
  const trail = async () =>
    (await browser.ask('GET /tenants/default/trail?limit=20')).body.entries.map(
      ({ action }: { action: string }) => action,
    );

  test(verifies('oauth.discovery'), async () => {
    const refused = await gateway.json('/mcp', { key: null, method: 'POST' });
    expect(refused.status).toBe(401);
    const challenge = refused.headers.get('www-authenticate') ?? '';
    expect(challenge).toBe(
      `Bearer resource_metadata="${gateway.url}/.well-known/oauth-protected-resource/mcp", scope="tools:call"`,
    );
    const { body: resource } = await gateway.json('/.well-known/oauth-protected-resource/mcp', {
      key: null,
      headers: { origin: 'https://host.example' },
    });
    expect(resource).toMatchObject({
      resource: `${gateway.url}/mcp`,
      authorization_servers: [gateway.url],
      scopes_supported: ['tools:call'],
    });
    const ofStream = await gateway.json('/.well-known/oauth-protected-resource/mcp/sse?x=1');
    expect(ofStream.body.resource).toBe(`${gateway.url}/mcp/sse`);
    const server = await gateway.json('/.well-known/oauth-authorization-server', {
      key: null,
      headers: { origin: 'https://host.example' },
    });
    expect(server.headers.get('access-control-allow-origin')).toBe('https://host.example');
    expect(server.body).toMatchObject({
      issuer: gateway.url,
      authorization_endpoint: `${gateway.url}/authorize`,
      token_endpoint: `${gateway.url}/token`,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
    expect(server.body.scopes_supported).toEqual(resource.scopes_supported);
    const openid = await gateway.json('/.well-known/openid-configuration', { key: null });
    expect(openid.status).toBe(404);
  });

  test(verifies('oauth.flow'), async () => {
    const host = await registerHost(gateway);
    const location = await consent(gateway, browser, host, { allowedTools: ['category:economy'] });
    expect(location.origin + location.pathname).toBe(REDIRECT);
    expect(location.searchParams.get('state')).toBe('of the host');
    expect(location.searchParams.get('iss')).toBe(gateway.url);
    const code = location.searchParams.get('code') ?? '';
    const tokens = await redeem(gateway, host, code, {
      resource: `${gateway.url}/mcp/?mode=search`,
    });
    expect(tokens.headers.get('cache-control')).toBe('no-store');
    expect(tokens.body).toEqual({
      access_token: expect.stringMatching(/^tg_at_[0-9A-Za-z]{43}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^tg_rt_[0-9A-Za-z]{69}$/),
      scope: 'tools:call',
    });
    const { access_token: token } = tokens.body;
    const listed = await bearer(token);
    const names: string[] = listed.body.result.tools.map(({ name }: { name: string }) => name);
    expect(names).toContain('frankfurter_rates');
    expect(names).not.toContain('kma_village_forecast');
    const { body } = await call(token);
    const { body: keys } = await browser.ask('GET /tenants/default/keys?limit=1');
    const [grant] = keys.keys;
    expect(grant).toMatchObject({
      kind: 'oauth',
      client: 'A test host',
      prefix: '',
      allowedTools: ['category:economy'],
    });
    const record = await gateway.json(
      `/api/v1/audit/${body.result.auditId ?? body.result._meta?.['auditId']}`,
    );
    expect(record.body.apiKeyId).toBe(grant.id);
    expect(await trail()).toContain('app.connected');
    const rotated = await browser.ask(`POST /tenants/default/keys/${grant.id}/rotate`, {
      revision: grant.revision,
    });
    expect(rotated.status).toBe(409);
  });

  test(verifies('oauth.registration'), async () => {
    const bodies: Record<string, Record<string, unknown>> = JSON.parse(
      await readFile(new URL('../fixtures/oauth-registrations.json', import.meta.url), 'utf8'),
    );
    for (const [name, metadata] of Object.entries(bodies)) {
      const { status, body, headers } = await sendJson(gateway, '/register', metadata);
      expect([name, status]).toEqual([name, 201]);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(body).toMatchObject({
        client_name: metadata['client_name'],
        redirect_uris: metadata['redirect_uris'],
        token_endpoint_auth_method: metadata['token_endpoint_auth_method'],
        grant_types: ['authorization_code', 'refresh_token'],
      });
      expect('client_secret' in body).toBe(metadata['token_endpoint_auth_method'] !== 'none');
    }
    const { body } = await sendJson(gateway, '/register', {
      redirect_uris: [REDIRECT],
      client_name: `\u202ereversed\u0000${'x'.repeat(100)}`,
    });
    expect(body.client_name).toBe(`reversed${'x'.repeat(52)}`);
  });

  test.each([
    ['no address', {}, 'invalid_redirect_uri'],
    ['an empty list', { redirect_uris: [] }, 'invalid_redirect_uri'],
    ['too many addresses', { redirect_uris: Array(11).fill(REDIRECT) }, 'invalid_redirect_uri'],
    ['a long address', { redirect_uris: [longRedirect(2048)] }, 'invalid_redirect_uri'],
    [
      'addresses that are long together',
      { redirect_uris: Array(3).fill(longRedirect(2000)) },
      'invalid_client_metadata',
    ],
    [
      'an unknown method',
      { redirect_uris: [REDIRECT], token_endpoint_auth_method: 'magic' },
      'invalid_client_metadata',
    ],
  ])(`${verifies('oauth.registration')}: refuses %s`, async (_name, metadata, error) => {
    const { status, body } = await sendJson(gateway, '/register', metadata);
    expect([status, body.error]).toEqual([400, error]);
  });

  test(verifies('oauth.client-secret'), async () => {
    const secrets = { token_endpoint_auth_method: 'client_secret_post' };
    const host = await registerHost(gateway, secrets);
    const code = (await consent(gateway, browser, host)).searchParams.get('code') ?? '';
    for (const wrong of [{ client_secret: undefined }, { client_secret: 'wrong' }]) {
      const refused = await redeem(gateway, host, code, wrong);
      expect([refused.status, refused.body.error]).toEqual([401, 'invalid_client']);
    }
    const encoded = [host.clientId, host.clientSecret ?? ''].map(encodeURIComponent).join(':');
    const { status, body } = await sendForm(
      gateway,
      '/token',
      {
        grant_type: 'authorization_code',
        code,
        redirect_uri: REDIRECT,
        code_verifier: host.verifier,
      },
      { authorization: `Basic ${Buffer.from(encoded).toString('base64')}` },
    );
    expect([status, body.token_type]).toEqual([200, 'Bearer']);
  });

  test(verifies('oauth.documents'), async () => {
    const registered = await registerHost(gateway);
    const host = {
      ...registered,
      clientId: 'https://claude.ai/oauth/claude-code-client-metadata',
      redirectUri: 'http://localhost:54007/callback',
    };
    const { uid } = await openAuthorize(gateway, browser, authorizePath(host));
    expect((await browser.ask(`GET /connect/${uid}`)).body.client).toEqual({
      name: 'Claude Code',
      identity: { kind: 'verified', host: 'claude.ai' },
    });
    const { body } = await browser.ask(`POST /connect/${uid}`, CONSENT);
    const code = new URL(body.location).searchParams.get('code') ?? '';
    const tokens = await redeem(gateway, host, code);
    expect((await bearer(tokens.body.access_token)).status).toBe(200);
    // Documents come from public addresses only, whatever the settings say.
    for (const id of ['https://127.0.0.1/client.json', 'https://localhost/x', 'https://[::1]/x']) {
      const path = authorizePath({ ...host, clientId: id });
      expect((await openAuthorize(gateway, browser, path)).status).toBe(400);
    }
    expect(gateway.upstream.seen).toEqual([]);
    // A stranger's document that cannot be fetched changes nothing for others.
    const clientId = 'https://no-such-host.example.com/client.json';
    const away = await openAuthorize(gateway, browser, authorizePath({ ...host, clientId }));
    expect([away.status, away.text]).toEqual([
      400,
      expect.stringContaining('OAUTH_CLIENT_DOCUMENTS'),
    ]);
    const { body: server } = await gateway.json('/.well-known/oauth-authorization-server');
    expect(server.client_id_metadata_document_supported).toBe(true);
  });

  test(verifies('oauth.created-clients'), async () => {
    const created = await browser.ask('POST /oauth-clients', {
      name: 'Company chat',
      redirects: ['https://chat.example.com/callback'],
    });
    const { id, secret } = created.body;
    const registered = await registerHost(gateway);
    const host = {
      ...registered,
      clientId: id,
      clientSecret: secret,
      redirectUri: 'https://chat.example.com/callback',
    };
    const code = (await consent(gateway, browser, host)).searchParams.get('code') ?? '';
    const wrong = await redeem(gateway, host, code, { client_secret: 'wrong' });
    expect([wrong.status, wrong.body.error]).toEqual([401, 'invalid_client']);
    const { body: tokens } = await redeem(gateway, host, code);
    expect((await bearer(tokens.access_token)).status).toBe(200);
    const { clients } = (await browser.ask('GET /oauth-clients')).body;
    expect(JSON.stringify(clients)).not.toContain(secret);
    expect(clients).toContainEqual(expect.objectContaining({ id, isPublic: false }));
    expect((await browser.ask(`DELETE /oauth-clients/${id}`)).status).toBe(204);
    expect((await browser.ask(`DELETE /oauth-clients/${id}`)).status).toBe(404);
    const refused = await refresh(gateway, host, tokens.refresh_token);
    expect(refused.body.error).toBe('invalid_client');
    const bad = { name: 'x', redirects: ['http://chat.example.com/callback'] };
    expect((await browser.ask('POST /oauth-clients', bad)).status).toBe(400);
  });

  test(`${verifies('oauth.bounds')}: operators create so many clients`, async () => {
    const client = { name: 'x', redirects: [REDIRECT] };
    const database = await openDatabase();
    const rows = Array.from({ length: MAX_CLIENTS }, (_, i) => ({
      id: `oac_filler_${i}`,
      name: 'x',
      redirects: '[]',
      secret_digest: null,
      created_at_ms: now,
    }));
    const { clients } = (await browser.ask('GET /oauth-clients')).body;
    for (let at = clients.length; at < MAX_CLIENTS; at += 100) {
      const some = rows.slice(at, at + 100);
      await database.db.insertInto('oauth_clients').values(some).execute();
    }
    const { status, body } = await browser.ask('POST /oauth-clients', client);
    expect([status, body.message]).toEqual([409, 'There are 1000 clients. Delete one first.']);
    await database.db.deleteFrom('oauth_clients').where('name', '=', 'x').execute();
    await database.close();
    expect((await browser.ask('POST /oauth-clients', client)).status).toBe(200);
  });

  test(verifies('oauth.uncertain'), async () => {
    const host = await registerHost(gateway, { redirect_uris: ['https://host.example/cb?a=1'] });
    const cases = {
      'no client': { client_id: undefined },
      'an unknown client': { client_id: 'tgc_v1.0.AAAA' },
      'a changed client': { client_id: `${host.clientId}A` },
      'no address': { redirect_uri: undefined },
      'another host': { redirect_uri: 'https://host.example.evil/cb?a=1' },
      'another path': { redirect_uri: 'https://host.example/cb/../x?a=1' },
      'this machine': { redirect_uri: 'http://127.0.0.1/cb?a=1' },
      'a long state': { state: 'x'.repeat(2049) },
    };
    for (const [name, changes] of Object.entries(cases)) {
      const { status, location, text } = await openAuthorize(
        gateway,
        browser,
        authorizePath(host, changes),
      );
      expect([name, status, location]).toEqual([name, 400, '']);
      expect(text).toContain('This program cannot be connected');
      expect(text).not.toMatch(/evil|host\.example/);
    }
    const twice = `${authorizePath(host)}&redirect_uri=https://evil.example`;
    expect((await openAuthorize(gateway, browser, twice)).status).toBe(400);
  });

  test(`${verifies('oauth.uncertain')}: in the reader's language, and runs no script`, async () => {
    const { headers, status, body } = await readResponse(
      await fetch(`${gateway.url}/authorize?client_id=x`, {
        headers: { accept: 'text/html', 'accept-language': 'ko-KR,ko;q=0.9,en;q=0.8' },
      }),
    );
    expect([status, headers.get('cache-control')]).toEqual([400, 'no-store']);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^ ]+'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
    expect(body).toContain('<html lang="ko">');
    expect(body).toContain('이 프로그램을 연결할 수 없습니다');
    expect(body).not.toContain('<script');
  });

  test.each([
    ['no challenge', { code_challenge: undefined }, 'invalid_request'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no method', { code_challenge_method: undefined }, 'invalid_request'],
    ['a short challenge', { code_challenge: 'x' }, 'invalid_request'],
    ['another response', { response_type: 'token' }, 'unsupported_response_type'],
    ['a foreign resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['another port', { resource: 'http://127.0.0.1:1/mcp' }, 'invalid_target'],
    ['no person', { prompt: 'none' }, 'interaction_required'],
  ])(`${verifies('oauth.refused-request')}: %s`, async (_name, changes, error) => {
    const expectError = (location: string, redirect: string) => {
      const url = new URL(location);
      expect(url.origin + url.pathname).toBe(redirect);
      expect(Object.fromEntries(url.searchParams)).toEqual({
        error,
        error_description: expect.any(String),
        state: 'of the host',
        iss: gateway.url,
      });
    };
    const open = (host: OAuthHost) => openAuthorize(gateway, browser, authorizePath(host, changes));
    const registered = await registerHost(gateway);
    // Nobody vouches for it: only a person follows the link.
    const shown = await open(registered);
    expect([shown.status, shown.location]).toEqual([400, '']);
    expect(shown.text).toContain('Back to <code>127.0.0.1:41234</code>');
    expectError(linkIn(shown.text), REDIRECT);
    const redirectUri = 'http://localhost:54007/callback';
    const clientId = 'https://claude.ai/oauth/claude-code-client-metadata';
    const known = await open({ ...registered, clientId, redirectUri });
    expect(known.status).toBe(302);
    expectError(known.location, redirectUri);
  });

  test(`${verifies('oauth.refused-request')}: what a client has chosen cannot change the page`, async () => {
    const redirect = `cursor://x/'onmouseover='alert(1)?a=&lt;&b`;
    const host = await registerHost(gateway, { redirect_uris: [redirect] });
    const path = authorizePath(host, { response_type: 'token', state: '"><script>x</script>' });
    const { status, text } = await openAuthorize(gateway, browser, path);
    expect(status).toBe(400);
    expect(text).not.toMatch(/<script|'onmouse/);
    expect(new URL(linkIn(text)).searchParams.get('state')).toBe('"><script>x</script>');
  });

  test(verifies('oauth.loopback-port'), async () => {
    const host = await registerHost(gateway, { redirect_uris: ['http://localhost/cb'] });
    for (const [uri, status] of [
      ['http://localhost:9/cb', 302],
      ['http://localhost:9@evil.example/cb', 400],
    ] as const) {
      const path = authorizePath(host, { redirect_uri: uri });
      expect([uri, (await openAuthorize(gateway, browser, path)).status]).toEqual([uri, status]);
    }
  });

  test(verifies('oauth.consent'), async () => {
    const host = await registerHost(gateway);
    const { uid } = await openAuthorize(gateway, browser, authorizePath(host));
    const asked = await browser.ask(`GET /connect/${uid}`);
    expect(asked.body).toEqual({
      client: { name: 'A test host', identity: { kind: 'unverified' } },
      returnsTo: { host: '127.0.0.1:41234', kind: 'loopback' },
      maxDays: 90,
    });
    // Another origin, another browser, another request, a tenant or a time that is not the person's to give.
    const send = (body: object, headers = {}) => browser.ask(`POST /connect/${uid}`, body, headers);
    expect((await send(CONSENT, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await send(CONSENT, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await send(CONSENT, { cookie: undefined })).status).toBe(401);
    const other = await signIn(gateway);
    expect((await other.ask(`POST /connect/${uid}`, CONSENT)).status).toBe(404);
    expect((await browser.ask('POST /connect/another', CONSENT)).status).toBe(404);
    expect((await send({ ...CONSENT, tenant: 'nowhere' })).status).toBe(404);
    expect((await send({ ...CONSENT, days: 91 })).status).toBe(400);
    const page = await fetch(`${gateway.url}/admin/connect/${uid}`);
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.headers.get('cross-origin-opener-policy')).toBe('unsafe-none');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    // It is answered once.
    expect((await send(CONSENT)).status).toBe(200);
    expect((await send(CONSENT)).status).toBe(409);
    const refused = await openAuthorize(gateway, browser, authorizePath(host));
    const denied = await browser.ask(`DELETE /connect/${refused.uid}`);
    expect(new URL(denied.body.location).searchParams.get('error')).toBe('access_denied');
  });

  test(`${verifies('oauth.consent')}: a request ends after ten minutes`, async () => {
    const host = await registerHost(gateway);
    const { uid } = await openAuthorize(gateway, browser, authorizePath(host));
    now += 10 * 60_000;
    expect((await browser.ask(`GET /connect/${uid}`)).status).toBe(404);
  });

  test.each([
    ['a wrong verifier', { code_verifier: 'x'.repeat(43) }],
    ['no verifier', { code_verifier: undefined }],
    ['another address', { redirect_uri: `${REDIRECT}/other` }],
    ['no address', { redirect_uri: undefined }],
    ['no code', { code: undefined }],
  ])(`${verifies('oauth.code')}: refuses %s`, async (_name, changes) => {
    const host = await registerHost(gateway);
    const code = (await consent(gateway, browser, host)).searchParams.get('code') ?? '';
    const refused = await redeem(gateway, host, code, changes);
    expect([refused.status, refused.body]).toEqual([400, INVALID_GRANT]);
    expect((await redeem(gateway, host, code)).status).toBe(200);
  });

  test(`${verifies('oauth.code')}: belongs to its client`, async () => {
    const host = await registerHost(gateway);
    const thief = await registerHost(gateway);
    const code = (await consent(gateway, browser, host)).searchParams.get('code') ?? '';
    const stolen = await redeem(gateway, { ...host, clientId: thief.clientId }, code);
    expect([stolen.status, stolen.body]).toEqual([400, INVALID_GRANT]);
    expect((await redeem(gateway, host, code)).status).toBe(200);
  });

  test(`${verifies('oauth.code')}: expires after a minute`, async () => {
    const host = await registerHost(gateway);
    const code = (await consent(gateway, browser, host)).searchParams.get('code') ?? '';
    now += 60_001;
    expect((await redeem(gateway, host, code)).body).toEqual(INVALID_GRANT);
    // An hour later, the next code takes its place.
    now += 60 * 60_000;
    await consent(gateway, browser, await registerHost(gateway));
    const database = await openDatabase();
    const codes = await database.db.selectFrom('oauth_codes').select('digest').execute();
    await database.close();
    expect(codes).toHaveLength(1);
  });

  test(verifies('oauth.code-once'), async () => {
    const host = await registerHost(gateway);
    const code = (await consent(gateway, browser, host)).searchParams.get('code') ?? '';
    const all = await Promise.all(Array.from({ length: 5 }, () => redeem(gateway, host, code)));
    const won = all.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    const token = won[0]?.body.access_token;
    expect((await bearer(token)).status).toBe(200);
    // A second use within a second only fails: a host has lost the response.
    expect((await redeem(gateway, host, code)).status).toBe(400);
    expect((await bearer(token)).status).toBe(200);
    now += 1001;
    expect((await redeem(gateway, host, code)).status).toBe(400);
    await hasEnded(token);
    expect(await trail()).toContain('app.reuse_detected');
  });

  test(verifies('oauth.refresh'), async () => {
    const { host, accessToken, refreshToken } = await connectHost(gateway, browser);
    const all = await Promise.all(
      Array.from({ length: 5 }, () => refresh(gateway, host, refreshToken, { scope: 'all admin' })),
    );
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    for (const { body } of all) expect((await bearer(body.access_token)).status).toBe(200);
    expect(all[0]?.body.scope).toBe('tools:call');
    // A foreign resource or client does not burn the token.
    const [next = ''] = all.map(({ body }) => body.refresh_token);
    const foreign = { resource: 'https://other.example' };
    expect((await refresh(gateway, host, next, foreign)).body.error).toBe('invalid_target');
    const thief = await registerHost(gateway);
    const stolen = await refresh(gateway, { ...host, clientId: thief.clientId }, next);
    expect(stolen.body).toEqual(INVALID_GRANT);
    expect((await refresh(gateway, host, next)).status).toBe(200);
    // Within the grace, the replaced one still works; later, its use ends the grant.
    now += 599_000;
    expect((await refresh(gateway, host, refreshToken)).status).toBe(200);
    now += 2000;
    expect((await refresh(gateway, host, refreshToken)).body).toEqual(INVALID_GRANT);
    await hasEnded(accessToken);
  });

  test(`${verifies('oauth.refresh')}: whatever happened since it was replaced`, async () => {
    const { host, accessToken, refreshToken } = await connectHost(gateway, browser);
    let latest = refreshToken;
    for (let i = 0; i < 2 * MAX_REFRESH_TOKENS; i++) {
      now += 1000;
      latest = (await refresh(gateway, host, latest)).body.refresh_token;
    }
    const database = await openDatabase();
    const { keys } = (await browser.ask('GET /tenants/default/keys?limit=1')).body;
    const access = database.db.selectFrom('oauth_tokens').select('digest');
    const refreshable = database.db.selectFrom('oauth_refresh_tokens').select('living');
    expect(await access.where('api_key_id', '=', keys[0].id).execute()).toHaveLength(MAX_TOKENS);
    const { living } = await refreshable
      .where('api_key_id', '=', keys[0].id)
      .executeTakeFirstOrThrow();
    expect(JSON.parse(living)).toHaveLength(MAX_REFRESH_TOKENS);
    await database.close();
    now += 601_000;
    expect((await refresh(gateway, host, latest)).status).toBe(200);
    expect((await refresh(gateway, host, refreshToken)).body).toEqual(INVALID_GRANT);
    await hasEnded(accessToken);
    expect((await trail())[0]).toBe('app.reuse_detected');
  });

  test(verifies('oauth.refresh-branches'), async () => {
    const { host, refreshToken } = await connectHost(gateway, browser);
    const [ours, theirs] = [
      (await refresh(gateway, host, refreshToken)).body,
      (await refresh(gateway, host, refreshToken)).body,
    ];
    now += 600_001;
    const branches = await Promise.all(
      [ours, theirs].map(({ refresh_token: token }) => refresh(gateway, host, token)),
    );
    // Exchanged at once, one of them has won, and the other has ended the grant.
    expect(branches.map(({ status }) => status).sort()).toEqual([200, 400]);
    const won = branches.find(({ status }) => status === 200)?.body;
    await hasEnded(won.access_token);
    expect((await refresh(gateway, host, won.refresh_token)).body).toEqual(INVALID_GRANT);
    // One that has not ended works in parallel, and its sibling later ends all of them.
    const again = await connectHost(gateway, browser);
    const first = (await refresh(gateway, again.host, again.refreshToken)).body;
    const second = (await refresh(gateway, again.host, again.refreshToken)).body;
    now += 600_001;
    for (let i = 0; i < 3; i++) {
      const { status } = await refresh(gateway, again.host, first.refresh_token);
      expect(status).toBe(200);
    }
    const late = await refresh(gateway, again.host, second.refresh_token);
    expect(late.body).toEqual(INVALID_GRANT);
    await hasEnded(first.access_token);
  });

  test(verifies('oauth.expired-token'), async () => {
    const { host, accessToken, refreshToken } = await connectHost(gateway, browser);
    expect((await bearer(accessToken)).status).toBe(200);
    now += 60 * 60_000;
    const expired = await bearer(accessToken);
    expect(expired.status).toBe(401);
    expect(expired.headers.get('www-authenticate')).toMatch(
      /^Bearer resource_metadata=".*", error="invalid_token"$/,
    );
    expect(expired.body.message).toMatch(/^The access token is not known, has expired/);
    // They are no failed authentications, however many they are. Invented ones cost no query.
    for (let wave = 0; wave < 10; wave++) {
      const tokens = Array.from({ length: 100 }, () => newApiKeyText().replace('live', 'at'));
      const statuses = await Promise.all(tokens.map(async (token) => (await bearer(token)).status));
      expect(new Set(statuses)).toEqual(new Set([401]));
    }
    expect((await gateway.rpc(LIST)).status).toBe(200);
    const renewed = await refresh(gateway, host, refreshToken);
    expect((await bearer(renewed.body.access_token)).status).toBe(200);
    now += 31 * 24 * 60 * 60_000;
    expect((await refresh(gateway, host, renewed.body.refresh_token)).body).toEqual(INVALID_GRANT);
    browser = await signIn(gateway);
  });

  test(verifies('oauth.addresses'), async () => {
    const { accessToken } = await connectHost(gateway, browser);
    const headers = { authorization: `Bearer ${accessToken}` };
    for (const path of [
      '/api/v1/audit',
      '/api/v1/tools',
      '/health/detailed',
      '/api/v1/registrations',
    ]) {
      const refused = await gateway.json(path, { key: null, headers });
      expect([path, refused.status]).toEqual([path, 403]);
      expect(refused.headers.get('www-authenticate')).toContain('insufficient_scope');
    }
    const managed = await bearer(accessToken, '/mcp?mode=manage');
    expect(managed.status).toBe(400);
    const stream = await gateway.fetch('/mcp/sse', { key: null, headers });
    expect(stream.status).toBe(200);
    await stream.body?.cancel();
    const probe = await gateway.json('/mcp', { key: null, headers });
    expect(probe.status).toBe(405);
  });

  test(verifies('oauth.revocation'), async () => {
    const { host, accessToken, refreshToken } = await connectHost(gateway, browser);
    const thief = await registerHost(gateway);
    const revoke = (clientId: string, token: string) =>
      sendForm(gateway, '/revoke', { token, client_id: clientId });
    expect((await revoke(thief.clientId, refreshToken)).status).toBe(200);
    expect((await revoke(host.clientId, 'unknown')).status).toBe(200);
    expect((await bearer(accessToken)).status).toBe(200);
    expect((await revoke(host.clientId, refreshToken)).status).toBe(200);
    expect((await bearer(accessToken)).status).toBe(401);
    expect((await refresh(gateway, host, refreshToken)).body).toEqual(INVALID_GRANT);
  });

  test(verifies('oauth.apps'), async () => {
    const { accessToken } = await connectHost(gateway, browser, { dailyLimit: 100 });
    const { apps } = (await browser.ask('GET /me/apps')).body;
    expect(apps[0]).toMatchObject({ name: 'A test host', tenant: 'default', allowedTools: null });
    const other = await joinAsViewer(gateway, browser);
    expect((await other.ask('GET /me/apps')).body.apps).toEqual([]);
    expect((await other.ask(`DELETE /me/apps/${apps[0].id}`)).status).toBe(404);
    const stream = await gateway.fetch('/mcp/sse', {
      key: null,
      headers: { authorization: `Bearer ${accessToken}` },
    });
    expect((await browser.ask(`DELETE /me/apps/${apps[0].id}`)).status).toBe(204);
    expect((await bearer(accessToken)).status).toBe(401);
    // An open stream ends with its grant.
    expect(await stream.text()).toContain('event: ready');
  });

  test(`${verifies('oauth.apps')}: a new password ends them if the person or the operator wants it`, async () => {
    const email = 'careful@example.com';
    const person = await inviteAndJoin(gateway, browser, {
      tenant: 'default',
      email,
      role: 'viewer',
    });
    const { id } = (await person.ask('GET /me')).body.person;
    const change = (currentPassword: string, newPassword: string, more = {}) =>
      person.ask('POST /me/password', { currentPassword, newPassword, ...more });
    const [first, second] = ['a first good password', 'a second good password'];
    const { accessToken } = await connectHost(gateway, person);
    expect((await change(ADMIN.password, first)).status).toBe(204);
    expect((await bearer(accessToken)).status).toBe(200);
    expect((await change(first, second, { endsApps: true })).status).toBe(204);
    await hasEnded(accessToken);
    const again = await connectHost(gateway, person);
    const reset = (body: object) => browser.ask(`POST /people/${id}/password`, body);
    expect((await reset({})).status).toBe(200);
    expect((await bearer(again.accessToken)).status).toBe(200);
    expect((await reset({ endsApps: true })).status).toBe(200);
    await hasEnded(again.accessToken);
  });

  test(verifies('oauth.bounds'), async () => {
    const large = await sendJson(gateway, '/register', { client_name: 'x'.repeat(16 * 1024) });
    expect(large.status).toBe(413);
    const host = await registerHost(gateway);
    const long = authorizePath(host, { state: '\u0001'.repeat(2048) });
    const { text } = await openAuthorize(gateway, browser, long);
    expect(text).toContain('The request is too long.');
    const statuses: number[] = [];
    for (let sent = 0; sent <= 1200; sent += 50) {
      const all = Array.from({ length: 50 }, () =>
        gateway.fetch('/authorize', { headers: { 'x-forwarded-for': '192.0.2.1' } }),
      );
      statuses.push(...(await Promise.all(all)).map(({ status }) => status));
    }
    expect(statuses.filter((status) => status === 400)).toHaveLength(1200);
    expect(new Set(statuses)).toEqual(new Set([400, 429]));
    const forPerson = await gateway.fetch('/authorize', {
      headers: { 'x-forwarded-for': '192.0.2.1', accept: 'text/html' },
    });
    expect(forPerson.status).toBe(429);
    expect(Number(forPerson.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await forPerson.text()).toContain('The gateway cannot answer right now');
    expect((await refresh(gateway, host, 'unknown')).status).toBe(400);
  });

  test(`${verifies('oauth.bounds')}: a person has so many grants`, async () => {
    const person = await inviteAndJoin(gateway, browser, {
      tenant: 'default',
      email: 'collector@example.com',
      role: 'viewer',
    });
    const first = await connectHost(gateway, person);
    for (let i = 1; i < MAX_GRANTS; i++) await connectHost(gateway, person);
    expect((await bearer(first.accessToken)).status).toBe(200);
    const last = await connectHost(gateway, person);
    expect((await bearer(first.accessToken)).status).toBe(401);
    expect((await bearer(last.accessToken)).status).toBe(200);
    expect((await person.ask('GET /me/apps')).body.apps).toHaveLength(MAX_GRANTS);
  });

  test(verifies('oauth.narrowed'), async () => {
    const chosen = { allowedTools: ['frankfurter_*', 'category:weather'], dailyLimit: 100 };
    await connectHost(gateway, browser, chosen);
    const grant = async () => (await browser.ask('GET /tenants/default/keys?limit=1')).body.keys[0];
    const days = (count: number) => new Date(now + count * 86_400_000).toISOString();
    const change = async (members: object) => {
      const { id, revision } = await grant();
      const body = { revision, ...members };
      return (await browser.ask(`PATCH /tenants/default/keys/${id}`, body)).status;
    };
    for (const more of [
      { allowedTools: null },
      { allowedTools: [...chosen.allowedTools, 'kma_*'] },
      // A registered tool could have this name.
      { allowedTools: ['frankfurter_rates'] },
      { dailyLimit: 101 },
      { dailyLimit: null },
      { expiresAt: days(91) },
      { expiresAt: null },
    ]) {
      expect([more, await change(more)]).toEqual([more, 400]);
    }
    const { allowedTools, dailyLimit, expiresAt } = await grant();
    for (const within of [
      { name: 'Renamed', allowedTools, dailyLimit, expiresAt },
      { expiresAt: days(89) },
      { allowedTools: ['category:weather'], dailyLimit: 1, expiresAt: days(1) },
    ]) {
      expect([within, await change(within)]).toEqual([within, 200]);
    }
    expect(await change(chosen)).toBe(400);
    // A grant of all tools can be narrowed to any.
    await connectHost(gateway, browser);
    expect(await change({ allowedTools: ['kma_*'], dailyLimit: 5 })).toBe(200);
  });

  test(verifies('oauth.membership'), async () => {
    const join = (email: string, role: 'admin' | 'viewer') =>
      inviteAndJoin(gateway, browser, { tenant: 'default', email, role });
    const removed = await join('removed@example.com', 'viewer');
    const lowered = await join('lowered@example.com', 'admin');
    const idOf = async (client: AdminClient) => (await client.ask('GET /me')).body.person.id;
    const [removedId, loweredId] = [await idOf(removed), await idOf(lowered)];
    const ofRemoved = await connectHost(gateway, removed);
    const ofLowered = await connectHost(gateway, lowered);
    expect((await bearer(ofRemoved.accessToken)).status).toBe(200);
    // A code that was not redeemed ends, too.
    const host = await registerHost(gateway);
    const code = (await consent(gateway, removed, host)).searchParams.get('code') ?? '';
    await browser.ask(`DELETE /tenants/default/members/${removedId}`);
    await browser.ask(`PATCH /tenants/default/members/${loweredId}`, { role: 'viewer' });
    await hasEnded(ofRemoved.accessToken);
    await hasEnded(ofLowered.accessToken);
    expect((await redeem(gateway, host, code)).body).toEqual(INVALID_GRANT);
    expect((await bearer((await connectHost(gateway, lowered)).accessToken)).status).toBe(200);
  });

  test(verifies('oauth.database'), async () => {
    const host = await registerHost(gateway, { token_endpoint_auth_method: 'client_secret_basic' });
    const code = (await consent(gateway, browser, host)).searchParams.get('code') ?? '';
    const { body } = await redeem(gateway, host, code);
    const open = await consent(gateway, browser, await registerHost(gateway));
    const database = await openDatabase();
    const tables = [
      ...(['api_keys', 'oauth_codes', 'oauth_tokens', 'oauth_refresh_tokens'] as const),
      ...(['admin_events', 'changes', 'secrets'] as const),
    ];
    const rows = await Promise.all(
      tables.map((table) => database.db.selectFrom(table).selectAll().execute()),
    );
    await database.close();
    const dump = JSON.stringify(rows);
    const secrets = [
      code,
      open.searchParams.get('code'),
      host.clientSecret,
      host.verifier,
      body.access_token,
      body.refresh_token,
    ];
    for (const secret of secrets) {
      expect(secret?.length).toBeGreaterThan(20);
      expect(dump).not.toContain(secret);
    }
  });
});

describe.each([
  ['known', 400, 302, true],
  ['off', 400, 400, false],
] as const)('sign-in from hosts with OAUTH_CLIENTS=%s', (policy, own, known, takesDocuments) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ env: { ...ADMIN_ENV, OAUTH_CLIENTS: policy } });
  });
  afterAll(() => gateway.close());

  test(verifies('oauth.policy'), async () => {
    const { body } = await gateway.json('/.well-known/oauth-authorization-server');
    expect('registration_endpoint' in body).toBe(false);
    expect(body.client_id_metadata_document_supported).toBe(takesDocuments);
    const registration = await sendJson(gateway, '/register', { redirect_uris: [REDIRECT] });
    expect([registration.status, registration.body.error]).toEqual([400, 'access_denied']);
    const browser = await signIn(gateway);
    const statusOf = async (clientId: string) => {
      const host = { clientId, clientSecret: '', redirectUri: '', verifier: '' };
      const redirect = { redirect_uri: 'http://localhost:1/callback' };
      return (await openAuthorize(gateway, browser, authorizePath(host, redirect))).status;
    };
    expect(await statusOf('tgc_v1.x.y')).toBe(own);
    expect(await statusOf('https://host.example/client.json')).toBe(own);
    expect(await statusOf('https://claude.ai/oauth/claude-code-client-metadata')).toBe(known);
  });
});

/** Where the link of a page leads. */
const linkIn = (page: string): string =>
  (/rel="noreferrer" href="([^"]*)"/.exec(page)?.[1] ?? '').replaceAll(/&#(\d+);/g, (_, code) =>
    String.fromCharCode(Number(code)),
  );

const longRedirect = (length: number): string => `https://a.example/${'x'.repeat(length)}`;

const KEY = Buffer.alloc(32, 7).toString('base64');
