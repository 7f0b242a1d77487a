import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SeenRequest } from '../support/fixture-upstream.ts';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { openSse, type SseClient } from '../support/sse-client.ts';
import { registerApi } from './register-api.ts';

const ENV = {
  ALLOW_PRIVATE_UPSTREAMS: 'true',
  ENCRYPTION_KEY: Buffer.alloc(32, 'k').toString('base64'),
};

/** What a registration says about a credential, what its API checks, and the texts that nothing may show. */
interface Case {
  readonly name: string;
  readonly auth: { readonly type: string; readonly [member: string]: string };
  readonly accepts: (request: SeenRequest) => boolean;
  readonly secrets: readonly string[];
}

const SECRET = 'A s3cret/of+the=API';
const basic = Buffer.from(`an-operator:${SECRET}`).toString('base64');
const apiKey = (place: string, accepts: Case['accepts']): Case => ({
  name: `an API key in a ${place}`,
  auth: { type: 'api_key', in: place, key_name: 'x-own-key', token: 'own-key/0123456789+abc==' },
  accepts,
  secrets: ['own-key/0123456789+abc==', encodeURIComponent('own-key/0123456789+abc==')],
});

const CASES: readonly Case[] = [
  {
    name: 'a bearer token',
    auth: { type: 'bearer', token: SECRET },
    accepts: ({ headers }) => headers.authorization === `Bearer ${SECRET}`,
    secrets: [SECRET],
  },
  {
    name: 'a user name and password',
    auth: { type: 'basic', username: 'an-operator', password: SECRET },
    accepts: ({ headers }) => headers.authorization === `Basic ${basic}`,
    secrets: [SECRET, basic],
  },
  apiKey('header', ({ headers }) => headers['x-own-key'] === 'own-key/0123456789+abc=='),
  apiKey('query', ({ url }) => queryOf(url).get('x-own-key') === 'own-key/0123456789+abc=='),
  apiKey('cookie', ({ headers }) =>
    [
      'x-own-key=own-key/0123456789+abc==',
      `x-own-key=${encodeURIComponent('own-key/0123456789+abc==')}`,
    ].includes(headers.cookie ?? ''),
  ),
];

const queryOf = (url: string): URLSearchParams => new URL(url, 'http://api').searchParams;

describe.each(GATEWAY_BACKENDS)('the credential of an own API ($name)', (backend) => {
  let gateway: TestGateway;
  let log = '';
  beforeAll(async () => {
    const sink = new Writable({
      write: (chunk, _encoding, done) => {
        log += String(chunk);
        done();
      },
    });
    const logger = pino({ level: 'trace' }, sink);
    gateway = await startTestGateway({ backend, env: ENV, logger });
  });
  afterAll(() => gateway.close());

  /** An API with this credential, at the upstream of the test, and a stream that hears of its calls. */
  async function register(tenant: string, auth: Case['auth']) {
    const { key } = await gateway.createKey(tenant);
    const stream = await openSse(gateway.url, key);
    const { job, registration } = await registerApi(gateway, key, {
      name: 'Checked',
      spec_raw: describeChecked(gateway.upstream.url),
      auth,
    });
    return { key, stream, job, path: `/api/v1/registrations/${registration.id}` };
  }

  /** Everything that the tenant and the operator can see. */
  async function surfaces(key: string, stream: SseClient, path: string): Promise<string> {
    const { body: audit } = await gateway.json('/api/v1/audit?limit=100', { key });
    const bodies = [audit];
    const addresses = [
      path,
      '/api/v1/registrations',
      '/api/v1/tools?source=registered',
      '/health/detailed',
      ...audit.records.map(({ auditId }: { auditId: string }) => `/api/v1/audit/${auditId}`),
    ];
    for (const address of addresses) bodies.push((await gateway.json(address, { key })).body);
    bodies.push((await gateway.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, key)).body);
    const files = backend.name === 'embedded' ? await filesOf(gateway.place.dataDir) : '';
    return [JSON.stringify(bodies), JSON.stringify(stream.events), log, files].join('\n');
  }

  test.each(CASES)('$name is sent as the API wants it, and shown nowhere', async (each) => {
    const tenant = each.name.replaceAll(/\W+/g, '-').toLowerCase();
    const { key, stream, job, path } = await register(tenant, each.auth);
    gateway.upstream.answer((request, response) => {
      const { url, headers } = request;
      response
        .writeHead(each.accepts(request) ? 200 : 401, { 'content-type': 'application/json' })
        .end(JSON.stringify({ url, headers, words: each.secrets }));
    });
    const called = await gateway.call('read', { note: 'one' }, key);
    expect(called.body.result.upstream.status).toBe(200);
    expect(JSON.stringify(called.body)).toContain('REDACTED');
    const written = await gateway.call('write', { note: 'two' }, key);
    expect(written.body.result.upstream.status).toBe(200);
    const shown = `${JSON.stringify([job, called.body, written.body])}${await surfaces(key, stream, path)}`;
    for (const secret of each.secrets) expect(shown).not.toContain(secret);
    expect((await gateway.json(path, { key })).body.auth).toEqual({
      type: each.auth.type,
      set: true,
    });
    stream.close();
  });

  test('of OAuth gets a token, keeps it, and renews it once when the API refuses it', async () => {
    const server = oauthApi(gateway);
    const { key, stream, path } = await register('oauth', server.auth());
    const statusOf = async (tool: string, note: string) =>
      (await gateway.call(tool, { note }, key)).body.result.upstream.status;

    const calls = ['a', 'b', 'c', 'd'].map((note) => statusOf('read', note));
    expect(await Promise.all(calls)).toEqual([200, 200, 200, 200]);
    expect(await statusOf('write', 'e')).toBe(200);
    expect(server.issued()).toBe(1);

    server.revokeAll();
    expect(await statusOf('write', 'f')).toBe(200);
    expect(server.issued()).toBe(2);
    expect(await statusOf('read', 'g')).toBe(200);
    expect(server.issued()).toBe(2);

    server.refuseAll();
    const requests = server.requests();
    expect(await statusOf('read', 'h')).toBe(401);
    expect([server.issued(), server.requests() - requests]).toEqual([3, 2]);

    const shown = await surfaces(key, stream, path);
    for (const secret of server.secrets()) expect(shown).not.toContain(secret);
    stream.close();
  });
});

