import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { freePort } from '../support/ports.ts';
import { registerApi, sendJson } from './register-api.ts';

const OWN = ['@zoo.animals.feed_axolotl', '@zoo.animals.frankfurter_axolotl'];

describe.each(GATEWAY_BACKENDS)('the tools of an own API ($name)', (backend) => {
  let gateway: TestGateway;
  let metricsUrl: string;
  let key: string;
  beforeAll(async () => {
    const port = await freePort();
    metricsUrl = `http://127.0.0.1:${port}/metrics`;
    gateway = await startTestGateway({
      backend,
      env: { ALLOW_PRIVATE_UPSTREAMS: 'true', METRICS_PORT: String(port) },
    });
    ({ key } = await gateway.createKey('zoo'));
    await registerApi(gateway, key, {
      name: 'Animals',
      category: 'wildlife',
      spec_raw: describeAnimals(gateway.upstream.url),
    });
  });
  afterAll(() => gateway.close());

  const idsAt = async (path: string, as = key): Promise<string[]> => {
    const { status, body } = await gateway.json(path, { key: as });
    expect([path, status]).toEqual([path, 200]);
    return body.tools.map(({ id }: { id: string }) => id);
  };
  const listed = async (as: string, params: object = {}, query = ''): Promise<string[]> => {
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params });
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', key: as, headers, body: request };
    const { body } = await gateway.json(`/mcp${query}`, init);
    return body.result.tools.map(({ name }: { name: string }) => name);
  };

  test('are found by their words, best match first, beside the presets', async () => {
    expect(await idsAt('/api/v1/tools?q=axolotl%20feeding')).toEqual(OWN);
    expect((await idsAt('/api/v1/tools?q=axolotl%20exchange%20rates')).length).toBeGreaterThan(2);
    expect(await listed(key, { query: 'axolotl' })).toHaveLength(2);
    expect(await idsAt('/api/v1/tools?q=axolotl&source=preset')).toEqual([]);
    expect(await idsAt('/api/v1/tools?source=registered')).toEqual(OWN);
    const other = await gateway.createKey('other');
    expect(await idsAt('/api/v1/tools?q=axolotl', other.key)).toEqual([]);
  });

  test('are selected by their category, which other tenants do not know', async () => {
    expect(await idsAt('/api/v1/tools?category=wildlife')).toEqual(OWN);
    expect(await listed(key, {}, '?category=wildlife')).toHaveLength(2);
    const unknown = await gateway.json('/api/v1/tools?category=wild');
    expect(unknown.body.message).not.toContain('wildlife');
    const own = await gateway.json('/api/v1/tools?category=wild', { key });
    expect([own.status, own.body.message]).toEqual([400, expect.stringContaining('wildlife')]);
    const { key: other } = await gateway.createKey('other');
    const path = '/api/v1/tools?category=wildlife';
    expect((await gateway.json(path, { key: other })).status).toBe(400);
  });

  test.each([
    [['@zoo.animals.feed_axolotl'], ['feed_axolotl']],
    [['@zoo.*'], ['feed_axolotl', 'frankfurter_axolotl']],
    [['feed_axolotl'], ['feed_axolotl']],
    [['feed_*'], []],
    [['frankfurter_*'], ['frankfurter_rates']],
    [['@another.*'], []],
  ])('are allowed to a key with the list %j by their ids', async (allowedTools, names) => {
    const { key: limited } = await gateway.createKey('zoo', { allowedTools });
    expect((await listed(limited)).toSorted()).toEqual(names.toSorted());
    const query = `?tools=${encodeURIComponent(allowedTools.join(','))}`;
    expect((await listed(key, {}, query)).toSorted()).toEqual(names.toSorted());
    const { body } = await gateway.call('feed_axolotl', {}, limited);
    expect('result' in body).toBe(names.includes('feed_axolotl'));
    const managed = await sendJson(gateway, 'POST', '/api/v1/register', limited, { name: 'More' });
    expect(managed.status).toBe(403);
    expect((await gateway.json('/api/v1/registrations', { key: limited })).status).toBe(403);
  });

  test('have no name in the metrics, and their upstream is shown to their tenant only', async () => {
    await gateway.call('feed_axolotl', {}, key);
    await gateway.call('frankfurter_rates', {}, key);
    const metrics = await (await fetch(metricsUrl)).text();
    expect(metrics).toMatch(
      /tool_gateway_calls_total\{tool="registered",outcome="ok",cache="\w+"\}/,
    );
    expect(metrics).toContain('tool="frankfurter_rates"');
    expect(metrics).not.toContain('axolotl');
    const seen = async (as: string) =>
      JSON.stringify((await gateway.json('/health/detailed', { key: as })).body);
    const { key: other } = await gateway.createKey('other');
    expect([await seen(other), await seen(gateway.key)].join()).not.toContain(gateway.upstream.url);
    expect(await seen(key)).toContain(gateway.upstream.url);
  });
});

const describeAnimals = (url: string): string => `openapi: 3.1.0
info: { title: Animals, version: '1' }
servers: [{ url: '${url}' }]
paths:
  /axolotl:
    get:
      operationId: feed_axolotl
      description: Says when the next feeding of the axolotl is.
      responses: { '200': { description: The time. } }
  /axolotl/rates:
    get:
      operationId: frankfurter_axolotl
      description: Rates at which an axolotl grows after feeding.
      responses: { '200': { description: The rates. } }
`;
