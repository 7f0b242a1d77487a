import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { registerApi, sendJson } from '../own-apis/register-api.ts';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { verifies } from './requirements.ts';

const ENV = {
  ALLOW_PRIVATE_UPSTREAMS: 'true',
  ENCRYPTION_KEY: Buffer.alloc(32, 'k').toString('base64'),
};

const PATH = '/api/v1/register/proposals';
const KEY_NAME = 'PUBLIC_DATA_SERVICE_KEY';
const OWN_KEY = { type: 'provider_key', name: KEY_NAME };

/** A preset with the key of the portal, so that tenants may bring their own. */
const PRESET = `openapi: 3.1.0
info: { title: Portal, version: "1" }
servers: [{ url: "http://fixture.invalid" }]
x-public-data: true
components:
  securitySchemes:
    key: { type: apiKey, in: query, name: serviceKey, x-secret: ${KEY_NAME}, description: "Key; get it at https://www.data.go.kr." }
paths:
  /one:
    get:
      operationId: portal_one
      description: One.
      security: [{ key: [] }]
      responses: { "200": { description: Anything. } }
`;

const text = (description: string) => ({ type: 'string', description, properties: {} });
const object = (properties: object) => ({ type: 'object', properties });
const parameter = (name: string, required: boolean, description = '') => ({
  name,
  in: 'query',
  type: 'string',
  required,
  description,
});

/** In the form of the portal: a key among the parameters, codes among the statuses, an object where a list is. */
const DOCUMENT = JSON.stringify({
  swagger: '2.0',
  info: { title: '어느기관_물건 조회', version: '1.0.0' },
  host: 'apis.data.go.kr/1234567/ThingService',
  basePath: '',
  schemes: ['http'],
  paths: {
    '/getThings': {
      get: {
        summary: '물건 조회',
        operationId: 'getThings',
        produces: ['application/json', 'application/xml'],
        responses: {
          0: { description: '정상' },
          3: { description: '인증키 값이 올바르지 않는 경우' },
          5: { description: '조회데이터가 없는 경우' },
          200: {
            description: '성공',
            schema: object({
              header: object({ resultCode: text('결과코드'), resultMsg: text('결과메시지') }),
              body: object({
                items: object({ item: object({ name: text('이름'), count: text('개수') }) }),
                totalCount: text('전체 결과 수'),
              }),
            }),
          },
        },
      },
      parameters: [
        parameter('serviceKey ', true, '인증키'),
        parameter('pageNo', true),
        parameter('numOfRows', true),
        parameter('_type', false, 'xml, json'),
        parameter('area ', true, '지역'),
        parameter('LAWD_CD', false, '지역코드'),
      ],
    },
  },
  swaggerOprtinVOs: [
    { operationId: 'getThings', reqList: [{ paramtrNm: 'area', paramtrBassValue: '11' }] },
  ],
});

