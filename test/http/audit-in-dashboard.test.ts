import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ADMIN_ENV,
  type AdminClient,
  inviteAndJoin,
  joinAsViewer,
  signIn,
} from '../support/admin-client.ts';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';

describe.each(GATEWAY_BACKENDS)('the audit log in the dashboard ($name)', (backend) => {
  let gateway: TestGateway;
  let operator: AdminClient;
  let viewer: AdminClient;
  const auditIds: string[] = [];

  beforeAll(async () => {
    gateway = await startTestGateway({ backend, env: ADMIN_ENV });
    operator = await signIn(gateway);
    viewer = await joinAsViewer(gateway, operator);
    for (const base of ['USD', 7, 'EUR', 'USD']) {
      const { body } = await gateway.call('frankfurter_rates', { base });
      auditIds.unshift(body.result?.auditId ?? body.error.data.auditId);
    }
    await gateway.createKey('foreign');
  });
  afterAll(() => gateway.close());

  const list = async (query = '') => {
    const { status, body } = await viewer.ask(`GET /tenants/default/audit${query}`);
    return { status, body, ids: body.records?.map(({ auditId }: { auditId: string }) => auditId) };
  };

  test('a page shows the newest records, filtered, with a cursor', async () => {
    expect((await list()).ids).toEqual(auditIds);
    expect((await list('?error=invalid_arguments')).ids).toEqual([auditIds[2]]);
    expect((await list('?status=ok&cacheStatus=HIT')).ids).toEqual([auditIds[0]]);
    const first = await list('?limit=3');
    expect(first.ids).toEqual(auditIds.slice(0, 3));
    expect((await list(`?limit=3&cursor=${first.body.nextCursor}`)).ids).toEqual(auditIds.slice(3));
  });

  test('names what the log can be searched by', async () => {
    const { body } = await viewer.ask('GET /tenants/default/audit/names');
    expect(body.tools).toContain('frankfurter_rates');
    expect(body.keys[0]).toEqual({
      id: expect.stringMatching(/^key_/),
      name: expect.any(String),
      prefix: expect.stringMatching(/^tg_live_/),
    });
    expect(body.people).toEqual([]);
    expect(JSON.stringify(body)).not.toContain(gateway.key);
  });

  test('a record comes with whether its call can be run again', async () => {
    const { body } = await viewer.ask(`GET /tenants/default/audit/${auditIds[0]}`);
    expect(body).toMatchObject({
      ...{ auditId: auditIds[0], tool: 'frankfurter_rates', arguments: { base: 'USD' } },
      repeat: { missing: [], isTruncated: false },
    });
    const missing = await viewer.ask('GET /tenants/default/audit/aud_01KAF000000000000000000000');
    expect(missing.status).toBe(404);
    expect(missing.body.message).toContain('no such audit record');
  });

  test('a record says which arguments are masked, and must be given again', async () => {
    const { body } = await gateway.call('fixture_secret', { part: 'someone@example.com' });
    const { auditId } = body.result;
    const record = await viewer.ask(`GET /tenants/default/audit/${auditId}`);
    expect(record.body.repeat).toEqual({ missing: ['part'], isTruncated: false });
  });

  test.each([
    ['ndjson', /^\{"auditId"/],
    ['csv', /^auditId,/],
  ])('an export as %s is a file', async (format, start) => {
    const { status, headers, body } = await viewer.ask(
      `GET /tenants/default/audit/export?format=${format}&tool=frankfurter_rates`,
    );
    expect(status).toBe(200);
    expect(headers.get('content-disposition')).toMatch(
      new RegExp(`^attachment; filename="audit-default-[\\d-]+\\.${format}"$`),
    );
    expect(String(body)).toMatch(start);
    expect(String(body)).toContain(auditIds[3]);
    expect(String(body)).not.toContain('fixture_secret');
  });

  test('calls are shown live, until the person signs out', async () => {
    const visitor = await inviteAndJoin(gateway, operator, {
      tenant: 'default',
      email: 'watcher@example.com',
      role: 'viewer',
    });
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(`${gateway.url}/admin/api/tenants/default/live`, {
      headers: { cookie, origin: gateway.url, 'sec-fetch-site': 'same-origin' },
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const seen = collect(response);
    const { body } = await gateway.call('frankfurter_rates', { base: 'GBP' });
    await expect.poll(seen.text).toContain(body.result.auditId);
    await visitor.ask('DELETE /session');
    await expect.poll(seen.text).toContain('event: end');
    await seen.ended;
  });

  test('a record of another tenant is not found by its id', async () => {
    const { key } = await gateway.createKey('foreign');
    const { body } = await gateway.call('frankfurter_rates', { base: 'CZK' }, key);
    const { auditId } = body.result;
    expect((await viewer.ask(`GET /tenants/default/audit/${auditId}`)).status).toBe(404);
    expect((await operator.ask(`GET /tenants/foreign/audit/${auditId}`)).status).toBe(200);
  });
});

/** Reads a response as it arrives. */
function collect(response: Response) {
  let text = '';
  const read = async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
  };
  return { text: () => text, ended: read() };
}
