import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { registerApi } from './register-api.ts';

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Answer = (response: ServerResponse, count: number) => unknown;

const ENV = { ALLOW_PRIVATE_UPSTREAMS: 'true', RATE_LIMIT_PER_MINUTE: '0' };

let gateway: TestGateway;
let key: string;
let upstream: Server;
let received: Received[] = [];
let answer: Answer | undefined;
let registered = 0;
/** A tool of the API that is registered now. */
let toolId: string | undefined;

const origin = (): string => `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;

beforeAll(async () => {
  upstream = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    received.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    response.setHeader('content-type', 'application/json');
    if (answer) answer(response, received.length);
    else response.end('{"ok":true}');
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const [backend] = GATEWAY_BACKENDS;
  if (!backend) throw new Error('No backend is given.');
  gateway = await startTestGateway({ backend, env: ENV });
  ({ key } = await gateway.createKey('senders'));
});
afterAll(async () => {
  await gateway.close();
  upstream.close();
});

/** Registers an API with these operations of `/a` in place of the one before, and returns the names of its tools and the report on each. */
async function register(item: object, rest: object = { openapi: '3.0.3' }) {
  const isSwagger = 'swagger' in rest;
  const address = isSwagger
    ? { host: origin().slice('http://'.length), schemes: ['http'] }
    : { servers: [{ url: origin() }] };
  const info = { title: 'Example', version: '1' };
  const paths = 'paths' in item ? item.paths : { '/a': item };
  const document = { ...rest, info, ...address, paths };
  const name = `sent ${++registered}`;
  if (toolId)
    await gateway.json(`/api/v1/tools/${encodeURIComponent(toolId)}`, { method: 'DELETE', key });
  const { job } = await registerApi(gateway, key, { name, spec_raw: toText(document) });
  toolId = job.toolIds[0];
  received = [];
  answer = undefined;
  const operations: { tool: string; reason: string | null }[] = job.report.operations;
  return { tools: operations.map(({ tool }) => tool), reasons: operations.map((o) => o.reason) };
}

/** A description as JSON, with numbers as they are written after `#`. */
const toText = (document: unknown): string =>
  JSON.stringify(document).replaceAll(/"#([-\d.]+)"/g, '$1');

/** Calls a tool with arguments that are written as JSON, and returns the first request and the response. */
async function call(tool: string | undefined, args: string | object) {
  const before = received.length;
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  const reply = await gateway.json('/mcp', {
    method: 'POST',
    key,
    headers: { 'content-type': 'application/json' },
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":${text}}}`,
  });
  return { sent: received[before], requests: received.slice(before), body: reply.body };
}

const query = (name: string, schema: object, rest: object = {}) => ({
  get: {
    parameters: [{ name, in: 'query', schema, ...rest }],
    responses: { 200: { description: 'ok' } },
  },
});

const body = (schema: object, type = 'application/json', rest: object = {}) => ({
  patch: {
    requestBody: { required: true, content: { [type]: { schema, ...rest } } },
    responses: { 200: { description: 'ok' } },
  },
});

const object = (properties: object, required: string[] = []) => ({
  type: 'object',
  properties,
  ...(required.length > 0 ? { required } : {}),
});

const swagger = (parameters: object[], rest: object = {}) => ({
  post: { parameters, responses: { 200: { description: 'ok' } }, ...rest },
});

const V2 = { swagger: '2.0' };
const V31 = { openapi: '3.1.0' };

const LIST = { type: 'array', items: { type: 'string' } };
const field = (name: string, rest: object = { type: 'string' }) => ({
  name,
  in: 'formData',
  ...rest,
});

describe('a default', () => {
  test.each([
    ['of an optional parameter', query('page', { type: 'integer', default: 1 }), '/a', ''],
    [
      'of an optional member of a body',
      body(object({ name: { type: 'string' }, tags: { ...LIST, default: [] } })),
      '/a',
      '{"name":"Ann"}',
      { name: 'Ann' },
    ],
    [
      'of an optional member within a member',
      body(object({ p: object({ x: { type: 'string', default: 'x' }, y: { type: 'string' } }) })),
      '/a',
      '{"p":{"y":"1"}}',
      { p: { y: '1' } },
    ],
  ])(
    '%s is what the receiver assumes, and not sent',
    async (_, item, url, sentBody, args: object = {}) => {
      const { tools } = await register(item);
      expect((await call(tools[0], args)).sent).toMatchObject({ url, body: sentBody });
    },
  );

  test.each([
    [
      'a parameter',
      query('page', { type: 'integer', default: 1 }, { required: true }),
      '/a?page=1',
      '',
    ],
    [
      'a member',
      body(object({ kind: { type: 'string', default: 'k' } }, ['kind'])),
      '/a',
      '{"kind":"k"}',
    ],
  ])('is filled in for %s that is required', async (_, item, url, sentBody) => {
    const { tools } = await register(item);
    expect((await call(tools[0], {})).sent).toMatchObject({ url, body: sentBody });
  });
});

