import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../platform/kernel/error.ts';
import { PUBLIC_DATA_PAYLOADS } from '../../public-data/payload-domain.ts';
import type { PayloadShape, SuccessRule } from '../../tools/model.ts';
import { createPayloadReader } from './read-payload.ts';
import type { NormalisedPayload, PayloadInput } from './upstream-response.ts';

const readPayload = createPayloadReader(PUBLIC_DATA_PAYLOADS);

const NO_SHAPE: PayloadShape = {
  items: null,
  total: null,
  success: null,
  itemWrapper: null,
  columns: null,
  asOf: null,
};

type Rule = Partial<Omit<SuccessRule, 'code'>> & { readonly code?: string | readonly string[] };

const rule = ({ code = [], ...success }: Rule): SuccessRule => ({
  code: typeof code === 'string' ? [code] : code,
  values: [],
  empty: ['03'],
  present: null,
  failure: null,
  message: null,
  causes: {},
  ...success,
});

const shape = (items: string | null, success: Rule): PayloadShape => ({
  items,
  total: null,
  itemWrapper: null,
  columns: null,
  asOf: null,
  success: rule(success),
});

/** As most public-data presets have it. */
const PORTAL = shape('/response/body/items/item', { code: '/response/header/resultCode' });

function read(body: string | Buffer, input: Partial<PayloadInput> = {}): NormalisedPayload {
  return readPayload({
    status: 200,
    contentType: 'application/json',
    shape: NO_SHAPE,
    isPublicData: false,
    ...input,
    body: Buffer.from(body),
  });
}

const publicRead = (body: string | Buffer, input: Partial<PayloadInput> = {}): NormalisedPayload =>
  read(body, { shape: PORTAL, isPublicData: true, ...input });

const value = (payload: NormalisedPayload): unknown => JSON.parse(payload.json.toString());

function refusal(read: () => unknown): unknown {
  try {
    read();
  } catch (error) {
    return error instanceof GatewayError ? error.code : error;
  }
  return undefined;
}

describe('readPayload: several JSON values', () => {
  it.each([
    ['application/x-ndjson', '{"a":1}\n{"a":2}\n', [{ a: 1 }, { a: 2 }]],
    ['application/jsonl', '1\n"two"\n\nnull\n', [1, 'two', null]],
    ['application/json-seq', '\x1e{"a":1}\n\x1e[2]\n', [{ a: 1 }, [2]]],
    ['application/json', '{"a":"} {"}\r\n{"b":"\\"["}\r\n', [{ a: '} {' }, { b: '"[' }]],
    ['text/plain', '{"a":1}{\n  "a": 2\n}[]', [{ a: 1 }, { a: 2 }, []]],
    ['application/json', '{"a":"x\ty"} {"b":1}', [{ a: 'x y' }, { b: 1 }]],
  ])('are a list: %s', (contentType, body, expected) => {
    for (const status of [200, 500]) {
      expect(value(read(body, { contentType, status }))).toEqual(expected);
    }
  });

  it.each([
    'application/x-ndjson',
    'application/ndjson; charset=utf-8',
    'application/jsonlines',
    'application/x-json-lines',
    'application/stream+json',
    'application/geo+json-seq',
    'application/x-ldjson',
  ])('are a list even if %s has only one', (contentType) => {
    expect(value(read('{"a":1}\n', { contentType }))).toEqual([{ a: 1 }]);
  });

  it.each([
    ['application/json', '{"a":1},{"a":2}'],
    ['application/json', '1,2'],
    ['application/x-ndjson', '1 ] [ 2'],
    ['application/x-ndjson', '{"a":1}\n{"a":'],
    ['application/json', '{"a":1} trailing'],
    ['application/json', ')]}\'\n{"a":1}'],
    ['application/json', '{"a": NaN, "b": Infinity}'],
    ['text/plain', '[2026-01-01 10:00] started\n[2026-01-01 10:01] done'],
    ['text/markdown', '[link](https://a.example) to it'],
    ['text/csv', '{id},{name}\n1,a'],
    ['text/plain', '{{#each rows}}{{name}}{{/each}}'],
    ['application/toml', '[package]\nname = "a"'],
  ])('are not made of other text: %s %s', (contentType, body) => {
    expect(value(read(`${body}\n`, { contentType }))).toEqual({ text: body });
  });

  it('keep their bytes and their order', () => {
    const values = fc.array(fc.json(), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(values, fc.constantFrom('\n', ' ', '\r\n', '\n\x1e'), (texts, separator) => {
        const { json } = read(texts.join(separator), { contentType: 'application/json-seq' });
        expect(JSON.parse(json.toString())).toEqual(texts.map((text) => JSON.parse(text)));
      }),
    );
  });

  it('are refused where a shape promises one', () => {
    const shape = { ...NO_SHAPE, items: '' };
    expect(refusal(() => read('{"a":1}\n{"a":2}', { shape }))).toBe('upstream_bad_payload');
  });

  it('are text beyond a million', () => {
    const body = '1 '.repeat(1_000_001);
    expect(value(read(body, { contentType: 'application/jsonl' }))).toHaveProperty('text');
  });
});

