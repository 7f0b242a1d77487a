import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  GATEWAY_BACKENDS,
  type JsonResponse,
  startTestGateway,
  type TestGateway,
} from '../support/gateway.ts';
import { registerApi, sendJson } from './register-api.ts';

const ENV = {
  ALLOW_PRIVATE_UPSTREAMS: 'true',
  ENCRYPTION_KEY: Buffer.alloc(32, 'k').toString('base64'),
};

/** An operation of the description that the test changes. */
interface Operation {
  readonly path: string;
  readonly method: 'get' | 'post' | 'delete';
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameter?: string;
  readonly server?: string;
}

const operation = (path: string, members: Partial<Operation> = {}): Operation => ({
  path,
  method: 'get',
  description: `Uses ${path}.`,
  tags: [],
  ...members,
});

describe.each(GATEWAY_BACKENDS)('the life of an own API ($name)', (backend) => {
  let gateway: TestGateway;
  /** What the address of the description responds with. */
  let operations: Readonly<Record<string, Operation>>;
  let server: string;
  let number = 0;
  let key: string;
  beforeAll(async () => {
    gateway = await startTestGateway({ backend, env: ENV });
    gateway.upstream.answer(({ url, headers }, response) => {
      if (url === '/moved') {
        const elsewhere = gateway.upstream.url.replace('127.0.0.1', 'localhost');
        response.writeHead(302, { location: `${elsewhere}/openapi.json` }).end();
        return;
      }
      if (url === '/token') {
        const token = { access_token: TOKEN, token_type: 'bearer', expires_in: 3600 };
        response.setHeader('content-type', 'application/json').end(JSON.stringify(token));
        return;
      }
      const body =
        url === '/openapi.json'
          ? describeApi(server, operations)
          : { path: url, isKnown: headers.authorization === `Bearer ${TOKEN}` };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    });
  });
  afterAll(() => gateway.close());
  beforeEach(async () => {
    ({ key } = await gateway.createKey(`owner-${++number}`));
    server = gateway.upstream.url;
    operations = {
      books: operation('/books', { tags: ['reading'] }),
      remove: operation('/books/remove', { method: 'delete', tags: ['reading'] }),
      authors: operation('/authors', { tags: ['people'] }),
      admin: operation('/admin/users', { tags: ['people'] }),
    };
  });

  const address = () => `${gateway.upstream.url}/openapi.json`;
  const register = async (members: object = {}) => {
    const body = { name: 'Books', spec_url: address(), auth: BEARER, ...members };
    const { registration } = await registerApi(gateway, key, body);
    return `/api/v1/registrations/${registration.id}`;
  };
  const patch = (path: string, body: object) => sendJson(gateway, 'PATCH', path, key, body);
  const refresh = (path: string, body: object = {}): Promise<JsonResponse> =>
    sendJson(gateway, 'POST', `${path}/refresh`, key, body);
  const listed = async (): Promise<Record<string, string>> => {
    const { body } = await gateway.json('/api/v1/tools?source=registered', { key });
    return Object.fromEntries(
      body.tools.map(({ name, description }: { name: string; description: string }) => [
        name,
        description,
      ]),
    );
  };
  const names = async () => Object.keys(await listed()).toSorted();

  test('takes what a refresh adds, removes and changes, and keeps the texts of people', async () => {
    const path = await register();
    const descriptions = { books: 'All books of the library.', authors: 'Who wrote them.' };
    expect((await patch(path, { descriptions })).status).toBe(200);
    expect(await listed()).toMatchObject(descriptions);

    expect((await refresh(path)).body).toMatchObject({ outcome: 'unchanged' });
    const { admin: _admin, ...others } = operations;
    operations = {
      ...others,
      books: operation('/books', { description: 'Another text.', parameter: 'author' }),
      shelves: operation('/shelves'),
    };
    const changes = {
      added: ['shelves'],
      removed: ['admin'],
      changed: [{ tool: 'books', parts: ['description', 'parameters', 'request'] }],
    };
    const tried = await refresh(path, { dry_run: true });
    expect(tried.body).toMatchObject({ outcome: 'checked', changes });
    expect(await names()).toEqual(['admin', 'authors', 'books', 'remove']);

    const done = await refresh(path);
    expect([done.status, done.body]).toMatchObject([200, { outcome: 'updated', changes }]);
    expect(await listed()).toEqual({
      ...descriptions,
      remove: 'Uses /books/remove.',
      shelves: 'Uses /shelves.',
    });
    const called = await gateway.call('books', { author: 'Lem' }, key);
    expect(called.body.result.data).toEqual({ path: '/books?author=Lem', isKnown: true });
    expect((await gateway.call('admin', {}, key)).body.error.code).toBe(-32602);

    await patch(path, { descriptions: { books: null } });
    expect((await listed())['books']).toBe('Another text.');
  });

  test('shows its credential to no origin that its description names besides its own', async () => {
    const elsewhere = gateway.upstream.url.replace('127.0.0.1', 'localhost');
    operations = { ...operations, authors: operation('/authors', { server: elsewhere }) };
    await register();
    expect((await gateway.call('authors', {}, key)).body.result.data.isKnown).toBe(false);
    expect((await gateway.call('books', {}, key)).body.result.data.isKnown).toBe(true);
  });
});

const TOKEN = 'token-of-the-library';
const BEARER = { type: 'bearer', token: TOKEN };

function describeApi(url: string, operations: Readonly<Record<string, Operation>>): object {
  const paths: Record<string, object> = {};
  for (const [operationId, each] of Object.entries(operations)) {
    const { path, method, description, tags, parameter: name, server } = each;
    const schema = { type: 'string' };
    paths[path] = {
      [method]: {
        operationId,
        description,
        tags,
        'x-cache-ttl': 0,
        ...(server && { servers: [{ url: server }] }),
        ...(name && { parameters: [{ name, in: 'query', description: 'A filter.', schema }] }),
        responses: { 200: { description: 'What was found.' } },
      },
    };
  }
  return { openapi: '3.1.0', info: { title: 'Books', version: '1' }, servers: [{ url }], paths };
}