describe('null', () => {
  const choice = [{ type: 'string' }, { type: 'integer' }];
  test.each([
    ['nullable beside oneOf', { oneOf: choice, nullable: true }],
    ['nullable beside anyOf', { anyOf: choice, nullable: true }],
    ['nullable beside an enum', { type: 'string', nullable: true, enum: ['a'] }],
    ['nullable beside an enum without a type', { nullable: true, enum: ['a'] }],
    ['nullable beside a $ref', { $ref: '#/components/schemas/Level', nullable: true }],
    ['nullable beside allOf', { allOf: [{ $ref: '#/components/schemas/Level' }], nullable: true }],
    ['x-nullable', { type: 'string', 'x-nullable': true }],
    ['a list of types with nullable', { type: ['string', 'null'], nullable: true }],
    ['a list of types beside an enum', { type: ['string', 'null'], enum: ['a'] }, V31],
    ['nullable in 3.1', { oneOf: choice, nullable: true }, V31],
    [
      'nullable in one form beside a type',
      { type: 'string', anyOf: [{ nullable: true }, {}] },
      V31,
    ],
    ['null as one form beside a type', { type: 'string', oneOf: [{}, { type: 'null' }] }, V31],
    ['nullable beside a $ref in 3.1', { $ref: '#/components/schemas/Level', nullable: true }, V31],
  ])('is sent for %s', async (_, schema, version: object = { openapi: '3.0.3' }) => {
    const components = { schemas: { Level: { type: 'string', enum: ['low', 'high'] } } };
    const nested = object({ q: schema });
    const { tools } = await register(body(object({ a: schema, p: nested })), {
      ...version,
      components,
    });
    const { sent } = await call(tools[0], { a: null, p: { q: null } });
    expect(JSON.parse(sent?.body ?? '')).toEqual({ a: null, p: { q: null } });
  });

  test('that does not fit a member of a body is an error, and of a parameter absent', async () => {
    const { tools } = await register(body(object({ a: { type: 'string' } })));
    const refused = await call(tools[0], { a: null });
    expect(refused.sent).toBeUndefined();
    expect(refused.body.error.message).toContain('/a must be a string, but is null');
    const { tools: readers } = await register(query('a', { type: 'string' }));
    expect((await call(readers[0], { a: null })).sent?.url).toBe('/a');
  });
});

describe('what real descriptions ask for', () => {
  const text = { type: 'string' };

  test('a list in the style deepObject gets brackets, which are how such APIs know a list', async () => {
    const { tools } = await register(query('expand', LIST, { style: 'deepObject', explode: true }));
    const { sent } = await call(tools[0], { expand: ['a', 'b'] });
    expect(decodeURIComponent(sent?.url ?? '')).toBe('/a?expand[0]=a&expand[1]=b');
  });

  test('members of an allOf that are closed do not refuse one another, and close the whole', async () => {
    const closed = (properties: object) => ({ ...object(properties), additionalProperties: false });
    const schema = { allOf: [closed({ a: text }), closed({ b: text })] };
    const { tools } = await register(body(object({ value: schema })));
    const value = { a: '1', b: '2' };
    expect(JSON.parse((await call(tools[0], { value })).sent?.body ?? '')).toEqual({ value });
    expect((await call(tools[0], { value: { ...value, c: '3' } })).sent).toBeUndefined();
  });

  test('a required member with a name that models cannot write is given within the body', async () => {
    const { tools, reasons } = await register(body(object({ 'a b': text, c: text }, ['a b'])));
    expect(reasons).toEqual([null]);
    const { sent } = await call(tools[0], { body: '{"a b": "1", "c": "2"}' });
    expect(JSON.parse(sent?.body ?? '')).toEqual({ 'a b': '1', c: '2' });
  });

  test('a form without a schema takes any fields, and one of another type is refused', async () => {
    const { patch } = body(text, 'multipart/form-data');
    const { tools, reasons } = await register({ ...body({}, 'multipart/form-data'), post: patch });
    expect(tools).toEqual([null, expect.any(String)]);
    expect(reasons).toEqual([expect.stringMatching(/^The body is sent as a form, /), null]);
    const { sent } = await call(tools[1], { body: { a: '1' } });
    expect(sent?.body).toContain('name="a"');
  });

  test('a GET whose optional body has no members is accepted as it is', async () => {
    const content = { 'application/x-www-form-urlencoded': { schema: object({}) } };
    const { get } = query('q', text);
    const { reasons } = await register({ get: { ...get, requestBody: { content } } });
    expect(reasons).toEqual([null]);
  });
});

