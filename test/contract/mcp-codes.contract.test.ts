import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { ACCEPTS_EVENTS, rpc } from '../support/rpc-requests.ts';
import { LEGACY_REVISIONS, schemaIssues, stateless } from './mcp-requests.ts';
import { verifies } from './requirements.ts';

const TEMPLATE = 'codes://{kind}/{name}';
const ASKED = { ref: { type: 'ref/resource', uri: TEMPLATE } };

// biome-ignore lint/suspicious/noExplicitAny: responses whose shape is under test.
type Json = any;

const legacy =
  (revision: string): Send =>
  (method, params) => ({
    headers: { ...ACCEPTS_EVENTS, 'mcp-protocol-version': revision },
    body: rpc(method, params),
  });

type Send = (
  method: string,
  params: object,
) => { readonly headers: Readonly<Record<string, string>>; readonly body: object };

/** How each revision sends a request. */
const REVISIONS: Readonly<Record<string, Send>> = {
  ...Object.fromEntries(LEGACY_REVISIONS.map((revision) => [revision, legacy(revision)])),
  '2026-07-28': stateless,
};
const NAMES = Object.keys(REVISIONS);

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ env: { RATE_LIMIT_PER_MINUTE: '10000' } });
});
afterAll(() => gateway.close());

async function send(revision: string, method: string, params: object = {}, key = gateway.key) {
  const plain = { headers: {}, body: rpc(method, params) };
  const request = REVISIONS[revision]?.(method, params) ?? plain;
  const { status, body } = await gateway.json('/mcp', {
    method: 'POST',
    key,
    headers: { 'content-type': 'application/json', ...request.headers },
    body: JSON.stringify(request.body),
  });
  return { status, body };
}

const resultOf = async (...sent: Parameters<typeof send>): Promise<Json> =>
  (await send(...sent)).body.result;

async function complete(revision: string, name: string, value: string, kind?: string) {
  const context = kind === undefined ? {} : { context: { arguments: { kind } } };
  const asked = { ...ASKED, argument: { name, value }, ...context };
  return resultOf(revision, 'completion/complete', asked);
}

const valuesOf = async (...asked: Parameters<typeof complete>): Promise<string[]> =>
  (await complete(...asked)).completion.values;

const addressOf = (kind: string, name: string) => `codes://${kind}/${encodeURIComponent(name)}`;

describe('codes as resources', () => {
  test.each(NAMES)(`${verifies('mcp.codes.list')}: %s`, async (revision) => {
    const list = await resultOf(revision, 'resources/list');
    expect(list.resources).toEqual([]);
    const { resourceTemplates, ...hints } = await resultOf(revision, 'resources/templates/list');
    expect(resourceTemplates).toMatchObject([
      { uriTemplate: TEMPLATE, mimeType: 'application/json' },
    ]);
    expect('ttlMs' in hints && 'resultType' in hints).toBe(revision === '2026-07-28');
  });

  test.each(NAMES)(`${verifies('mcp.codes.read')}: %s`, async (revision) => {
    const uri = addressOf('district', '서울 강남구');
    const result = await resultOf(revision, 'resources/read', { uri });
    const [content, ...others] = result.contents;
    expect(others).toEqual([]);
    expect(content).toMatchObject({ uri, mimeType: 'application/json' });
    const found = await gateway.call('find_code', { kind: 'district', text: '서울 강남구' });
    expect(JSON.parse(content.text)).toEqual(found.body.result.data);
    expect(JSON.parse(content.text)[0].code).toBe('11680');
    expect('ttlMs' in result && 'cacheScope' in result).toBe(revision === '2026-07-28');
  });

  test('results fit the schemas of the newest revision', async () => {
    const at = '2026-07-28';
    const uri = addressOf('district', 'Busan');
    const read = await resultOf(at, 'resources/read', { uri });
    expect(schemaIssues('ReadResourceResult', read)).toEqual([]);
    const templates = await resultOf(at, 'resources/templates/list');
    expect(schemaIssues('ListResourceTemplatesResult', templates)).toEqual([]);
    expect(schemaIssues('ListResourcesResult', await resultOf(at, 'resources/list'))).toEqual([]);
    expect(schemaIssues('CompleteResult', await complete(at, 'kind', ''))).toEqual([]);
  });

  test.each([
    ['an empty address', { uri: '' }, TEMPLATE],
    ['another scheme', { uri: 'file:///etc/passwd' }, TEMPLATE],
    ['no name', { uri: 'codes://district/' }, TEMPLATE],
    ['a bad escape', { uri: 'codes://district/%E0%A4%A' }, TEMPLATE],
    ['a long address', { uri: addressOf('district', 'x'.repeat(1000)) }, TEMPLATE],
    ['a long name', { uri: addressOf('district', 'x'.repeat(101)) }, '100 characters'],
    ['blanks', { uri: 'codes://district/%20' }, 'is empty'],
    ['an unknown kind', { uri: 'codes://distict/x' }, 'Available: district'],
  ])(`${verifies('mcp.codes.bad-address')}: %s`, async (_title, params, message) => {
    for (const revision of ['2025-11-25', '2026-07-28']) {
      const { status, body } = await send(revision, 'resources/read', params);
      expect([status, body.error?.code]).toEqual([200, -32602]);
      expect(body.error.message).toContain(message);
    }
  });

  test(`${verifies('mcp.stateless.-32020')}: resources/read`, async () => {
    const { headers, body } = stateless('resources/read', { uri: addressOf('district', 'Busan') });
    const post = (name: object) =>
      gateway.json('/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers, ...name },
        body: JSON.stringify(body),
      });
    const other = await post({ 'mcp-name': 'codes://district/Seoul' });
    expect([other.status, other.body.error.code]).toEqual([400, -32020]);
  });
});