describe.each(GATEWAY_BACKENDS)('proposals ($name)', (backend) => {
  let gateway: TestGateway;
  let key: string;
  /** Of each tenant another: what is known of a key is known of its copies. */
  let credential = '';
  let answer: unknown;
  let asked: URLSearchParams[] = [];

  const rowsAt = (body: object, resultCode = '0') => ({
    response: { header: { resultCode, resultMsg: 'words' }, body },
  });
  const ROWS = [
    { name: '하나', count: '1' },
    { name: '둘', count: '2' },
  ];

  const plainResponse: Parameters<TestGateway['upstream']['answer']>[0] = ({ url }, response) => {
    asked.push(new URL(url, 'http://upstream').searchParams);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  };

  beforeAll(async () => {
    gateway = await startTestGateway({ backend, presets: { portal: PRESET }, env: ENV });
    gateway.upstream.answer(plainResponse);
  });
  afterAll(() => gateway.close());

  /** A tenant of its own: tests are counted for each. */
  const newTenant = async (slug: string): Promise<void> => {
    ({ key } = await gateway.createKey(slug));
    credential = `a+key/of=the tenant ${slug}`;
    asked = [];
    answer = rowsAt({ items: { item: ROWS }, totalCount: 20 });
  };
  const propose = (body: unknown, of = key) => sendJson(gateway, 'POST', PATH, of, body);
  const storeKey = () =>
    sendJson(gateway, 'PUT', `/api/v1/provider-keys/${KEY_NAME}`, key, { value: credential });
  const testOf = (id: string, more: object = {}) =>
    sendJson(gateway, 'POST', `${PATH}/${id}/test`, key, {
      operation: 'GET /getThings',
      base_url: gateway.upstream.url,
      auth: OWN_KEY,
      ...more,
    });
  const proposed = (proposals: { extension: string; value: unknown }[], name: string) =>
    proposals.find(({ extension }) => extension === name)?.value;

  test(
    verifies(
      'proposals.proposed',
      'POST /api/v1/register/proposals',
      'GET /api/v1/register/proposals/:id',
    ),
    async () => {
      await newTenant('proposed');
      const { status, body } = await propose({ spec_raw: DOCUMENT });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        family: 'data.go.kr',
        dataset: { title: '어느기관_물건 조회' },
        description: { url: null, origin: 'http://apis.data.go.kr', isAvailable: true },
        operations: [{ operation: 'GET /getThings', title: '물건 조회', asks: [] }],
        problems: [],
      });
      expect(proposed(body.proposals, 'x-credential')).toBe('serviceKey');
      expect(proposed(body.proposals, 'x-fixed')).toEqual({ _type: 'json' });
      expect(proposed(body.proposals, 'x-sample')).toEqual({ area: '11' });
      const again = await gateway.json(`${PATH}/${body.id}`, { key });
      expect(again.body).toEqual(body);
      expect(Date.parse(body.expiresAt) - Date.now()).toBeGreaterThan(3_500_000);
    },
  );

  test(verifies('proposals.page'), async () => {
    await newTenant('page');
    const literal = DOCUMENT.replace(/[\\`]/g, (found) => `\\${found}`);
    const page = `<!doctype html><title>물건 | 공공데이터포털</title><a href="https://www.data.go.kr/data/15000001/openapi.do"></a><script>var swaggerJson = \`${literal}\`;</script>`;
    const { body } = await propose({ spec_raw: page });
    expect(body).toMatchObject({
      dataset: { id: '15000001', url: 'https://www.data.go.kr/data/15000001/openapi.do' },
      description: { isAvailable: true },
    });
    const table = await propose({ spec_raw: '<html>data.go.kr <table></table></html>' });
    expect(table.body).toMatchObject({
      description: { isAvailable: false },
      operations: [],
      problems: [{ code: 'table_only' }],
    });
  });

  test(verifies('proposals.foreign'), async () => {
    await newTenant('foreign');
    gateway.upstream.answer(({ url }, response) => {
      asked.push(new URL(url, 'http://upstream').searchParams);
      response
        .setHeader('content-type', 'application/json')
        .end(
          url.startsWith('/description')
            ? '{"openapi":"3.1.0","info":{"title":"Pets","version":"1"},"paths":{}}'
            : JSON.stringify(answer),
        );
    });
    const found = await propose({ source: `${gateway.upstream.url}/description.json` });
    expect(found.body).toMatchObject({ family: null, proposals: [], operations: [] });
    for (const [spec_raw, message] of [
      ['<html>A page of another publisher</html>', 'This is a page'],
      ['hello', 'This is no API description'],
    ]) {
      const { status, body } = await propose({ spec_raw });
      expect([status, body.message]).toEqual([422, expect.stringContaining(message ?? '')]);
    }
    gateway.upstream.answer(plainResponse);
  });

  test(verifies('proposals.turns'), async () => {
    await newTenant('turns');
    const both = await Promise.all([1, 2].map(() => propose({ spec_raw: DOCUMENT })));
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
  });

  test(`${verifies('proposals.foreign')}: a credential goes nowhere that the tenant has not named`, async () => {
    await newTenant('stranger');
    const seen: unknown[] = [];
    const elsewhere = gateway.upstream.url.replace('127.0.0.1', 'localhost');
    gateway.upstream.answer(({ url, headers }, response) => {
      if (!url.startsWith('/description')) seen.push(headers.authorization);
      const get = { operationId: 'pets', responses: { 200: { description: 'Pets.' } } };
      const document = {
        openapi: '3.1.0',
        info: { title: 'Pets', version: '1' },
        servers: [{ url: elsewhere }],
        paths: { '/pets': { get } },
      };
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify(url.startsWith('/description') ? document : [{ name: 'Rex' }]));
    });
    const auth = { type: 'bearer', token: 'a-secret-token' };
    const { body: found } = await propose({ source: `${gateway.upstream.url}/description.json` });
    const request = { name: 'Pets', proposal_id: found.id, auth };
    const { body: job } = await sendJson(gateway, 'POST', '/api/v1/register', key, request);
    let state = '';
    await until(async () => {
      const { body } = await gateway.json(job.status_url, { key });
      state = body.status;
      return body.progress === 1;
    });
    expect(state).toBe('confirmation_required');
    expect(seen).toEqual([]);
    await registerApi(gateway, key, { ...request, confirm_origins: [elsewhere] });
    expect((await gateway.call('pets', {}, key)).body.result.data).toEqual([{ name: 'Rex' }]);
    expect(seen).toEqual(['Bearer a-secret-token']);
    gateway.upstream.answer(plainResponse);
  });

  test.each([
    [{}, '/source'],
    [{ source: '1508', spec_raw: 'x' }, '/source'],
    [{ source: 'a dataset' }, '/source'],
    [{ source: 'http://user:password@example.com/' }, '/source'],
    [{ spec_raw: ' ' }, '/spec_raw'],
    [{ spec_raw: 'x', other: 1 }, '/other'],
  ])(`${verifies('proposals.invalid')}: %j`, async (body, path) => {
    await newTenant('invalid');
    const response = await propose(body);
    expect([response.status, response.body.message]).toEqual([400, expect.stringContaining(path)]);
  });

  test(`${verifies('proposals.invalid')}: an address that leads to the gateway`, async () => {
    await newTenant('itself');
    const direct = await propose({ source: `${gateway.url}/api/v1/openapi.json` });
    gateway.upstream.answer((_request, response) => {
      response.writeHead(302, { location: `${gateway.url}/health` }).end();
    });
    const redirected = await propose({ source: `${gateway.upstream.url}/description` });
    gateway.upstream.answer(plainResponse);
    for (const { status, body } of [direct, redirected]) {
      expect([status, body.message]).toEqual([400, expect.stringContaining('gateway itself')]);
    }
  });

  test(verifies('proposals.test', 'POST /api/v1/register/proposals/:id/test'), async () => {
    await newTenant('tested');
    const { body: proposal } = await propose({ spec_raw: DOCUMENT });
    const missing = await testOf(proposal.id);
    expect(missing.body).toMatchObject({
      outcome: 'failed',
      cause: 'operator_key',
      code: 'missing_secret',
      message: expect.stringContaining(`/api/v1/provider-keys/${KEY_NAME}`),
    });
    expect(asked).toEqual([]);
    expect((await storeKey()).status).toBe(201);
    const { body } = await testOf(proposal.id);
    expect(body).toEqual({
      outcome: 'ok',
      cause: null,
      code: null,
      message: null,
      status: 200,
      rows: ROWS,
      total: 20,
      corrections: [],
      auditId: expect.stringMatching(/^aud_/),
    });
    expect(Object.fromEntries(asked[0] ?? [])).toEqual({
      serviceKey: credential,
      pageNo: '1',
      numOfRows: '10',
      _type: 'json',
      area: '11',
    });
    const record = await gateway.json(`/api/v1/audit/${body.auditId}`, { key });
    expect(JSON.stringify(record.body)).not.toContain(credential);
    const confirmed = await gateway.json(`${PATH}/${proposal.id}`, { key });
    expect(
      confirmed.body.proposals.filter(
        ({ confidence }: { confidence: string }) => confidence === 'medium',
      ),
    ).toEqual([]);
  });

  test(`${verifies('own-keys.origins')}: tests of proposals`, async () => {
    await newTenant('elsewhere');
    await storeKey();
    const elsewhere = gateway.upstream.url.replace('127.0.0.1', 'localhost');
    const { body: proposal } = await propose({ spec_raw: DOCUMENT });
    const refused = await testOf(proposal.id, { base_url: elsewhere });
    expect(refused.body).toMatchObject({
      outcome: 'failed',
      message: expect.stringContaining(elsewhere),
    });
    expect(asked).toEqual([]);
    const { key: admin } = await gateway.createKey('elsewhere', { scope: 'admin' });
    const path = `/api/v1/admin/tenants/_/provider-keys/${KEY_NAME}/origins`;
    await sendJson(gateway, 'POST', path, admin, { origins: [elsewhere] });
    const { body } = await testOf(proposal.id, { base_url: elsewhere });
    expect([body.outcome, asked.length]).toEqual(['ok', 1]);
  });

  test(verifies('proposals.corrected'), async () => {
    await newTenant('corrected');
    await storeKey();
    answer = rowsAt({ item: ROWS, totalCnt: '2' });
    const { body: proposal } = await propose({ spec_raw: DOCUMENT });
    const { body } = await testOf(proposal.id);
    expect(body).toMatchObject({ outcome: 'ok', rows: ROWS, total: 2 });
    expect(body.corrections).toEqual([
      { operation: 'GET /getThings', extension: 'x-items', value: '/response/body/item' },
      { operation: 'GET /getThings', extension: 'x-total', value: '/response/body/totalCnt' },
    ]);
    const kept = await gateway.json(`${PATH}/${proposal.id}`, { key });
    expect(proposed(kept.body.proposals, 'x-items')).toBe('/response/body/item');
  });

  test(verifies('proposals.missing-rows'), async () => {
    await newTenant('missing');
    await storeKey();
    answer = rowsAt({ items: '', totalCount: 7 });
    const { body: proposal } = await propose({ spec_raw: DOCUMENT });
    const { body } = await testOf(proposal.id);
    expect(body).toMatchObject({ outcome: 'no_data', cause: 'no_data', rows: [], total: 7 });
    expect(body.message).toContain('counts 7 rows, but has none at /response/body/items/item');
    const kept = await gateway.json(`${PATH}/${proposal.id}`, { key });
    const confidences = kept.body.proposals.map((each: { confidence: string }) => each.confidence);
    expect(confidences).toContain('medium');
    answer = rowsAt({ items: { item: { item: ROWS, numOfRows: 2 } }, totalCount: 7 });
    const within = await testOf(proposal.id);
    expect(within.body).toMatchObject({ outcome: 'ok', rows: ROWS, total: 7 });
    answer = rowsAt({ items: '', totalCount: 7 }, '5');
    const coded = await testOf(proposal.id);
    expect(coded.body).toMatchObject({ outcome: 'no_data', message: 'words' });
  });

  test.each([
    ['3', 'failed', 'operator_key'],
    ['5', 'no_data', 'no_data'],
    ['22', 'failed', 'quota'],
  ])(`${verifies('proposals.refused')}: code %s`, async (code, outcome, cause) => {
    await newTenant(`refused-${code}`);
    await storeKey();
    answer = rowsAt({}, code);
    const { body: proposal } = await propose({ spec_raw: DOCUMENT });
    const { body } = await testOf(proposal.id);
    expect(body).toMatchObject({ outcome, cause, rows: [], corrections: [] });
  });

  test(verifies('proposals.bounds'), async () => {
    await newTenant('bounds');
    const { body: first } = await propose({ spec_raw: DOCUMENT });
    for (let test = 0; test < 6; test++) await testOf(first.id, { auth: { type: 'none' } });
    expect((await testOf(first.id)).status).toBe(429);
    expect((await testOf(first.id, { operation: 'GET /others' })).status).toBe(404);
    expect((await testOf('prp_0')).status).toBe(404);
    for (let count = 0; count < 20; count++) await propose({ spec_raw: DOCUMENT });
    expect((await gateway.json(`${PATH}/${first.id}`, { key })).status).toBe(404);
  });

  test(verifies('proposals.registered'), async () => {
    await newTenant('registered');
    await storeKey();
    const { body: proposal } = await propose({ spec_raw: DOCUMENT });
    const chosen = proposal.proposals
      .filter(({ confidence }: { confidence: string }) => confidence !== 'low')
      .map(({ operation, extension, value }: Record<string, unknown>) => ({
        operation,
        extension,
        value,
      }));
    const { registration } = await registerApi(gateway, key, {
      name: 'Things',
      proposal_id: proposal.id,
      base_url: gateway.upstream.url,
      auth: OWN_KEY,
      extensions: chosen,
    });
    expect((await gateway.json(`${PATH}/${proposal.id}`, { key })).status).toBe(404);
    const shown = await gateway.json(`/api/v1/registrations/${registration.id}`, { key });
    expect(shown.body.extensions).toEqual(chosen);
    const { body } = await gateway.call('getthings', { area: '11', LAWD_CD: '강남구' }, key);
    expect(body.result).toMatchObject({ rows: { returned: 2, total: 20, next: { pageNo: '2' } } });
    expect(asked[0]?.get('serviceKey')).toBe(credential);
    expect(asked[0]?.get('LAWD_CD')).toBe('11680');
    const listed = await gateway.json('/api/v1/tools/getthings', { key });
    const names = Object.keys(listed.body.inputSchema.properties);
    expect(names).toEqual([
      'pageNo',
      'numOfRows',
      'area',
      'LAWD_CD',
      '_fields',
      '_limit',
      '_where',
      '_group',
      '_calc',
      '_sort',
      '_link',
      '_over',
    ]);
    answer = rowsAt({}, '3');
    const refused = await gateway.call('getthings', { area: '12' }, key);
    expect(refused.body.result).toMatchObject({ cause: 'operator_key' });
    const used = async () => {
      const { body: stored } = await gateway.json(`/api/v1/provider-keys/${KEY_NAME}`, { key });
      const dataset = stored.datasets.find(({ tools }: { tools: string[] }) =>
        tools.includes('getthings'),
      );
      return dataset.quota?.used;
    };
    await until(async () => (await used()) === asked.length);
    const path = `/api/v1/registrations/${registration.id}`;
    const unknown = { operation: 'GET /getThings', extension: '__proto__', value: 1 };
    const refusedChange = await sendJson(gateway, 'PATCH', path, key, { extensions: [unknown] });
    expect([refusedChange.status, refusedChange.body.message]).toEqual([
      400,
      expect.stringContaining('unknown extension'),
    ]);
    const without = await sendJson(gateway, 'PATCH', path, key, { extensions: [] });
    expect(without.status).toBe(200);
    const plain = await gateway.json('/api/v1/tools/getthings', { key });
    expect(Object.keys(plain.body.inputSchema.properties)).toContain('serviceKey');
  });

  test(verifies('proposals.next'), async () => {
    await newTenant('next');
    const { body: proposal } = await propose({ spec_raw: DOCUMENT });
    const extensions = proposal.proposals
      .filter(({ extension }: { extension: string }) => /items|total|initial/.test(extension))
      .map(({ operation, extension, value }: Record<string, unknown>) => ({
        operation,
        extension,
        value,
      }));
    await registerApi(gateway, key, {
      name: 'Pages',
      proposal_id: proposal.id,
      base_url: gateway.upstream.url,
      extensions,
    });
    const args = { area: 11, serviceKey: 'x', numOfRows: 2 };
    const first = await gateway.call('getthings', args, key);
    expect(first.body.result.rows.next).toEqual({ pageNo: '2' });
    const second = await gateway.call(
      'getthings',
      { ...args, ...first.body.result.rows.next },
      key,
    );
    expect(second.body.result.rows.next).toEqual({ pageNo: '3' });
    await gateway.call('getthings', { ...args, pageNo: 3 }, key);
    expect(asked.map((query) => query.get('pageNo'))).toEqual(['1', '2', '3']);
    expect(asked.map((query) => query.get('area'))).toEqual(['11', '11', '11']);
  });

  test.each([
    [{ operation: 'GET /getThings', extension: 'x-secret', value: 'NAME' }, 'unknown extension'],
    [{ operation: 'GET /getThings', extension: 'x-items', value: 'items' }, 'JSON pointer'],
    [{ operation: null, extension: 'x-items', value: '/a' }, 'needs an operation'],
    [
      { operation: 'GET /getThings', extension: 'x-public-data', value: true },
      'is for the document',
    ],
    [{ extension: 'x-dataset', value: 'javascript:alert(1)' }, 'address of the page'],
    [{ operation: 'getThings', extension: 'x-exclude', value: true }, 'method and a path'],
  ])(`${verifies('proposals.extensions')}: %j`, async (extension, message) => {
    await newTenant('extensions');
    const { status, body } = await sendJson(gateway, 'POST', '/api/v1/register', key, {
      name: 'Things',
      spec_raw: DOCUMENT,
      extensions: [extension],
    });
    expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
  });
});