describe('digits', () => {
  const LONG = '9007199254740993';
  const DECIMAL = '0.12345678901234567891';
  const int64 = { type: 'integer', format: 'int64' };
  test.each([
    ['a number', LONG],
    ['a text', `"${LONG}"`],
  ])('of %s reach a query and a body', async (_, written) => {
    const { tools } = await register(query('id', int64));
    expect((await call(tools[0], `{"id":${written}}`)).sent?.url).toBe(`/a?id=${LONG}`);
    const { tools: writers } = await register(
      body(object({ id: int64, ids: { type: 'array', items: int64 } })),
    );
    const { sent } = await call(writers[0], `{"id":${written},"ids":[1,${written}]}`);
    expect(sent?.body).toBe(`{"id":${LONG},"ids":[1,${LONG}]}`);
  });

  test('of a decimal reach a query and a body, and a text stays one where a text is wanted', async () => {
    const { tools } = await register(query('x', { type: 'number' }));
    expect((await call(tools[0], `{"x":${DECIMAL}}`)).sent?.url).toBe(`/a?x=${DECIMAL}`);
    const { tools: writers } = await register(
      body(object({ x: { type: 'number' }, t: { type: 'string' } })),
    );
    const { sent } = await call(writers[0], `{"x":${DECIMAL},"t":${LONG}}`);
    expect(sent?.body).toBe(`{"x":${DECIMAL},"t":"${LONG}"}`);
  });

  test('of a default or an enum are not changed: what no double holds is left out with a reason', async () => {
    const { tools, reasons } = await register(
      query('id', { ...int64, enum: [`#${LONG}`, '#9007199254740995'] }),
    );
    expect(reasons[0]).toContain('The enum has numbers with more digits than a double keeps');
    expect((await call(tools[0], { id: LONG })).sent?.url).toBe(`/a?id=${LONG}`);
    const required = await register(
      query(
        'id',
        { ...int64, default: `#${LONG}`, maximum: '#9223372036854775807' },
        { required: true },
      ),
    );
    expect(required.reasons[0]).toContain('The default has numbers');
    expect((await call(required.tools[0], {})).sent).toBeUndefined();
  });
});

