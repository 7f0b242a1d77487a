import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../src/platform/kernel/secret.ts';
import { PUBLIC_DATA_PAYLOADS } from '../src/public-data/payload-domain.ts';
import { PUBLIC_DATA_TOOLS } from '../src/public-data/tool-domain.ts';
import { loadPresets } from '../src/tools/catalog/load-presets.ts';
import type { Tool } from '../src/tools/model.ts';
import { createArgumentValidator } from '../src/tools/request/argument-validator.ts';
import { createRequestEncoder } from '../src/tools/request/request-encoder.ts';
import { createPayloadNormaliser } from '../src/upstreams/payload/create-payload-normaliser.ts';
import { createSandbox, type Sandbox } from './sandbox.ts';

const presetsDir = fileURLToPath(new URL('../presets', import.meta.url));
const { presets } = await loadPresets({ dir: presetsDir, domain: PUBLIC_DATA_TOOLS });
const tools = presets.flatMap((preset) =>
  preset.tools.map((tool) => ({ preset: preset.id, tool })),
);
const normaliser = createPayloadNormaliser({
  domain: PUBLIC_DATA_PAYLOADS,
  workerScript: new URL('../src/public-data/payload-worker.ts', import.meta.url),
});

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ presetsDir, host: '127.0.0.1', port: 0 });
});
afterAll(() => Promise.all([sandbox.close(), normaliser.close()]));
afterEach(() => fetch(`${sandbox.url}/_sandbox/faults`, { method: 'DELETE' }));

/** `_fields` and `_limit`, which never reach an upstream. */
const isForGateway = (name: string): boolean => name.startsWith('_');

/** The rates of one day cannot be asked for together with those of a range. */
const isInsteadOfOthers = (tool: Tool, name: string): boolean =>
  tool.name === 'frankfurter_rates' && name === 'date';

/** The example of every argument, from the document. */
function exampleArguments(tool: Tool): Record<string, unknown> {
  const properties = tool.inputSchema['properties'] as Record<string, { examples?: unknown[] }>;
  // The examples include a grid point, which excludes the coordinates that the gateway would convert.
  const names = Object.keys(properties).filter(
    (name) => !isForGateway(name) && !Object.hasOwn(tool.alternative?.schemas ?? {}, name),
  );
  return Object.fromEntries(
    names
      .filter((name) => !isInsteadOfOthers(tool, name))
      .flatMap((name) => {
        const example = properties[name]?.examples?.[0];
        return example === undefined ? [] : [[name, structuredClone(example)]];
      }),
  );
}

/** The request that the gateway sends for the examples, with a changed query (undefined: removed). */
function requestOf(tool: Tool, baseUrl: string, { change = {}, fault }: Call) {
  const encode = createRequestEncoder({ ...tool, baseUrl });
  const request = encode(exampleArguments(tool), () => new Secret('good-key'));
  const address = new URL(`${request.origin}${request.path}`);
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined) address.searchParams.delete(name);
    else address.searchParams.set(name, value);
  }
  const headers = { ...request.headers, ...(fault ? { 'x-sandbox-fault': fault } : {}) };
  const body = request.body && new Uint8Array(request.body);
  return new Request(address, { method: request.method, headers, body });
}

interface Call {
  readonly change?: Record<string, string | undefined>;
  readonly fault?: string;
}

async function call(toolName: string, options: Call = {}) {
  const found = tools.find(({ tool }) => tool.name === toolName);
  if (!found) throw new Error(`There is no tool ${toolName}.`);
  const request = requestOf(found.tool, sandbox.baseUrlFor(found.preset), options);
  const response = await fetch(request);
  const contentType = response.headers.get('content-type') ?? '';
  return { status: response.status, contentType, body: await response.text(), tool: found.tool };
}

/** The response as the gateway normalises it. */
async function read(toolName: string, options?: Call) {
  const { status, contentType, body, tool } = await call(toolName, options);
  const normalised = await normaliser.normalise({
    status,
    contentType,
    body: Buffer.from(body),
    shape: tool.payload,
    isPublicData: tool.isPublicData,
  });
  return { ...normalised, data: JSON.parse(normalised.json.toString()) as unknown };
}