describe('completion/complete', () => {
  test.each(NAMES)(`${verifies('mcp.codes.kinds')}: %s`, async (revision) => {
    const { completion } = await complete(revision, 'kind', 'mid_');
    expect(completion).toEqual({
      values: ['mid_land_region', 'mid_temperature_region'],
      total: 2,
      hasMore: false,
    });
    expect((await complete(revision, 'kind', '')).completion.values).toContain('district');
    expect((await complete(revision, 'kind', 'none')).completion.total).toBe(0);
  });

  test.each(NAMES)(`${verifies('mcp.codes.names')}: %s`, async (revision) => {
    expect(await complete(revision, 'name', '강남', 'district')).toMatchObject({
      completion: { values: ['강남구'], total: 1, hasMore: false },
    });
    expect((await valuesOf(revision, 'name', 'Haeun', 'district'))[0]).toBe('Haeundae-gu');
    expect(await valuesOf(revision, 'name', '', 'district')).toEqual([]);
    expect(await valuesOf(revision, 'name', '강남')).toContain('강남구');
  });

  test(`${verifies('mcp.codes.names')}: every value can be read`, async () => {
    for (const [text, kind] of [
      ['meat', 'hs_heading'],
      ['Seo', 'asos_station'],
      ['11680', 'district'],
      ['물가', 'ecos_table'],
    ] as const) {
      const values = await valuesOf('2026-07-28', 'name', text, kind);
      expect(values.length).toBeGreaterThan(0);
      for (const name of values) {
        const uri = addressOf(kind, name);
        const { contents } = await resultOf('2026-07-28', 'resources/read', { uri });
        const shown = JSON.parse(contents[0].text).flatMap((row: Json) => Object.values(row));
        expect(shown).toContain(name);
      }
    }
  });

  test(`${verifies('mcp.codes.names')}: bounded`, async () => {
    const one = (await complete('2025-11-25', 'name', '중', 'legal_dong')).completion;
    expect(one.values.length).toBeLessThanOrEqual(50);
    expect(one).toMatchObject({ hasMore: true });
    expect(one).not.toHaveProperty('total');
    const all = (await complete('2025-11-25', 'name', '중')).completion;
    expect(all.values.length).toBeLessThanOrEqual(100);
    expect(new Set(all.values).size).toBe(all.values.length);
    expect(all).toMatchObject({ hasMore: true });
  });

  test.each([
    [{}, '/ref'],
    [{ ref: { type: 'ref/prompt', name: 'x' } }, TEMPLATE],
    [{ ref: { type: 'ref/resource', uri: 'codes://district/{name}' } }, TEMPLATE],
    [{ ...ASKED }, '/argument/name must be kind or name'],
    [{ ...ASKED, argument: { name: 'code', value: '' } }, 'kind or name'],
    [{ ...ASKED, argument: { name: 'kind', value: 5 } }, '/argument/value'],
    [{ ...ASKED, argument: { name: 'name', value: 'x'.repeat(101) } }, '100 characters'],
    [
      {
        ...ASKED,
        argument: { name: 'name', value: 'x' },
        context: { arguments: { kind: '__proto__' } },
      },
      'Available: district',
    ],
  ])(`${verifies('mcp.codes.bad-completion')}: %j`, async (params, message) => {
    for (const revision of ['2025-03-26', '2026-07-28']) {
      const { status, body } = await send(revision, 'completion/complete', params);
      expect([status, body.error?.code]).toEqual([200, -32602]);
      expect(body.error.message).toContain(message);
    }
  });
});

test(verifies('mcp.codes.limited'), async () => {
  const { key } = await gateway.createKey('codes', { rateLimitPerMinute: 2 });
  const uri = addressOf('district', 'Busan');
  const asked = { ...ASKED, argument: { name: 'name', value: 'Bus' } };
  expect(await resultOf('2025-11-25', 'resources/read', { uri }, key)).toHaveProperty('contents');
  expect(await resultOf('2026-07-28', 'completion/complete', asked, key)).toHaveProperty(
    'completion',
  );
  const { body } = await send('2025-11-25', 'completion/complete', asked, key);
  expect(body.error.message).toMatch(/retry/i);
  const reader = await gateway.createKey('codes');
  const audit = await gateway.json('/api/v1/audit', { key: reader.key });
  expect(audit.body.records).toEqual([]);
});
