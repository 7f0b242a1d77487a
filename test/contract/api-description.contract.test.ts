import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dereference } from '../support/api-description.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { verifies } from './requirements.ts';

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: the shape of the description is under test.
  readonly requestBody?: any;
  // biome-ignore lint/suspicious/noExplicitAny: the shape of the description is under test.
  readonly responses: Readonly<Record<string, any>>;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

let gateway: TestGateway;
let document: { paths: Paths; tags: { name: string; description: string }[]; info: Info };
let withTools: { paths: Paths };
interface Info {
  readonly description: string;
}
beforeAll(async () => {
  gateway = await startTestGateway({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
  const read = async (path: string) => dereference((await gateway.json(path, { key: null })).body);
  document = await read('/openapi.json');
  withTools = await read('/openapi.json?tools=1');
});
afterAll(() => gateway.close());

const operationsOf = (paths: Paths): Operation[] => Object.values(paths).flatMap(Object.values);

const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** What is wrong with a body according to the description of its response. */
function issuesOf({ responses }: Operation, status: number, body: unknown): unknown {
  const { schema } = (responses[status] ?? responses['default']).content['application/json'];
  return ajv.validate(schema, body) ? null : ajv.errors;
}

test(verifies('description.operations'), () => {
  const operations = operationsOf(withTools.paths);
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^[A-Za-z]\w+$/.test(id))).toEqual([]);
  const tags = document.tags.filter(({ description }) => description).map(({ name }) => name);
  for (const { operationId, tags: own, responses } of operationsOf(document.paths)) {
    expect([operationId, own.length, tags.includes(own[0] ?? '')]).toEqual([operationId, 1, true]);
    expect(Object.keys(responses).filter((status) => /^4\d\d$/.test(status))).not.toEqual([]);
  }
});

test(verifies('description.free'), () => {
  const closed: unknown[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { type, properties, additionalProperties } = value as Record<string, unknown>;
    const isFree = [type].flat().includes('object') && properties === undefined;
    if (isFree && additionalProperties === undefined) closed.push(value);
    for (const [key, member] of Object.entries(value)) if (key !== 'examples') visit(member);
  };
  visit(withTools.paths);
  expect(closed).toEqual([]);
  const call = document.paths['/mcp']?.['post']?.requestBody.content['application/json'].schema;
  expect(call.properties.params.properties.arguments.additionalProperties).toBe(true);
});

describe(verifies('description.responses'), () => {
  test.each([
    '/health',
    '/health/ready',
    '/health/detailed',
    '/registry/servers',
    '/registry/tools',
    '/api/v1/tools',
    '/api/v1/audit',
    '/api/v1/registrations',
  ])('%s', async (path) => {
    await gateway.call('frankfurter_rates');
    const operation = document.paths[path]?.['get'] as Operation;
    for (const query of ['', '?no=1']) {
      const { status, body } = await gateway.json(`${path}${query}`);
      expect(issuesOf(operation, status, body)).toBeNull();
    }
    expect(issuesOf(operation, 200, { error: 'Not Found' })).not.toBeNull();
  });

  test('a registration, its job and its refresh', async () => {
    const send = async (method: string, path: string, body?: object) => {
      const template = path.replace(/(register|registrations)\/\w+/, '$1/{id}');
      const operation = document.paths[template]?.[method.toLowerCase()] as Operation;
      const response = await gateway.json(path, {
        method,
        ...(body ? { body: JSON.stringify(body) } : {}),
        headers: { 'content-type': 'application/json' },
      });
      expect(issuesOf(operation, response.status, response.body)).toBeNull();
      return response;
    };
    const spec = { openapi: '3.1.0', info: { title: 'A', version: '1' }, servers: SERVERS };
    const paths = { '/a': { get: { operationId: 'a', summary: 'A', responses: {} } } };
    const register = { name: 'A', spec_raw: JSON.stringify({ ...spec, paths }) };
    const { status, body } = await send('POST', '/api/v1/register', register);
    expect(status).toBe(202);
    const statusOf = async () => (await send('GET', body.status_url)).body.status;
    await expect.poll(statusOf).toBe('registered');
    const [{ id }] = (await send('GET', '/api/v1/registrations')).body.registrations;
    const address = `/api/v1/registrations/${id}`;
    await send('PATCH', address, { description: 'B' });
    await send('PATCH', address, { colour: 'red' });
    const refreshed = await send('POST', `${address}/refresh`, { spec_raw: register.spec_raw });
    expect(refreshed.body.outcome).toBe('unchanged');
    expect((await send('DELETE', address)).status).toBe(200);
    expect((await send('GET', address)).status).toBe(404);
  });
});

const SERVERS = [{ url: 'https://api.example.com' }];

test(verifies('description.first-call'), async () => {
  const [, call = ''] = /-d '([^']+)'/.exec(document.info.description) ?? [];
  const { body } = await gateway.rpc(call);
  expect(body.result.outcome).toBe('ok');
  const [, search = ''] = /"\$GATEWAY(\/registry[^"]+)"/.exec(document.info.description) ?? [];
  expect((await gateway.json(search, { key: null })).body.tools.length).toBeGreaterThan(0);
});

test(verifies('description.tools'), async () => {
  const { tools } = (await gateway.json('/registry/tools', { key: null })).body;
  const calls = Object.entries(withTools.paths).filter(([path]) => path.includes('#'));
  expect(Object.keys(withTools.paths).length - calls.length).toBe(
    Object.keys(document.paths).length,
  );
  const described = calls.map(([path]) => path.replace('/mcp#', ''));
  expect(described.sort()).toEqual(tools.map(({ name }: { name: string }) => name).sort());
  const shipped = calls.filter(([path]) => !path.includes('#fixture_'));
  expect(shipped.length).toBeGreaterThan(50);
  const outcomes = await Promise.all(
    shipped.map(([path, { post }]) => callExample(path, post as Operation)),
  );
  expect([...new Set(outcomes)]).toEqual(['ok']);
});

/** The outcome of the call that an operation has as its example. */
async function callExample(path: string, operation: Operation): Promise<unknown> {
  const { examples, schema } = operation.requestBody.content['application/json'];
  expect(ajv.validate(schema, examples.call.value)).toBe(true);
  const { status, body } = await gateway.json(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(examples.call.value),
  });
  expect(issuesOf(operation, status, body)).toBeNull();
  return body.result?.outcome ?? path;
}
