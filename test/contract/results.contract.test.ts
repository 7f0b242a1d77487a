import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { registerApi } from '../own-apis/register-api.ts';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { statelessHeaders, statelessMeta } from '../support/rpc-requests.ts';
import { schemaIssues } from './mcp-requests.ts';
import { verifies } from './requirements.ts';

const HOUR_MS = 3_600_000;

const PRESET = `openapi: 3.1.0
info: { title: Sheet, version: "1" }
servers: [{ url: "http://fixture.invalid" }]
x-cache-ttl: 7200
paths:
  /rows:
    get:
      operationId: sheet_rows
      description: Rows.
      x-items: /rows
      x-total: /total
      x-codes: { sky: { "1": clear } }
      x-concise: [n]
      parameters: [{ name: q, in: query, description: Anything., schema: { type: string } }]
      responses: { "200": { description: Rows. } }
  /people:
    get:
      operationId: sheet_people
      description: People.
      x-items: /rows
      x-cache-ttl: 0
      x-personal: [q]
      parameters: [{ name: q, in: query, description: A person., schema: { type: string } }]
      responses: { "200": { description: Rows. } }
  /text:
    get:
      operationId: sheet_text
      description: No rows.
      responses: { "200": { description: Anything. } }
`;

const ROWS = `[
  {"n": 1, "sky": "1", "name": "서울, \\"중구\\"", "amount": -12.50},
  {"n": 2, "sky": "2", "name": "=HYPERLINK(1)\\nx", "amount": 12345678901234567890},
  {"n": 3, "sky": "1", "name": null}
]`;
const CSV = `\uFEFF${[
  'n,sky,name,amount',
  '1,1,"서울, ""중구""",-12.50',
  `2,2,"'=HYPERLINK(1)\nx",12345678901234567890`,
  '3,1,,',
  '',
].join('\r\n')}`;
const LINES = [
  '{"n":1,"sky":"1","name":"서울, \\"중구\\"","amount":-12.50}',
  '{"n":2,"sky":"2","name":"=HYPERLINK(1)\\nx","amount":12345678901234567890}',
  '{"n":3,"sky":"1","name":null,"amount":null}',
];

const manyRows = (count: number): string =>
  `[${Array.from({ length: count }, (_, n) => `{"n":${n},"text":"${'x'.repeat(20)}"}`).join(',')}]`;