/** The value at a JSON pointer. */
const at = (value: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce((node, key) => (node as Record<string, unknown> | undefined)?.[key], value);

const plan = (order: object) =>
  fetch(`${sandbox.url}/_sandbox/faults`, { method: 'POST', body: JSON.stringify(order) });

const BEHIND_THE_PORTAL = tools
  .filter(({ tool }) => tool.baseUrl.startsWith('https://apis.data.go.kr/'))
  .map(({ tool }) => tool.name);
const WITH_ROWS = tools.filter(({ tool }) => tool.payload.items !== null).map((t) => t.tool.name);

describe('shipped presets', () => {
  it.each(tools.map(({ tool }) => tool))(
    '$name has a sample that fits its pointers',
    async (tool) => {
      const { ok, rows, data, publicData } = await read(tool.name);
      expect(ok).toBe(true);
      if (tool.payload.items !== null) {
        expect(at(data, tool.payload.items)).toHaveLength(rows ?? -1);
        expect(rows).toBeGreaterThan(0);
      }
      if (tool.payload.total) expect(Number(at(data, tool.payload.total))).toBeGreaterThan(0);
      if (tool.isPublicData) expect(publicData).toMatchObject({ message: 'OK' });
    },
  );

  it.each(tools.map(({ tool }) => tool))(
    '$name has a description, describes every argument and has valid examples',
    (tool) => {
      expect(tool.description.length).toBeGreaterThan(100);
      const properties = Object.entries(tool.inputSchema['properties'] as object);
      expect(createArgumentValidator(tool)(exampleArguments(tool))).toEqual([]);
      for (const [name, { description }] of properties) {
        expect([name, description]).toEqual([name, expect.any(String)]);
      }
    },
  );

  it.each(presets)('$id uses the public-data key if and only if it is public data', (preset) => {
    const keys = new Set(preset.tools.flatMap(({ secrets }) => secrets));
    expect(keys.has('PUBLIC_DATA_SERVICE_KEY')).toBe(preset.isPublicData);
  });
});

describe('invalid keys', () => {
  it.each([
    ['wrong', '30'],
    ['unregistered', '30'],
    ['twice%2Bencoded', '30'],
    [undefined, '30'],
    ['expired', '31'],
    ['blocked-ip', '32'],
    ['quota', '22'],
  ])(
    'such as %j are refused in XML with status 200 and code %s, even if JSON was requested',
    async (serviceKey, code) => {
      for (const name of BEHIND_THE_PORTAL) {
        const { status, contentType, body } = await call(name, { change: { serviceKey } });
        expect(status).toBe(200);
        expect(contentType).toContain('xml');
        expect(body).toContain(`<returnReasonCode>${code}</returnReasonCode>`);
        const { ok, publicData } = await read(name, { change: { serviceKey } });
        expect({ ok, code: publicData?.code }).toEqual({ ok: false, code });
      }
    },
  );
});

describe('missing parameters', () => {
  it.each([
    ['kma_village_forecast', 'nx', '"resultCode":"11"'],
    ['kma_village_forecast', 'base_time', '"resultCode":"11"'],
    ['kma_village_forecast', 'dataType', '"resultCode":"11"'],
    ['kma_forecast_version', 'basedatetime', '<resultCode>11</resultCode>'],
    ['tour_search_keyword', 'keyword', 'NO_MANDATORY_REQUEST_PARAMETERS_ERROR1(keyword)'],
    ['tour_search_keyword', 'MobileOS', '"resultCode":"11"'],
    ['khs_heritage_detail', 'ccbaAsno', '<html>'],
  ])('are refused by %s without %s with status 200', async (name, parameter, expected) => {
    const { status, body } = await call(name, { change: { [parameter]: undefined } });
    expect(status).toBe(200);
    expect(body).toContain(expected);
  });

  it('are refused by Open-Meteo with status 400 and a reason', async () => {
    const change = { latitude: undefined };
    const { status, body } = await call('openmeteo_forecast', { change });
    expect(status).toBe(400);
    expect(JSON.parse(body)).toEqual({ error: true, reason: expect.stringContaining('latitude') });
    expect((await read('openmeteo_forecast', { change })).ok).toBe(false);
  });

  it('are refused by the World Bank with status 200 and a message', async () => {
    const { status, body } = await call('worldbank_indicator', { change: { format: undefined } });
    expect(status).toBe(200);
    expect(JSON.parse(body)[0].message[0]).toMatchObject({ id: '120', key: 'Invalid value' });
  });
});

describe('rows', () => {
  it.each(WITH_ROWS)('of %s can be absent, in the format of its upstream', async (name) => {
    const { ok, rows } = await read(name, { fault: 'zero' });
    // The heritage detail returns an empty item for an unknown key, which is not a row.
    expect({ ok, rows }).toEqual({ ok: true, rows: 0 });
  });

  it.each(WITH_ROWS)('of %s can be a single row, in the format of its upstream', async (name) => {
    const { ok, rows } = await read(name, { fault: 'one' });
    expect({ ok, rows }).toEqual({ ok: true, rows: 1 });
  });

  it('are an empty string or an object without an array where upstreams send that', async () => {
    const none = await call('tour_area_list', { fault: 'zero' });
    expect(JSON.parse(none.body).response.body).toMatchObject({ items: '', totalCount: 0 });
    const one = await call('tour_area_list', { fault: 'one' });
    expect(JSON.parse(one.body).response.body.items.item).toMatchObject({
      contentid: expect.any(String),
    });
    expect((await call('worldbank_indicator', { fault: 'zero' })).body).toContain(',null]');
    expect((await call('kma_village_forecast', { fault: 'zero' })).body).toContain('"03"');
  });
});

describe('faults', () => {
  it('affect their tool or preset, as often as planned', async () => {
    await plan({ tool: 'frankfurter_rates', fault: 'status:503', times: 2 });
    await plan({ presetId: 'weather/kma-short-forecast', fault: 'quota' });
    expect((await call('openmeteo_forecast')).status).toBe(200);
    expect((await call('frankfurter_rates')).status).toBe(503);
    expect((await call('frankfurter_rates')).status).toBe(503);
    expect((await call('frankfurter_rates')).status).toBe(200);
    expect((await call('kma_village_forecast')).body).toContain('<returnReasonCode>22');
    expect((await call('kma_village_forecast')).body).not.toContain('<returnReasonCode>22');
  });

  it('can be removed', async () => {
    await plan({ fault: 'html', times: 100 });
    expect((await call('frankfurter_rates')).body).toContain('<html>');
    await fetch(`${sandbox.url}/_sandbox/faults`, { method: 'DELETE' });
    expect((await call('frankfurter_rates')).body).not.toContain('<html>');
  });

  it('truncate a response, or replace it with an HTML page with status 200', async () => {
    const { body } = await call('kma_village_forecast', { fault: 'truncate' });
    expect(body.length).toBeGreaterThan(0);
    expect(() => JSON.parse(body)).toThrow();
    expect(await call('kma_village_forecast', { fault: 'html' })).toMatchObject({
      status: 200,
      contentType: expect.stringContaining('text/html'),
    });
  });

  it('report an exhausted quota as the upstream does', async () => {
    expect((await call('openmeteo_forecast', { fault: 'quota' })).status).toBe(429);
    expect((await call('frankfurter_rates', { fault: 'quota' })).status).toBe(429);
    expect((await call('tour_nearby', { fault: 'quota' })).body).toContain('>22<');
  });

  it('delay a response', async () => {
    const before = performance.now();
    expect((await call('frankfurter_rates', { fault: 'delay:50' })).status).toBe(200);
    // Timers may fire up to a millisecond early.
    expect(performance.now() - before).toBeGreaterThan(48);
  });

  it.each([{}, { fault: 'nonsense' }, { fault: 'html', times: 0 }, { fault: 'html', tool: 1 }, []])(
    'are not planned for the invalid request %j',
    async (order) => {
      expect((await plan(order)).status).toBe(400);
      expect((await call('frankfurter_rates')).status).toBe(200);
    },
  );
});

describe('the sandbox itself', () => {
  it('describes itself', async () => {
    const text = await (await fetch(sandbox.url)).text();
    for (const { id } of presets) expect(text).toContain(`/${id}/`);
    expect(text).toContain('/_sandbox/faults');
  });

  it('lists the requests that it received, without their keys', async () => {
    const count = async () =>
      (await (await fetch(`${sandbox.url}/_sandbox/requests`)).json()) as {
        total: number;
        requests: { method: string; path: string }[];
      };
    const before = await count();
    await call('tour_nearby', { change: { serviceKey: 'very-secret' } });
    const after = await count();
    expect(after.total).toBe(before.total + 1);
    expect(after.requests.at(-1)).toEqual({
      method: 'GET',
      path: expect.stringContaining('/culture/tour-korean/locationBasedList2?'),
    });
    expect(JSON.stringify(after)).not.toContain('very-secret');
    await call('ecos_key_statistics');
    const last = (await count()).requests.at(-1)?.path;
    expect(last).toMatch(/^\/economy\/bok-ecos\/KeyStatisticList\/REDACTED\/json\/kr\/1\/120$/);
    expect(after.requests.length).toBeLessThanOrEqual(100);
  });

  it('responds to an unknown operation as the upstream does', async () => {
    const portal = await fetch(`${sandbox.baseUrlFor('culture/tour-korean')}/nothing`);
    expect(await portal.text()).toContain('<returnReasonCode>12</returnReasonCode>');
    const plain = await fetch(`${sandbox.baseUrlFor('economy/frankfurter')}/nothing`);
    expect(plain.status).toBe(404);
    expect((await fetch(`${sandbox.url}/no/preset`)).status).toBe(404);
  });

  it('can be closed twice', async () => {
    const other = await createSandbox({ presetsDir, host: '127.0.0.1', port: 0 });
    await other.close();
    await other.close();
  });

  it('names an address that is in use', async () => {
    const port = Number(new URL(sandbox.url).port);
    await expect(createSandbox({ presetsDir, host: '127.0.0.1', port })).rejects.toThrow(
      `127.0.0.1:${port}`,
    );
  });
});
