import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeStores } from '../support/databases.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { registerApi, sendJson } from './register-api.ts';

const described = (url: string, operations: string): string => `openapi: 3.0.3
info: { title: Lists, version: '1' }
servers: [{ url: '${url}' }]
paths:
${operations}`;

const OPEN = `  /open:
    get:
      operationId: open
      x-cache-ttl: 0
      parameters: [{ name: page, in: query, schema: { type: integer } }]
      responses: { '200': { description: ok } }
`;

const KNOWN = `  /known:
    get:
      operationId: known
      responses:
        '200':
          description: ok
          content: { application/json: { schema: { type: object, properties: { things: { type: array, items: { type: object } } } } } }
`;

describeStores('the rows of a registered API', (backend) => {
  let gateway: TestGateway;
  let key: string;
  let id: string;
  beforeAll(async () => {
    gateway = await startTestGateway({
      backend,
      env: { ALLOW_PRIVATE_UPSTREAMS: 'true', RATE_LIMIT_PER_MINUTE: '0' },
    });
    ({ key } = await gateway.createKey('lists'));
    const spec_raw = described(gateway.upstream.url, OPEN + KNOWN);
    ({ id } = (await registerApi(gateway, key, { name: 'Lists', spec_raw })).registration);
  });
  afterAll(() => gateway.close());

  const answer = (body: unknown): void =>
    gateway.upstream.answer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });

  const rowsOf = async (name: string) => {
    const { body } = await gateway.json(`/api/v1/registrations/${id}`, { key });
    return body.tools.find((tool: { name: string }) => tool.name === name)?.rows;
  };
  const found = (name = 'open') => until(async () => (await rowsOf(name))?.foundAt);

  it('are shown where the description has them, and nowhere until a response tells', async () => {
    expect(await rowsOf('open')).toBeNull();
    expect(await rowsOf('known')).toMatchObject({
      items: '/things',
      source: 'description',
      evidence: 'The only list, "things".',
      foundAt: null,
    });
  });

  it('are shown where the latest response had them, and why', async () => {
    answer({ data: [{ a: 1 }], meta: { total: 4, next: null } });
    await gateway.call('open', {}, key);
    await found();
    expect(await rowsOf('open')).toEqual({
      ...{ items: '/data', itemWrapper: null, total: '/meta/total', next: '/meta/next' },
      evidence: 'The list "data", which is named like rows.',
      paging: { page: 'page' },
      source: 'response',
      foundAt: expect.stringMatching(/^\d{4}-/),
    });
  });

  it('stay as they are after a response without rows, and after a failure', async () => {
    const before = await rowsOf('open');
    gateway.upstream.answer((_request, response) => {
      response.writeHead(500, { 'content-type': 'application/json' }).end('{"items":[{"a":1}]}');
    });
    await gateway.call('open', {}, key);
    answer({ a: 1 });
    await gateway.call('open', {}, key);
    expect(await rowsOf('open')).toEqual(before);
  });

  it('are where a correction has them, and found again without it', async () => {
    const change = (extensions: object[]) =>
      sendJson(gateway, 'PATCH', `/api/v1/registrations/${id}`, key, { extensions });
    const operation = 'GET /open';
    const corrected = await change([
      { operation, extension: 'x-items', value: '/others' },
      { operation, extension: 'x-paging', value: 'none' },
    ]);
    expect(corrected.status).toBe(200);
    expect(await rowsOf('open')).toMatchObject({
      ...{ items: '/others', total: null, paging: null, evidence: 'x-items' },
      ...{ source: 'registration', foundAt: null },
    });
    const wrong = await change([{ operation, extension: 'x-total', value: 'total' }]);
    expect([wrong.status, wrong.body.message]).toEqual([
      400,
      expect.stringContaining('/extensions/0 x-total must be a JSON pointer'),
    ]);
    // The finding of the first version is valid again.
    await change([]);
    expect(await rowsOf('open')).toMatchObject({ items: '/data', source: 'response' });
  });

  it('are forgotten with the tool, and with the API', async () => {
    const spec_raw = described(gateway.upstream.url, KNOWN);
    await sendJson(gateway, 'POST', `/api/v1/registrations/${id}/refresh`, key, { spec_raw });
    expect(await rowsOf('open')).toBeUndefined();
    const restored = described(gateway.upstream.url, OPEN + KNOWN);
    await sendJson(gateway, 'POST', `/api/v1/registrations/${id}/refresh`, key, {
      spec_raw: restored,
    });
    expect(await rowsOf('open')).toBeNull();
    await gateway.json(`/api/v1/registrations/${id}`, { method: 'DELETE', key });
    ({ id } = (
      await registerApi(gateway, key, { name: 'Lists', spec_raw: restored })
    ).registration);
    expect(await rowsOf('open')).toBeNull();
  });
});