describe.each(GATEWAY_BACKENDS)('files of answers ($name)', (backend) => {
  let gateway: TestGateway;
  let now = Date.UTC(2026, 10, 29, 5);
  let rows = ROWS;
  let log = '';

  beforeAll(async () => {
    gateway = await startTestGateway({
      backend,
      presets: { sheet: PRESET },
      clock: { now: () => now },
      env: { LOG_LEVEL: 'trace', ACCESS_LOG: 'true', RATE_LIMIT_PER_MINUTE: '0' },
      logger: pino(
        { level: 'trace' },
        {
          write: (line: string) => {
            log += line;
          },
        },
      ),
    });
    gateway.upstream.answer(({ url }, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(url.startsWith('/text') ? '{"ok": true}' : `{"total": 9, "rows": ${rows}}`);
    });
  });
  afterAll(() => gateway.close());
  afterEach(() => {
    rows = ROWS;
  });

  let asked = 0;
  const linkOf = async (args: object = {}, key?: string) => {
    const { body } = await gateway.call(
      'sheet_rows',
      { q: `${asked++}`, _link: true, ...args },
      key,
    );
    return body.result.rows.link as Record<'csv' | 'ndjson' | 'json' | 'expiresAt', string>;
  };
  const idIn = (address: string) => /\/results\/([\w-]+)\./.exec(address)?.[1] ?? '';
  /** The bytes as text: `text()` leaves out the byte order mark. */
  const textAt = async (response: Promise<Response>) =>
    Buffer.from(await (await response).arrayBuffer()).toString();
  const statusOf = async (address: string, init?: RequestInit) => {
    const response = await fetch(address, init);
    await response.arrayBuffer();
    return response.status;
  };
  /** Calls a tool over MCP. */
  const mcp = async (name: string, args: object = {}, query = '') => {
    const params = { name, arguments: args };
    const { body } = await gateway.json(`/mcp${query}`, {
      method: 'POST',
      headers: { ...statelessHeaders('tools/call', params), 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { ...params, _meta: statelessMeta('files') },
      }),
    });
    return body.result;
  };

  test(verifies('files.link', 'files.formats', 'GET /results/:file'), async () => {
    const { csv, ndjson, json, expiresAt } = await linkOf({ _limit: 1 });
    expect(expiresAt).toBe(new Date(now + HOUR_MS).toISOString());
    expect(csv).toMatch(
      new RegExp(`^${gateway.url}/results/[\\w-]{32}\\.csv\\?expires=\\d+&sig=[\\w-]{43}$`),
    );
    expect(await textAt(fetch(csv))).toBe(CSV);
    const response = await fetch(csv);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="sheet_rows-20261129T0500Z.csv"',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(await (await fetch(ndjson)).text()).toBe(`${LINES.join('\n')}\n`);
    expect(await (await fetch(json)).text()).toBe(`[${LINES.join(',\n')}]\n`);
    const head = await fetch(csv, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-disposition'), await head.text()]).toEqual([
      200,
      'attachment; filename="sheet_rows-20261129T0500Z.csv"',
      '',
    ]);
    expect(await statusOf(csv, { method: 'POST' })).toBe(405);
  });

  test('the file has the rows and columns that the call chose, and all of them', async () => {
    const chosen = await linkOf({ _where: { sky: 'clear' }, _fields: ['name', 'n'], _limit: 1 });
    expect(await (await fetch(chosen.ndjson)).text()).toBe(
      '{"name":"서울, \\"중구\\"","n":1}\n{"name":null,"n":3}\n',
    );
    const none = await linkOf({ _where: { n: 7 } });
    expect(await textAt(fetch(none.csv))).toMatch(/^\uFEFF.*\r\n$/);
    const grouped = await linkOf({
      ...{ _group: ['sky'], _calc: ['count', 'sum:amount'], _sort: ['-count'] },
      _limit: 1,
    });
    const groups = (await (await fetch(grouped.csv)).text()).trim().split('\r\n');
    expect(groups).toEqual(['sky,count,sum_amount', '1,2,-12.5', '2,1,12345678901234567890']);
    const table = await linkOf({ _view: 'table', _fields: ['*'] });
    expect(await textAt(fetch(table.csv))).toBe(CSV);
  });

  test('a call through call_tool has a file, too, by itself where its text is cut', async () => {
    const wanted = { name: 'sheet_rows', arguments: { q: 'through', _link: true } };
    const { rows: linked } = await mcp('call_tool', wanted, '?mode=search');
    expect(await textAt(fetch(linked.link.csv))).toBe(CSV);
    rows = manyRows(6000);
    const many = { name: 'sheet_rows', arguments: { q: 'many through' } };
    const { content } = await mcp('call_tool', many, '?mode=search');
    expect(content[1]).toMatchObject({ type: 'resource_link' });
  });

  test('the same question has the same file, as long as its answer is cached', async () => {
    const ids: string[] = [];
    for (const args of [{}, { _limit: 1 }, { _view: 'table' }, { _fields: ['n'] }]) {
      ids.push(idIn((await linkOf({ q: 'same', ...args })).csv));
    }
    expect(new Set(ids.slice(0, 3)).size).toBe(1);
    expect(ids[3]).not.toBe(ids[0]);
    expect(idIn((await linkOf({ q: 'same' })).csv)).toBe(ids[0]);
  });

  test(verifies('GET /api/v1/results/:file'), async () => {
    const { csv } = await linkOf();
    const path = `/api/v1/results/${idIn(csv)}.csv`;
    expect(await textAt(gateway.fetch(path))).toBe(CSV);
    expect((await gateway.fetch(path, { method: 'HEAD' })).status).toBe(200);
    expect((await gateway.fetch(path, { key: null })).status).toBe(401);
    expect((await gateway.fetch(path.replace('.csv', '.ndjson'))).status).toBe(200);
    const foreign = await gateway.createKey('foreign');
    expect((await gateway.json(path, { key: foreign.key })).body.error).toBe('Not Found');
    const other = await gateway.createKey('default', { allowedTools: ['sheet_text'] });
    expect((await gateway.fetch(path, { key: other.key })).status).toBe(404);
    const own = await gateway.createKey('default', { allowedTools: ['sheet_rows'] });
    expect((await gateway.fetch(path, { key: own.key })).status).toBe(200);
  });

  test(verifies('files.refused'), async () => {
    const { csv } = await linkOf();
    const other = idIn((await linkOf()).csv);
    const id = idIn(csv);
    const wrong = [
      csv.replace(id, other),
      csv.replace(id, id.slice(1)),
      csv.replace(id, `A${id.slice(1)}`),
      csv.replace('.csv', '.xml'),
      csv.replace('.csv', ''),
      csv.replace(/expires=(\d+)/, (_, at) => `expires=${Number(at) + 1}`),
      csv.replace(/expires=\d+&/, ''),
      csv.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      csv.replace(/sig=.*/, 'sig='),
      csv.replace(/&sig=.*/, ''),
      csv.replace(/\?.*/, ''),
    ];
    const statuses = await Promise.all(wrong.map((address) => statusOf(address)));
    expect(statuses).toEqual(wrong.map(() => 404));
    expect(await statusOf(`${csv}&sig=again`)).toBe(400);
    const unknown = `/api/v1/results/${'A'.repeat(32)}.csv`;
    expect((await gateway.fetch(unknown)).status).toBe(404);
    expect((await gateway.fetch(`/api/v1/results/${id}.exe`)).status).toBe(404);
    now += HOUR_MS;
    expect(await statusOf(csv)).toBe(410);
    const expired = await gateway.json(`/api/v1/results/${id}.csv`);
    expect(expired).toMatchObject({ status: 410, body: { error: 'Gone' } });
    expect(expired.headers.get('x-error-code')).toBe('gone');
    expect(statuses).not.toContain(410);
  });

  test('no log has the signature of an address', async () => {
    const { csv } = await linkOf();
    await (await fetch(csv)).text();
    await statusOf(csv.replace(/sig=.*/, 'sig=wrong'));
    const sig = /sig=([\w-]+)/.exec(csv)?.[1] ?? '';
    expect(log).toContain(`"/results/${idIn(csv)}.csv"`);
    expect(log).not.toContain(sig);
    expect(log).not.toContain('sig=');
    const { body } = await gateway.json('/api/v1/audit?limit=5');
    expect(JSON.stringify(body)).not.toContain(sig);
  });

  test(verifies('files.personal'), async () => {
    const { body } = await gateway.call('sheet_people', { q: 'Kim', _link: true });
    expect(body.error).toMatchObject({
      code: -32602,
      data: { errors: [{ path: '/_link', message: expect.stringContaining('personal data') }] },
    });
    rows = manyRows(6000);
    const { content, rows: counted } = await mcp('sheet_people', { q: 'Kim' });
    expect(content).toHaveLength(1);
    expect(content[0].text).toContain('Only the first');
    expect(counted.link).toBeUndefined();
  });

  test('only tools whose responses have rows take it, and only true and false', async () => {
    const { body } = await gateway.call('sheet_text', { _link: true });
    expect(body.error).toMatchObject({ code: -32602 });
    const wrong = await gateway.call('sheet_rows', { _link: 'yes please' });
    expect(wrong.body.error.data.errors).toMatchObject([{ path: '/_link' }]);
    const { result } = (await gateway.call('sheet_rows', { _link: false })).body;
    expect(result.rows.link).toBeUndefined();
    const before = gateway.upstream.seen.length;
    expect(await linkOf({ q: 'not sent' })).toBeDefined();
    expect(gateway.upstream.seen[before]?.url).toBe('/rows?q=not%20sent');
  });

  test(verifies('files.cut'), async () => {
    rows = manyRows(6000);
    const result = await mcp('sheet_rows', { q: 'many' });
    const { csv } = result.rows.link;
    const [text, link] = result.content;
    expect(schemaIssues('CallToolResult', result)).toEqual([]);
    expect(text.text).toContain(`Note: The whole answer: ${csv}\n`);
    expect(text.text).toMatch(/\nNote: Only the first \d+ of these 6000 rows fit here\./);
    expect(link).toMatchObject({ type: 'resource_link', uri: csv, mimeType: 'text/csv' });
    expect((await (await fetch(csv)).text()).split('\r\n')).toHaveLength(6002);
    const few = await mcp('sheet_rows', { q: 'many', _limit: 5 });
    expect(few.content).toHaveLength(1);
    expect(few.rows.link).toBeUndefined();
    const asText = await mcp('sheet_rows', { q: 'many' }, '?result=text');
    expect(asText.content[1].uri.split('?')[0]).toBe(csv.split('?')[0]);
    const { structuredContent } = await mcp('sheet_rows', { q: 'many' }, '?result=structured');
    expect(structuredContent.summary).toContain('The whole answer: http');
  });

  test('revisions before 2025-06-18 get the address in the text alone', async () => {
    rows = manyRows(6000);
    const call = async (revision: string) => {
      const { body } = await gateway.json('/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': revision,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'sheet_rows', arguments: { q: 'old' } },
        }),
      });
      return body.result.content;
    };
    const old = await call('2025-03-26');
    expect(old).toHaveLength(1);
    expect(old[0].text).toContain('The whole answer: http');
    expect(await call('2025-06-18')).toHaveLength(2);
  });

  test(verifies('mcp.json'), async () => {
    const { content, ...others } = await mcp('sheet_rows', { _fields: ['*'] }, '?result=json');
    expect(Object.keys(others).sort()).toEqual(['_meta', 'resultType']);
    expect(content).toHaveLength(1);
    expect(content[0].text).toContain('-12.50]');
    expect(content[0].text).toContain(',12345678901234567890]');
    const read = JSON.parse(content[0].text);
    expect(read).toMatchObject({ columns: ['n', 'sky', 'name', 'amount'], total: 3 });
    expect(read.summary).toMatch(/^sheet_rows: 3 rows/);
    expect(read.rows[2]).toEqual([3, '1', null, null]);
    const text = await mcp('sheet_text', {}, '?result=json');
    expect(text.content[0].text).toBe('{"ok": true}');
    const linked = await mcp('sheet_rows', { _link: true }, '?result=json');
    expect(linked.content).toHaveLength(1);
    expect(JSON.parse(linked.content[0].text).link.csv).toContain('/results/');
    const wrong = await mcp('sheet_rows', { _limit: 'many' }, '?result=json');
    expect(wrong.isError).toBe(true);
    expect(JSON.parse(wrong.content[0].text).error).toContain('/_limit');
  });

  test('as JSON, an answer is whole up to a million characters, then cut at a row and linked', async () => {
    rows = manyRows(20_000);
    const whole = JSON.parse((await mcp('sheet_rows', { q: 'w' }, '?result=json')).content[0].text);
    expect(whole.rows).toHaveLength(20_000);
    expect(whole.link).toBeUndefined();
    rows = manyRows(40_000);
    const all = { q: 'c', _fields: ['*'] };
    const [{ text }, ...more] = (await mcp('sheet_rows', all, '?result=json')).content;
    expect(more).toEqual([]);
    const cut = JSON.parse(text);
    expect(cut.rows.length).toBeGreaterThan(20_000);
    expect(cut.rows.length).toBeLessThan(40_000);
    expect(cut.summary).toContain(`Only the first ${cut.rows.length} of these 40000 rows`);
    const lines = (await (await fetch(cut.link.ndjson)).text()).split('\n');
    expect(lines).toHaveLength(40_001);
  });
});