describe('a form of Swagger 2.0', () => {
  test('without a form type is URL-encoded, and with a file multipart', async () => {
    const { tools } = await register(swagger([field('grant_type')]), V2);
    const { sent } = await call(tools[0], { grant_type: 'x y' });
    expect(sent?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(sent?.body).toBe('grant_type=x%20y');
    const { tools: senders } = await register(swagger([field('f', { type: 'file' })]), V2);
    const { sent: file } = await call(senders[0], { f: 'aGVsbG8=' });
    expect(file?.headers['content-type']).toMatch(/^multipart\/form-data/);
    expect(file?.body).toMatch(
      /name="f"; filename="f"\r\nContent-Type: application\/octet-stream\r\n\r\nhello\r\n/,
    );
  });

  test('takes the fields that the document shares', async () => {
    const { tools } = await register(
      swagger([{ $ref: '#/parameters/One' }, { $ref: '#/parameters/Two' }]),
      { ...V2, parameters: { One: field('one'), Two: field('two') } },
    );
    expect((await call(tools[0], { one: '1', two: '2' })).sent?.body).toBe('one=1&two=2');
  });

  test.each([
    ['tsv', 'query', '/a?t=a%09b', undefined],
    ['pipes', 'header', '/a', 'a|b'],
    ['ssv', 'header', '/a', 'a b'],
  ])('writes a list as %s in a %s', async (collectionFormat, location, url, header) => {
    const parameter = { name: 't', in: location, ...LIST, collectionFormat };
    const { tools } = await register(swagger([parameter]), V2);
    const { sent } = await call(tools[0], { t: ['a', 'b'] });
    expect(sent?.url).toBe(url);
    expect(sent?.headers['t']).toBe(header);
  });

  test('says that a format has no meaning in its place', async () => {
    const parameter = { name: 't', in: 'header', ...LIST, collectionFormat: 'multi' };
    const { reasons } = await register(swagger([parameter]), V2);
    expect(reasons[0]).toContain('collectionFormat "multi"');
  });
});

test('files of FastAPI have names, types and the bytes that base64 stands for', async () => {
  const file = { anyOf: [{ type: 'string', format: 'binary' }, { type: 'null' }] };
  const { tools } = await register(
    body(object({ f: file, n: { type: 'string' } }), 'multipart/form-data'),
    V31,
  );
  const { sent } = await call(tools[0], { f: 'data:text/csv;base64,YSxiCg==', n: 'x' });
  expect(sent?.body).toMatch(/name="f"; filename="f"\r\nContent-Type: text\/csv\r\n\r\na,b\n\r\n/);
  expect(sent?.body).toMatch(/name="n"\r\n\r\nx\r\n/);
});

test('objects in a list of a deep object keep their groups', async () => {
  const rows = { type: 'array', items: object({ price: { type: 'string' }, tags: LIST }) };
  const encoding = { rows: { style: 'deepObject', explode: true } };
  const { tools } = await register(
    body(object({ rows }), 'application/x-www-form-urlencoded', { encoding }),
  );
  const { sent } = await call(tools[0], {
    rows: [{ price: 'p1', tags: ['a', 'b'] }, { price: 'p2' }],
  });
  expect(decodeURIComponent(sent?.body ?? '')).toBe(
    'rows[0][price]=p1&rows[0][tags]=a&rows[0][tags]=b&rows[1][price]=p2',
  );
});

test.each([
  [{ type: 'object' }, 'application/merge-patch+json', {}],
  [{ type: 'array', items: {} }, 'application/json-patch+json', []],
])('the media type of a patch fits its schema %j', async (schema, type, value) => {
  const types = ['application/json-patch+json', 'application/merge-patch+json'];
  const content = Object.fromEntries(types.map((name) => [name, { schema }]));
  const { tools } = await register({
    patch: { requestBody: { required: true, content }, responses: {} },
  });
  expect((await call(tools[0], { body: value })).sent?.headers['content-type']).toBe(type);
});

test.each([
  [{ openapi: '3.0.3' }, { responses: { 200: { content: { 'application/vnd.api+json': {} } } } }],
  [V2, { produces: ['application/vnd.api+json'], responses: { 200: {} } }],
])('Accept begins with the documented type (%j)', async (version, operation) => {
  const { tools } = await register({ get: operation }, version);
  const { sent } = await call(tools[0], {});
  expect(sent?.headers['accept']).toMatch(/^application\/vnd\.api\+json, application\/json;q=0\.9/);
});

describe('a redirect of a write', () => {
  const write = body(object({ a: { type: 'string' } }));
  test.each([307, 308])('%i within the origin is followed with method and body', async (status) => {
    const { tools } = await register(write);
    answer = (response, count) =>
      count === 1 ? response.writeHead(status, { location: '/b' }).end() : response.end('{}');
    const { requests, body: reply } = await call(tools[0], { a: 'x' });
    expect(requests.map(({ method, url, body: sent }) => [method, url, sent])).toEqual([
      ['PATCH', '/a', '{"a":"x"}'],
      ['PATCH', '/b', '{"a":"x"}'],
    ]);
    expect(reply.result.outcome).toBe('ok');
  });

  test.each([
    [301, '/b'],
    [302, '/b'],
    [303, '/b'],
    [307, 'https://elsewhere.example/b?key=1'],
    [308, undefined],
  ])('%i to %s is a failure that says where it leads', async (status, location) => {
    const { tools } = await register(write);
    answer = (response) =>
      response.writeHead(status, location === undefined ? {} : { location }).end();
    const { requests, body: reply } = await call(tools[0], { a: 'x' });
    expect(requests).toHaveLength(1);
    const target = location?.startsWith('https') ? 'https://elsewhere.example/b' : `${origin()}/b`;
    expect(reply.error.message).toContain(`(HTTP ${status})`);
    expect(reply.error.message).toContain(
      location === undefined ? 'does not name' : `to ${target}.`,
    );
    expect(reply.error.message).toContain('nothing was done there');
  });
});

describe('a response of a registered API', () => {
  const both = { get: { operationId: 'list' }, post: { operationId: 'add' } };
  const counting: (header?: string) => Answer = (header) => (response, count) => {
    if (header !== undefined) response.setHeader('cache-control', header);
    response.end(`{"n":${count}}`);
  };

  test.each(['no-store', 'no-cache', 'private, max-age=60', 'max-age=0', 'max-age="0"'])(
    'with Cache-Control: %s is not used again',
    async (header) => {
      const { tools } = await register({ get: {} });
      answer = counting(header);
      await call(tools[0], {});
      expect((await call(tools[0], {})).requests).toHaveLength(1);
    },
  );

  test('with max-age is used again, and forgotten after a write of the tenant that succeeds', async () => {
    const { tools } = await register(both);
    const [list, add] = tools;
    answer = counting('max-age=60');
    await call(list, {});
    expect((await call(list, {})).body.result.cacheStatus).toBe('HIT');
    answer = (response) => response.writeHead(500).end('{}');
    await call(add, {});
    expect((await call(list, {})).body.result.cacheStatus).toBe('HIT');
    answer = counting();
    await call(add, {});
    expect((await call(list, {})).body.result.cacheStatus).toBe('MISS');
    expect((await call(list, {})).body.result.cacheStatus).toBe('HIT');
  });
});