/** Makes the upstream of the test an API with a token server, whose responses repeat what they were sent. */
function oauthApi({ upstream }: TestGateway) {
  const clientSecret = 'cl1ent+secret/of=OAuth';
  const accepted = new Set<string>();
  const clients: string[] = [];
  let issued = 0;
  let requests = 0;
  let isRefusing = false;
  upstream.answer(({ url, headers, body }, response) => {
    const reply = (status: number, members: object) =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify(members));
    if (url === '/token') {
      const pair = Buffer.from(headers.authorization?.replace('Basic ', '') ?? '', 'base64');
      const [id = '', secret] = pair.toString().split(':').map(decodeURIComponent);
      const isKnown = id !== 'unknown-client' && secret === clientSecret;
      if (!isKnown || !body.includes('scope=books.read')) {
        return void reply(401, { error: 'invalid_client', seen: secret });
      }
      clients.push(id);
      const token = `access-token-${++issued}-of-the-token-server`;
      accepted.add(token);
      return void reply(200, { access_token: token, token_type: 'Bearer', expires_in: 3600 });
    }
    requests++;
    const token = headers.authorization?.replace('Bearer ', '') ?? '';
    reply(accepted.has(token) && !isRefusing ? 200 : 401, { seen: token, secret: clientSecret });
  });
  return {
    auth: (client = 'a-client') => ({
      type: 'oauth2_client_credentials',
      token_url: `${upstream.url}/token`,
      client_id: client,
      client_secret: clientSecret,
      scope: 'books.read',
    }),
    issued: () => issued,
    requests: () => requests,
    clients: () => clients,
    revokeAll: () => accepted.clear(),
    refuseAll: () => {
      isRefusing = true;
    },
    secrets: () => [clientSecret, encodeURIComponent(clientSecret), 'of-the-token-server'],
  };
}

/** What is stored in a directory and its directories. */
async function filesOf(dir: string): Promise<string> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.parentPath.includes('presets'));
  const texts = files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1'));
  return (await Promise.all(texts)).join('\n');
}

const describeChecked = (url: string): string => `openapi: 3.1.0
info: { title: Checked, version: '1' }
servers: [{ url: '${url}' }]
paths:
  /things:
    get:
      operationId: read
      description: Reads the things.
      parameters:
        - { name: note, in: query, description: A note., schema: { type: string } }
      responses: { '200': { description: The things. } }
    post:
      operationId: write
      description: Writes a thing.
      requestBody:
        content:
          application/json:
            schema: { type: object, properties: { note: { type: string, description: A note. } } }
      responses: { '200': { description: The thing. } }
`;
