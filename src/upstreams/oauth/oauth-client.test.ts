import { inspect } from 'node:util';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createByteBudget } from '../../platform/kernel/byte-budget.ts';
import { Cancellation } from '../../platform/kernel/cancellation.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import {
  type Behaviour,
  type MisbehavingServer,
  startMisbehavingServer,
} from '../client/testing/misbehaving-server.ts';
import { failureOf, type Send, sender } from '../client/testing/sending.ts';
import { createGuardedClient } from '../guard/guarded-client.ts';
import { createTestGuard, under } from '../guard/testing/test-guard.ts';
import { redactorFor } from '../redaction/redact-secrets.ts';
import type { OauthCredential } from './access-token.ts';
import { createAccessTokens } from './access-tokens.ts';
import { createOauthClient } from './oauth-client.ts';

const SECRET = 's3cret of the client';

let server: MisbehavingServer;
let nowMs: number;
/** The tokens that the API accepts. */
let accepted: Set<string>;
let issued: number;

beforeEach(async () => {
  server = await startMisbehavingServer();
  onTestFinished(() => server.close());
  nowMs = 0;
  issued = 0;
  accepted = new Set();
  server.on('/token', issueToken({ expires_in: 3600 }));
  server.on('/api', (response, { headers }) => {
    const token = headers.authorization?.replace('Bearer ', '') ?? '';
    response.writeHead(accepted.has(token) ? 200 : 401).end(JSON.stringify({ seen: token }));
  });
});