describe('readPayload: text', () => {
  it.each([
    'application/yaml',
    'application/x-yaml',
    'application/openapi+yaml;version=3.1',
    'application/jsonl',
    'application/sql',
    'application/toml',
    'application/jwt',
    'application/x-pem-file',
    'application/graphql',
    'application/octet-stream',
    'message/rfc822',
  ])('is UTF-8 without NUL in %s', (contentType) => {
    for (const status of [200, 404]) {
      const input = { contentType, status };
      expect(value(read('key: v1\nlist\n', input))).toEqual({ text: 'key: v1\nlist' });
      expect(value(read('a\0b', input))).toHaveProperty('base64');
      expect(value(read(Buffer.from([0x61, 0xff]), input))).toHaveProperty('base64');
    }
  });

  it('is not in images and documents, whatever their bytes are', () => {
    for (const contentType of ['image/x-portable-pixmap', 'application/pdf', 'audio/midi']) {
      expect(value(read('P3 1 1', { contentType }))).toHaveProperty('base64');
    }
  });

  it.each([
    ['text/html; charset=utf-8', '<p>Take <b>two</b> of these</p>'],
    ['text/html', '<section><p>a</p><h2>x</h2><p>b</p></section>'],
    ['application/xhtml+xml', '<ul><li>a</li></ul>'],
    ['image/svg+xml', '<svg><g/><path/><g/></svg>'],
    ['text/markdown', '<img src="x"> Read me\n\n# Title'],
    ['application/xml', '<doc><p>Take <b>two</b> of these</p><n>1</n></doc>'],
    ['text/plain', '<greeting>Hello <name/>!</greeting>'],
  ])('is markup whose order matters: %s %s', (contentType, body) => {
    expect(value(read(`${body}\n`, { contentType }))).toEqual({ text: body });
  });

  it('is not XML that is sent as HTML, or that a shape promises', () => {
    const contentType = 'text/html';
    const declared = '<?xml version="1.0"?><a><b>1</b></a>';
    expect(value(read(declared, { contentType }))).toEqual({ a: { b: '1' } });
    const mixed = '<a>one<b>two</b></a>';
    expect(value(publicRead(mixed, { contentType }))).toEqual({ a: { b: 'two', '#text': 'one' } });
  });

  it('has no secrets', () => {
    const hidden = [{ value: 'sesame-opens', name: 'key', in: 'query' as const, prefix: '' }];
    const body = '{"a":"sesame-opens"}\n{"a":1}';
    expect(value(read(body, { hidden }))).toEqual([{ a: 'REDACTED' }, { a: 1 }]);
    expect(value(read('[sesame-opens] x', { hidden }))).toEqual({ text: '[REDACTED] x' });
    expect(value(read('[sesame-opens] x', { hidden, status: 500 }))).toEqual({
      text: '[REDACTED] x',
    });
  });
});

describe('readPayload: result codes of public data', () => {
  it('reads 03 as an empty success and adds an empty list of rows', () => {
    for (const body of [
      '{"response":{"header":{"resultCode":"03","resultMsg":"NO_DATA"}}}',
      '{"response":{"header":{"resultCode":"03"},"body":{"items":""}}}',
      '<response><header><resultCode>03</resultCode></header><body><items/></body></response>',
    ]) {
      const payload = publicRead(body);
      expect(payload).toMatchObject({ ok: true, rows: 0, publicData: { code: '03' } });
      expect(value(payload)).toHaveProperty('response.body.items.item', []);
    }
  });

  it('accepts a success code that a preset names', () => {
    const named = shape('/data', { code: '/status_code', values: ['OK'] });
    expect(publicRead('{"status_code":"OK","data":[]}', { shape: named })).toMatchObject({
      ok: true,
      publicData: { code: 'OK', message: 'OK' },
    });
    expect(publicRead('{"code":-4,"msg":"x"}', { shape: named, status: 401 }).ok).toBe(false);
  });

  it('does not look for codes in other tools', () => {
    const payload = read('{"resultCode":"99","header":{"resultCode":"99"}}');
    expect(payload).toMatchObject({ ok: true });
    expect(payload).not.toHaveProperty('publicData');
  });
});