test('the rows of a registered API become a file, where they are certain', async () => {
  const gateway = await startTestGateway({ env: { ALLOW_PRIVATE_UPSTREAMS: 'true' } });
  try {
    const { key } = await gateway.createKey('pets');
    await registerApi(gateway, key, {
      name: 'Pets',
      spec_raw: `{"openapi":"3.1.0","info":{"title":"Pets","version":"1"},"servers":[{"url":"${gateway.upstream.url}"}],"paths":{"/pets":{"get":{"operationId":"get_pets","responses":{"200":{"description":"ok"}}}}}}`,
    });
    const linked = async (body: string) => {
      gateway.upstream.answer((_, response) => {
        response
          .setHeader('content-type', 'application/json')
          .setHeader('cache-control', 'no-store');
        response.end(body);
      });
      return (await gateway.call('get_pets', { _link: true }, key)).body.result.rows;
    };
    const { link } = await linked('{"count": 2, "pets": [{"id": 1.50}, {"id": 2, "name": "Rex"}]}');
    expect(await (await fetch(link.csv)).text()).toBe('id,name\r\n1.50,\r\n2,Rex\r\n');
    const uncertain = await linked('{"owners": [{"id": 2}], "x": [{"id": 3}]}');
    expect(uncertain.link).toBeUndefined();
    expect(uncertain.hint).toContain('No list in this response is certain to be its rows');
  } finally {
    await gateway.close();
  }
});

test(verifies('files.bounds'), async () => {
  const gateway = await startTestGateway({
    presets: { sheet: PRESET },
    env: { RESULTS_MAX_BYTES: '1000' },
  });
  try {
    gateway.upstream.answer((_, response) => {
      response.setHeader('content-type', 'application/json').end(`{"rows": ${manyRows(6000)}}`);
    });
    const { rows } = (await gateway.call('sheet_rows', { _link: true, _limit: 2 })).body.result;
    expect(rows.link).toBeUndefined();
    expect(rows.hint).toMatch(/2 of 6000 rows .* The gateway could not keep all rows as a file/);
  } finally {
    await gateway.close();
  }
});