/** Issues `token-1`, `token-2` and so on, and lets the API accept them. */
const issueToken =
  (members: object): Behaviour =>
  (response) => {
    issued += 1;
    accepted.add(`token-${issued}`);
    const body = { access_token: `token-${issued}`, token_type: 'Bearer', ...members };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

const respond =
  (status: number, body: string): Behaviour =>
  (response) => {
    response.writeHead(status).end(body);
  };

/** Two servers on one port by name: the API, and its token server. */
function newSend(changes: Partial<OauthCredential> = {}): Send {
  const guard = createTestGuard({ 'rebound.example.com': ['10.0.0.1'] });
  const client = createGuardedClient({
    guard,
    hopMark: 'mark',
    maxBytes: 1024 * 1024,
    concurrencyPerOrigin: 8,
    closeGraceMs: 0,
    retry: { maxRetries: 0 },
  });
  onTestFinished(() => client.close());
  const api = under('api.example.com', server);
  const tokens = createAccessTokens({
    client,
    checkUrl: guard.checkUrl,
    budget: createByteBudget(1024 * 1024),
    clock: { now: () => nowMs },
  });
  const credential: OauthCredential = {
    version: 'registration-1',
    tenantId: 'tenant',
    tokenUrl: `${under('auth.example.com', server)}/token`,
    clientId: 'client:1',
    clientSecret: new Secret(SECRET),
    scope: 'read write',
    ...changes,
  };
  return sender(createOauthClient({ client, tokens, credential, origins: new Set([api]) }), api);
}

const tokenRequests = () => server.seen.filter(({ url }) => url === '/token');

describe('a call with an OAuth credential', () => {
  it('sends a token of the token server', async () => {
    const response = await newSend()('/api');
    expect(JSON.parse(response.body.toString())).toEqual({ seen: 'token-1' });
    const [request] = tokenRequests();
    const basic = Buffer.from('client%3A1:s3cret+of+the+client').toString('base64');
    expect(request).toMatchObject({
      method: 'POST',
      body: 'grant_type=client_credentials&scope=read+write',
      headers: {
        authorization: `Basic ${basic}`,
        'content-type': 'application/x-www-form-urlencoded',
        'x-tool-gateway-hop': 'mark',
      },
    });
  });

  it('shares the token with concurrent and later calls', async () => {
    const send = newSend();
    await Promise.all(Array.from({ length: 12 }, () => send('/api')));
    await send('/api');
    expect(issued).toBe(1);
  });

  it.each([
    [3600, 3600 - 60],
    [100, 90],
    ['100', 90],
    [undefined, 300 - 30],
    [-5, 300 - 30],
    ['soon', 300 - 30],
    [1e9, 86_400 - 60],
  ])('replaces a token with expires_in %j after %d seconds', async (expiresIn, seconds) => {
    server.on('/token', issueToken({ expires_in: expiresIn }));
    const send = newSend();
    await send('/api');
    nowMs = seconds * 1000 - 1;
    await send('/api');
    expect(issued).toBe(1);
    nowMs = seconds * 1000;
    await send('/api');
    expect(issued).toBe(2);
  });

  it('uses the old token until it expires while no new one can be obtained', async () => {
    server.on('/token', issueToken({ expires_in: 100 }));
    const send = newSend();
    await send('/api');
    server.on('/token', respond(500, ''));
    nowMs = 90_000;
    for (let n = 0; n < 3; n++) expect((await send('/api')).status).toBe(200);
    expect(tokenRequests()).toHaveLength(2);
    nowMs = 100_000;
    expect((await failureOf(send('/api'))).code).toBe('upstream_unreachable');
  });

  it('is repeated once with a new token if the API refuses the old one', async () => {
    const send = newSend();
    await send('/api');
    accepted.clear();
    const response = await send('/api', { method: 'POST', idempotent: false });
    expect([response.status, issued]).toEqual([200, 2]);
  });

  it('shares the new token with the calls that were refused at the same time', async () => {
    const send = newSend();
    await send('/api');
    accepted.clear();
    const responses = await Promise.all(Array.from({ length: 6 }, () => send('/api')));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(issued).toBe(2);
  });

  it('returns the second 401, and requests at most ten new tokens a minute', async () => {
    server.on('/api', respond(401, '{}'));
    const send = newSend();
    for (let n = 0; n < 15; n++) expect((await send('/api')).status).toBe(401);
    expect(issued).toBe(11);
    nowMs = 60_000;
    await send('/api');
    expect(issued).toBe(12);
  });

  it('sends no token to another origin', async () => {
    const send = newSend();
    const elsewhere = under('elsewhere.example.com', server);
    expect((await send('/api', { origin: elsewhere })).status).toBe(401);
    expect([issued, server.seen.at(-1)?.headers.authorization]).toEqual([0, undefined]);
  });

  it('does not wait longer for a token than its own deadline and its caller', async () => {
    server.on('/token', () => undefined);
    const send = newSend();
    const patient = failureOf(send('/api', { deadlineMs: 30_000 }));
    await server.arrived('/token');
    expect((await failureOf(send('/api', { deadlineMs: 50 }))).code).toBe('upstream_timeout');
    const cancellation = new Cancellation();
    const cancelled = failureOf(send('/api', { cancellation }));
    cancellation.cancel();
    expect((await cancelled).code).toBe('cancelled');
    expect(tokenRequests()).toHaveLength(1);
    await server.close();
    expect((await patient).code).toBe('upstream_unreachable');
  });
});

describe('a token server', () => {
  it('that reads the credential from the body only is served', async () => {
    const issue = issueToken({});
    server.on('/token', (response, request, count) => {
      if (request.headers.authorization) respond(401, '{}')(response, request, count);
      else issue(response, request, count);
    });
    expect((await newSend()('/api')).status).toBe(200);
    expect(tokenRequests()[1]?.body).toBe(
      'grant_type=client_credentials&scope=read+write&client_id=client%3A1&client_secret=s3cret+of+the+client',
    );
  });

  it('that refuses the credential is not asked again for five seconds', async () => {
    server.on('/token', respond(401, '{"error":"invalid_client","error_description":"leak"}'));
    const send = newSend();
    for (let n = 0; n < 3; n++) {
      const { code, message } = await failureOf(send('/api'));
      expect(code).toBe('missing_secret');
      expect(message).toContain('(invalid_client). Check token_url, client_id');
      expect(message).not.toContain('leak');
    }
    expect(tokenRequests()).toHaveLength(2);
    server.on('/token', issueToken({}));
    nowMs = 5000;
    expect((await send('/api')).status).toBe(200);
  });

  it.each([
    ['no JSON', 200, '<html>', 'upstream_bad_payload: The response of the token server has no acc'],
    ['no token', 200, '{"access_token":7}', 'upstream_bad_payload: The response of the token serv'],
    ['another type', 200, '{"access_token":"a","token_type":"mac"}', 'other than Bearer'],
    ['a line break', 200, '{"access_token":"a\\r\\nx: y"}', 'with invalid characters.'],
    ['a huge token', 200, `{"access_token":"${'a'.repeat(8193)}"}`, 'more than 8192 characters.'],
    ['a huge response', 200, `{"a":"${'a'.repeat(65_536)}"}`, 'upstream_too_large: No access tok'],
    ['a redirect', 302, '', 'upstream_unreachable: The token server responded with status 302.'],
    ['an error', 500, '', 'upstream_unreachable: The token server responded with status 500.'],
    ['a refusal', 400, '{"error":"<b>"}', 'missing_secret: The token server refused the OAuth cr'],
  ])('that sends %s fails the call', async (_, status, body, issue) => {
    server.on('/token', respond(status, body));
    const { code, message } = await failureOf(newSend()('/api'));
    expect(`${code}: ${message}`).toContain(issue);
    expect(server.seen.filter(({ url }) => url === '/api')).toEqual([]);
  });

  it.each(['http://rebound.example.com/token', 'http://169.254.169.254/token', 'file:///token'])(
    'at %s is not requested',
    async (tokenUrl) => {
      const { code } = await failureOf(newSend({ tokenUrl })('/api'));
      expect(code).toBe('upstream_blocked');
    },
  );
});

describe('a token', () => {
  it('and the client secret are redacted in responses', async () => {
    server.on('/api', (response, { headers }) => {
      response.end(JSON.stringify({ auth: headers.authorization, secret: SECRET }));
    });
    server.on('/token', issueToken({ access_token: 'a-token-of-some-length' }));
    const { body, hidden } = await newSend()('/api');
    expect(redactorFor(hidden).json(body).toString()).toBe(
      '{"auth":"Bearer REDACTED","secret":"REDACTED"}',
    );
  });

  it('is printed nowhere', async () => {
    server.on('/token', issueToken({ access_token: 'a-token-of-some-length' }));
    server.on('/api', (response) => response.socket?.destroy());
    const error = await failureOf(newSend()('/api'));
    const printed = inspect(error, { depth: 20, showHidden: true });
    expect(printed).not.toContain('a-token-of-some-length');
    expect(printed).not.toContain(SECRET);
  });
});