describe('readPayload: rows', () => {
  it('are found with and without the response wrapper, regardless of the shape', () => {
    const bare = '{"header":{"resultCode":"00"},"body":{"items":{"item":[{"a":1}]}}}';
    const wrapped = `{"response":${bare}}`;
    const bareShape = shape('/body/items/item', { code: '/header/resultCode' });
    const listShape = shape('/response/body/items', { code: '/response/header/resultCode' });
    expect(publicRead(bare).json.toString()).toBe(wrapped);
    expect(publicRead(wrapped, { shape: bareShape }).json.toString()).toBe(bare);
    for (const body of [bare, wrapped]) {
      const payload = publicRead(body, { shape: listShape });
      expect(payload).toMatchObject({ ok: true, rows: 1 });
      expect(value(payload)).toHaveProperty('response.body.items', [{ a: 1 }]);
    }
  });

  it('are at the same pointer in XML as in JSON', () => {
    const listShape = shape('/response/body/items', { code: '/response/header/resultCode' });
    const xml =
      '<response><header><resultCode>00</resultCode></header><body><items><item><a>1</a></item></items></body></response>';
    expect(value(publicRead(xml, { shape: listShape }))).toHaveProperty('response.body.items', [
      { a: '1' },
    ]);
    expect(value(publicRead(xml))).toHaveProperty('response.body.items.item', [{ a: '1' }]);
  });

  it('count the elements of a list, and the total with them', () => {
    const listing = { ...PORTAL, listColumn: 'urls', total: '/response/body/totalCount' };
    const body = (totalCount: number) => ({
      response: {
        header: { resultCode: '00' },
        body: { items: { item: [{ urls: '[a, b, c]' }] }, totalCount },
      },
    });
    const sent = (total: number) => publicRead(JSON.stringify(body(total)), { shape: listing });
    expect(sent(1)).toMatchObject({ rows: 3, total: 3 });
    expect(sent(2)).toMatchObject({ rows: 3 });
    expect(sent(2).total).toBeUndefined();
  });

  it('are filtered by the arguments, and the total stays what the upstream says', () => {
    const filters = [{ argument: 'NM', column: 'nm' }];
    const shape = { ...PORTAL, filters, total: '/response/body/totalCount' };
    const body =
      '{"response":{"header":{"resultCode":"00"},"body":{"items":[{"nm":"a"},{"nm":"b"}],"totalCount":9}}}';
    expect(publicRead(body, { shape, arguments: { NM: 'b' } })).toMatchObject({
      rows: 1,
      total: 9,
    });
    expect(publicRead(body, { shape })).toMatchObject({ rows: 2, total: 9 });
  });

  it('are not added to the payload of a failed status', () => {
    const payload = read('{"message":"no"}', {
      status: 404,
      shape: { ...NO_SHAPE, items: '/data' },
    });
    expect(payload.json.toString()).toBe('{"message":"no"}');
    expect(payload.rows).toBeUndefined();
  });
});

describe('readPayload: success rules of other upstreams', () => {
  const FAILURE = shape('/S/row', {
    code: '/RESULT/CODE',
    empty: ['INFO-200'],
    failure: '/RESULT',
  });
  const BARE = shape('', { code: '/err', empty: ['30'] });
  const FIRST = shape('', { code: '/0/result', values: ['1'] });
  const LIST = shape('/list', { code: '/status', empty: ['013'] });
  const PRESENT = shape('/R/OIL', { present: '/R/OIL' });
  const MESSAGE = shape('/1', { failure: '/0/message' });
  const ERROR = shape(null, { failure: '/error' });
  const XML = shape('/dbs/db', { code: '/dbs/db/0/returncode' });

  it.each<[string, PayloadShape, boolean, number?]>([
    ['{"S":{"row":[{}]}}', FAILURE, true, 1],
    ['{"RESULT":{"CODE":"INFO-200"}}', FAILURE, true, 0],
    ['{"RESULT":{"CODE":"INFO-100"}}', FAILURE, false],
    ['[{"a":1}]', BARE, true, 1],
    ['{"err":"30"}', BARE, true, 0],
    ['{"errCode":"20"}', BARE, false],
    ['[{"result":1}]', FIRST, true, 1],
    ['[{"result":4}]', FIRST, false],
    ['[]', FIRST, true, 0],
    ['{"status":"000","list":[1]}', LIST, true, 1],
    ['{"status":"013"}', LIST, true, 0],
    ['{"status":"010"}', LIST, false],
    ['{"message":"x"}', LIST, false],
    ['{"R":{"OIL":[]}}', PRESENT, true, 0],
    ['{"R":"Invalid Key"}', PRESENT, false],
    ['[{"page":1},null]', MESSAGE, true, 0],
    ['[{"message":[]}]', MESSAGE, false],
    ['{"error":null}', ERROR, true],
    ['{"error":false}', ERROR, true],
    ['<dbs><db><a>1</a></db></dbs>', XML, true, 1],
    ['<dbs/>', XML, true, 0],
    ['<dbs><db><returncode>02</returncode></db></dbs>', XML, false],
  ])('judge %s', (body, each, ok, rows) => {
    const payload = read(body, { shape: each });
    expect(payload.ok).toBe(ok);
    expect(payload.rows).toBe(rows);
    expect(payload.publicData).toBeUndefined();
  });
});
