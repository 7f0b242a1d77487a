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
      cause: null,
      asked: null,
      asOf: null,
      steppedBack: null,
      sample: false,
      partOf: null,
      repeat: { missing: ['part'], isTruncated: false },
    });
    expect(JSON.stringify(body)).not.toContain('sandbox');
    expect(upstream.status).toBe(200);
  });

  test(verifies('contract.audit-list'), async () => {
    const { key } = await gateway.createKey('audit-list');
    const responses = [];
    for (let n = 1; n <= 5; n++)
      responses.push(await gateway.call('frankfurter_rates', { base: 'USD' }, key));
    responses.push(await gateway.call('worldbank_indicator', {}, key));
    const ids = responses
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

  test('filters by cause, upstream status, key, client, cache status and request', async () => {
    const { key } = await gateway.createKey('audit-filters');
    const good = await gateway.call('frankfurter_rates', { base: 'SEK' }, key);
    const hit = await gateway.call('frankfurter_rates', { base: 'SEK' }, key);
    const wrong = await gateway.call('fixture_cached', { n: 'x' }, key);
    gateway.upstream.answer((_request, response) => {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('no');
    });
    const refused = await gateway.call('fixture_cached', { n: 902 }, key);
    const found = async (query: string) => {
      const { body } = await gateway.json(`/api/v1/audit?${query}`, { key });
      return body.records.map(({ auditId }: { auditId: string }) => auditId);
    };
    const idOf = ({ body }: typeof good) => body.result?.auditId ?? body.error.data.auditId;
    const record = await gateway.json(`/api/v1/audit/${idOf(good)}`, { key });
    const { apiKeyId, requestId, clientName } = record.body;
    const all = [refused, wrong, hit, good].map(idOf);
    expect(await found('error=invalid_arguments')).toEqual([idOf(wrong)]);
    expect(await found('origin=failed')).toEqual([refused, wrong].map(idOf));
    expect(await found('cause=arguments&upstreamStatus=4xx')).toEqual([idOf(refused)]);
    const { host } = new URL(record.body.upstream.url);
    expect(await found(`upstream=${host}`)).toEqual([hit, good].map(idOf));
    expect(await found(`upstream=${host.slice(1)}`)).toEqual([]);
    expect(await found('upstreamStatus=4xx')).toEqual([idOf(refused)]);
    expect(await found('cacheStatus=HIT')).toEqual([idOf(hit)]);
    expect(await found(`requestId=${requestId}`)).toEqual([idOf(good)]);
    expect(await found(`key=${apiKeyId}`)).toEqual(all);
    expect(await found('key=key_other')).toEqual([]);
    expect(await found(`client=${clientName.slice(1).toUpperCase()}`)).toEqual(all);
    expect(await found('client=%25')).toEqual([]);
    expect(await found(`key=${apiKeyId}&error=upstream_timeout`)).toEqual([]);
  });

  test('another tenant’s records are not found', async () => {
    const other = await gateway.createKey('audit-other');
    const { body } = await gateway.call('frankfurter_rates', { base: 'NOK' });
    const foreign = await record(body.result.auditId, other.key);
    expect(foreign.status).toBe(404);
    expect((await gateway.json('/api/v1/audit', { key: other.key })).body.records).toEqual([]);
  });

  test.each([
    'status=fine',
    'origin=ok',
    'cause=404',
    'limit=0',
    'from=yesterday',
    'cursor=x',
    'tenantId=x',
    'upstreamStatus=404',
    'cacheStatus=hit',
    'error=',
    `client=${'x'.repeat(101)}`,
    `key=${'x'.repeat(201)}`,
  ])('a wrong query is 400: %s', async (query) => {
    const { status, body } = await gateway.json(`/api/v1/audit?${query}`);
    expect(status).toBe(400);
    expect(body.error).toBe('Bad Request');
  });

  test.each([
    'from=2016-12-31T23:59:60Z',
    'to=2016-12-31T23:59:60%2B00',
    'from=9999-12-31T23:59:59Z',
    'from=0000-01-01T00:00:00Z&to=9999-12-31T23:59:59Z',
    'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z',
    'tool=%00',
    `cursor=${Buffer.from('999999999999999.aud_x').toString('base64url')}`,
  ])('an unusual query gets a response: %s', async (query) => {
    const { status, body } = await gateway.json(`/api/v1/audit?${query}`);
    expect(status).toBe(200);
    expect(body.records).toBeInstanceOf(Array);
  });

  test('the leap second is the start of the next second', async () => {
    const { key } = await gateway.createKey('audit-leap');
    await gateway.call('frankfurter_rates', { base: 'USD' }, key);
    const list = async (query: string) =>
      (await gateway.json(`/api/v1/audit?${query}`, { key })).body.records;
    expect(await list('from=2016-12-31T23:59:60Z')).toHaveLength(1);
    expect(await list('to=2016-12-31T23:59:60Z')).toEqual([]);
  });

  test.each(['%00', 'aud_%27', 'x'.repeat(250)])(
    'an unusual audit id is not found: %s',
    async (id) => {
      expect((await record(id)).status).toBe(404);
    },
  );

  test(verifies('contract.audit-bounds'), async () => {
    const { key } = await gateway.createKey('audit-bounds');
    const args = { base: 'USD', list: Array.from({ length: 4000 }, () => '') };
    const bad = await gateway.call('frankfurter_rates', args, key);
    const { auditId } = bad.body.error.data;
    const { body } = await record(auditId, key);
    expect(body.arguments).toEqual({
      _truncated: true,
      _bytes: JSON.stringify(args).length,
      base: 'USD',
      list: expect.stringMatching(/^\["","",.*…\[cut\]$/),
    });
    // With 8,192 characters of three bytes each, fewer than 100 records fit into 1 MiB.
    const long = { more: '가'.repeat(8000) };
    await Promise.all(
      Array.from({ length: 60 }, () => gateway.call('frankfurter_rates', long, key)),
    );
    const first = await gateway.fetch('/api/v1/audit', { key });
    const page = Buffer.from(await first.arrayBuffer());
    expect(page.length).toBeLessThan(1_200_000);
    const { records, nextCursor } = JSON.parse(page.toString());
    expect(records.length).toBeLessThan(61);
    const rest = await gateway.json(`/api/v1/audit?cursor=${nextCursor}`, { key });
    expect(records.length + rest.body.records.length).toBe(61);
    expect(rest.body.records.at(-1).auditId).toBe(auditId);
  });

  test('calls and records agree in the detailed report', async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => gateway.call('fixture_cached', { n: n + 1 })),
    );
    const { body } = await gateway.json('/health/detailed');
    expect(body.audit.missing).toBe(0);
    expect(body.audit.calls).toBe(body.audit.records);
  });
});
