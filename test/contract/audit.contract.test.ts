import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { verifies } from './requirements.ts';

describe.each(GATEWAY_BACKENDS)('audit records ($name)', (backend) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ backend });
  });
  afterAll(() => gateway.close());

  const record = (auditId: string, key?: string) =>
    gateway.json(`/api/v1/audit/${auditId}`, key ? { key } : {});

  test(verifies('contract.audit-record', 'contract.audit-before-answer'), async () => {
    const call = await gateway.call('fixture_secret', { part: 'someone@example.com' });
    const { auditId, upstream } = call.body.result;
    const { status, body } = await record(auditId);
    expect(status).toBe(200);
    expect(body).toEqual({
      auditId,
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      tenantId: expect.stringMatching(/^ten_/),
      apiKeyId: expect.stringMatching(/^key_/),
      requestId: call.headers.get('x-request-id'),
      dialect: 'plain',
      clientName: expect.any(String),
      tool: 'fixture_secret',
      toolId: 'fixture.fixture.fixture_secret',
      arguments: { part: expect.not.stringContaining('someone') },
      upstream: { method: 'GET', url: expect.any(String), status: 200 },
      cacheStatus: 'MISS',
      publicData: null,
      outcome: 'ok',
      error: null,
      durationMs: expect.any(Number),
      upstreamMs: expect.any(Number),
      responseBytes: expect.any(Number),
      responseTokens: expect.any(Number),
      clientIp: expect.stringMatching(/127\.0\.0\.1/),
    });
    expect(JSON.stringify(body)).not.toContain('sandbox');
    expect(upstream.status).toBe(200);
  });

  test(verifies('contract.audit-of-failures'), async () => {
    const invalid = await gateway.call('fixture_cached', { n: 'x' });
    gateway.upstream.answer((_request, response) => {
      response.writeHead(500, { 'content-type': 'text/plain' }).end('no');
    });
    const refused = await gateway.call('fixture_cached', { n: 500 });
    const first = await record(invalid.body.error.data.auditId);
    expect(first.body).toMatchObject({
      outcome: 'error',
      error: { code: 'invalid_arguments' },
      upstream: { status: null },
      cacheStatus: null,
    });
    const second = await record(refused.body.result.auditId);
    expect(second.body).toMatchObject({ outcome: 'upstream_error', upstream: { status: 500 } });
  });

  test('an unknown tool leaves no record', async () => {
    const { body } = await gateway.call('no_such_tool');
    expect(body.error.data?.auditId).toBeUndefined();
  });

  test(verifies('contract.audit-list'), async () => {
    const { key } = await gateway.createKey('audit-list');
    const answers = [];
    for (let n = 1; n <= 5; n++)
      answers.push(await gateway.call('frankfurter_rates', { base: 'USD' }, key));
    answers.push(await gateway.call('worldbank_indicator', {}, key));
    const ids = answers
      .map(({ body }) => body.result?.auditId ?? body.error.data.auditId)
      .reverse();
    const list = (query = '') => gateway.json(`/api/v1/audit${query}`, { key });
    const listed = (body: { records: { auditId: string }[] }): string[] =>
      body.records.map(({ auditId }) => auditId);

    const all = await list();
    expect(all.status).toBe(200);
    expect(listed(all.body)).toEqual(ids);
    expect(all.body.nextCursor).toBeNull();

    const paged: string[] = [];
    let cursor = '';
    do {
      const { body } = await list(`?limit=2${cursor && `&cursor=${cursor}`}`);
      paged.push(...listed(body));
      cursor = body.nextCursor ?? '';
    } while (cursor);
    expect(paged).toEqual(ids);

    expect((await list('?status=error')).body.records).toHaveLength(1);
    expect((await list('?tool=frankfurter_rates')).body.records).toHaveLength(5);
    const timestamp = all.body.records[2].timestamp;
    expect(listed((await list(`?from=${timestamp}`)).body)).toContain(ids[2]);
    expect(listed((await list(`?to=${timestamp}`)).body)).not.toContain(ids[2]);
    expect((await list('?to=2001-01-01T00:00:00Z')).body.records).toEqual([]);
  });

  test('another tenant’s records are not found', async () => {
    const other = await gateway.createKey('audit-other');
    const { body } = await gateway.call('frankfurter_rates', { base: 'NOK' });
    const foreign = await record(body.result.auditId, other.key);
    expect(foreign.status).toBe(404);
    expect((await gateway.json('/api/v1/audit', { key: other.key })).body.records).toEqual([]);
  });

  test.each(['status=fine', 'limit=0', 'from=yesterday', 'cursor=x', 'tenantId=x'])(
    'a wrong query is 400: %s',
    async (query) => {
      const { status, body } = await gateway.json(`/api/v1/audit?${query}`);
      expect(status).toBe(400);
      expect(body.error).toBe('Bad Request');
    },
  );

  test('calls and records agree in the detailed report', async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => gateway.call('fixture_cached', { n: n + 1 })),
    );
    const { body } = await gateway.json('/health/detailed');
    expect(body.audit.missing).toBe(0);
    expect(body.audit.calls).toBe(body.audit.records);
  });
});
