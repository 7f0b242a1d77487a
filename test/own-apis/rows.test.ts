import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { registerApi } from './register-api.ts';

const PARAMETERS: Readonly<Record<string, string>> = {
  cursors: '{ name: cursor, in: query, schema: { type: string } }',
  numbers:
    '{ name: page, in: query, schema: { type: integer } }, { name: per_page, in: query, schema: { type: integer } }',
  zeros:
    '{ name: page, in: query, schema: { type: integer, minimum: 0 } }, { name: size, in: query, schema: { type: integer, default: 2 } }',
  offsets:
    '{ name: skip, in: query, schema: { type: integer } }, { name: limit, in: query, schema: { type: integer } }',
  links:
    '{ name: page, in: query, schema: { type: integer } }, { name: q, in: query, schema: { type: string } }',
  stripes: '{ name: starting_after, in: query, schema: { type: string } }',
};

const LIST = '{ type: array, items: { type: object, properties: { id: { type: integer } } } }';

const SCHEMAS: Readonly<Record<string, string>> = {
  described: `{ type: object, properties: { total: { type: integer }, things: ${LIST} } }`,
  one: '{ type: object, properties: { id: { type: integer }, tags: { type: array, items: { type: object, properties: {} } } } }',
};

const described = (url: string): string => {
  const names = [...Object.keys(PARAMETERS), ...Object.keys(SCHEMAS), 'open', 'text'];
  const paths = names.map((name) => {
    const schema = SCHEMAS[name];
    const content = schema ? `content: { application/json: { schema: ${schema} } }` : '';
    return `  /${name}:
    get:
      operationId: ${name}
      x-cache-ttl: 0
      parameters: [${PARAMETERS[name] ?? ''}]
      responses: { '200': { description: ok, ${content} } }`;
  });
  return `openapi: 3.0.3\ninfo: { title: Lists, version: '1' }\nservers: [{ url: '${url}' }]\npaths:\n${paths.join('\n')}\n`;
};

interface Answer {
  readonly headers?: Record<string, string>;
  readonly body: unknown;
}

describe('the rows of an API that says nothing of rows', () => {
  let gateway: TestGateway;
  let key: string;
  let job: { report: { operations: { tool: string; rows: unknown }[] } };
  beforeAll(async () => {
    gateway = await startTestGateway({
      env: { ALLOW_PRIVATE_UPSTREAMS: 'true', RATE_LIMIT_PER_MINUTE: '0' },
    });
    ({ key } = await gateway.createKey('lists'));
    ({ job } = await registerApi(gateway, key, {
      name: 'Lists',
      spec_raw: described(gateway.upstream.url),
    }));
  });
  afterAll(() => gateway.close());

  const answer = ({ headers = {}, body }: Answer): void =>
    gateway.upstream.answer((_request, response) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(text);
    });

  const call = async (name: string, args: object, given: Answer) => {
    answer(given);
    return (await gateway.call(name, args, key)).body.result;
  };

  const textOf = async (name: string, args: object, given: Answer): Promise<string> => {
    answer(given);
    const params = { name, arguments: args };
    const init = {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      key,
    };
    const response = await gateway.fetch('/mcp?result=text', init);
    return JSON.parse(await response.text()).result.content[0].text;
  };

  test('are offered from the registration on, where there may be some, and stand in the report', async () => {
    const { tools } = (await gateway.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, key)).body
      .result;
    const of = (name: string) =>
      Object.keys(
        tools.find((each: { name: string }) => each.name === name).inputSchema.properties,
      );
    expect(of('open')).toEqual(expect.arrayContaining(['_fields', '_limit', '_where']));
    expect(of('described')).toContain('_where');
    expect(of('one')).not.toContain('_where');
    const rows = Object.fromEntries(job.report.operations.map((each) => [each.tool, each.rows]));
    expect(rows['open']).toBeNull();
    expect(rows['described']).toMatchObject({ items: '/things', total: '/total' });
  });

  test.each([
    ['the root', [{ id: 1 }, { id: 2 }], ''],
    ['data', { data: [{ id: 1 }, { id: 2 }], total: 9 }, '/data'],
    [
      'nested wrappers',
      { response: { body: { items: [{ id: 1 }, { id: 2 }] } } },
      '/response/body/items',
    ],
    ['HAL', { _embedded: { pets: [{ id: 1 }, { id: 2 }] }, _links: {} }, '/_embedded/pets'],
    ['the path', { open: [{ id: 1 }, { id: 2 }], others: [{ id: 3 }] }, '/open'],
    ['the only list', { animals: [{ id: 1 }, { id: 2 }], count: 2, page: 1 }, '/animals'],
    [
      'GraphQL',
      { data: { users: { edges: [{ node: { id: 1 } }, { node: { id: 2 } }] } } },
      '/data/users/edges',
    ],
  ])('are found at %s', async (_name, body, items) => {
    const result = await call('open', { _limit: 1 }, { body });
    expect(result.rows).toMatchObject({ returned: 1, omitted: 1, found: { items } });
    expect(await textOf('open', { _fields: ['id'] }, { body })).toMatch(/\nid\n1\n2\n$/);
  });

  test.each([
    ['one thing with a list', { id: 7, name: 'a', tags: [{ id: 1 }] }],
    ['two lists', { followers: [{ id: 1 }], following: [{ id: 2 }] }],
    ['a map', { 1: { id: 1 }, 2: { id: 2 } }],
    ['errors only', { errors: [{ code: 1 }] }],
    ['elements of several kinds', ['a', ['b']]],
  ])('are not guessed in %s: it comes whole, and says so', async (_name, body) => {
    const result = await call('open', { _limit: 1 }, { body });
    expect(result.data).toEqual(body);
    expect(result.rows).toEqual({
      hint: expect.stringContaining('No list in this response is certain'),
    });
    expect((await call('open', {}, { body })).rows).toBeUndefined();
  });

  test('are read from NDJSON, from CSV and from TSV with a head', async () => {
    const csv = {
      headers: { 'content-type': 'text/csv' },
      body: '\ufeffid,name\r\n1,"a, b"\r\n2,"c ""d"""\r\n',
    };
    expect((await call('text', {}, csv)).data).toEqual([
      { id: '1', name: 'a, b' },
      { id: '2', name: 'c "d"' },
    ]);
    expect((await call('text', { _where: { id: 2 } }, csv)).rows).toMatchObject({ returned: 1 });
    const tsv = { headers: { 'content-type': 'text/tab-separated-values' }, body: 'a\tb\n1\t2\n' };
    expect((await call('text', {}, tsv)).data).toEqual([{ a: '1', b: '2' }]);
    const lines = {
      headers: { 'content-type': 'application/x-ndjson' },
      body: '{"a":1}\n{"a":2}\n',
    };
    expect((await call('text', {}, lines)).rows).toMatchObject({ returned: 2 });
  });

  test.each(['1,2\n3,4\n', 'a,b\n1\n', 'a,a\n1,2\n', 'a, a\n1,2\n', 'a,b\n"1,2\n'])(
    'stay a text in CSV without a head or of uneven rows: %j',
    async (body) => {
      const result = await call('text', {}, { headers: { 'content-type': 'text/csv' }, body });
      expect(result.data).toEqual({ text: body.trim() });
    },
  );

  test('are not sought where another response had them, if that list is empty', async () => {
    const first = { body: { data: [{ id: 1 }], records: [] } };
    expect((await call('open', {}, first)).rows).toMatchObject({ returned: 1 });
    const second = { body: { data: [], records: [{ id: 2 }, { id: 3 }] } };
    expect((await call('open', {}, second)).rows).toMatchObject({ returned: 2 });
    expect((await call('open', {}, { body: { data: [] } })).rows).toMatchObject({ returned: 0 });
  });

  test('stay a text in CSV that says that it has no head', async () => {
    const headers = { 'content-type': 'text/csv; header=absent' };
    const result = await call('text', {}, { headers, body: 'Ann,Seoul\nBob,Busan\n' });
    expect(result.data).toEqual({ text: 'Ann,Seoul\nBob,Busan' });
  });

  test.each([
    ['_where', { _where: { naem: 'a' } }, '/_where/naem'],
    ['_fields', { _fields: ['id', 'naem'] }, '/_fields/1'],
    ['_sort', { _sort: ['naem'] }, '/_sort/0'],
    ['_group', { _group: ['naem'] }, '/_group/0'],
  ])('have no column that %s may invent', async (_name, args, path) => {
    answer({ body: { items: [{ id: 1, name: 'a' }] } });
    const { error } = (await gateway.call('open', args, key)).body;
    expect(error).toMatchObject({ code: -32602, data: { errors: [{ path }] } });
    expect(error.data.errors[0].message).toContain('name');
  });

  test('may lack a column that the description has', async () => {
    const result = await call(
      'described',
      { _where: { id: 1 } },
      { body: { things: [{ name: 'a' }] } },
    );
    expect(result.rows).toMatchObject({ returned: 0 });
  });

  test('are shown to models with what the response says beside them', async () => {
    const body = { items: [{ id: 1 }], total: 1, summary: { sum: 12.5 } };
    const text = await textOf('open', {}, { body });
    expect(text).toContain('Note: The response says beside the rows: {"summary":{"sum":12.5}}');
    expect(text).toContain('open: 1 row.');
  });

  test('are cut at whole rows, however many come', async () => {
    const body = Array.from({ length: 5000 }, (_, id) => ({
      id,
      name: `thing ${id}`,
      at: 'x'.repeat(30),
    }));
    const text = await textOf('open', {}, { body });
    const [shown] = /Only the first (\d+) of these 5000 rows/.exec(text)?.slice(1) ?? [];
    const lines = text.trimEnd().split('\n');
    expect(lines.at(-1)).toBe(
      `${Number(shown) - 1}\tthing ${Number(shown) - 1}\t${'x'.repeat(30)}`,
    );
  });

  const things = (count: number) => Array.from({ length: count }, (_, id) => ({ id }));

  test.each([
    [
      'a cursor',
      'cursors',
      {},
      { body: { data: things(2), meta: { next_cursor: 'abc' } } },
      { cursor: 'abc' },
    ],
    ['an empty cursor', 'cursors', {}, { body: { data: things(2), next_cursor: null } }, null],
    [
      'a total',
      'numbers',
      { page: 2, per_page: 2 },
      { body: { data: things(2), total: 5 } },
      { page: 3 },
    ],
    [
      'the last page',
      'numbers',
      { page: 3, per_page: 2 },
      { body: { data: things(1), total: 5 } },
      null,
    ],
    [
      'a header',
      'numbers',
      { per_page: 2 },
      { headers: { 'x-total-count': '3' }, body: things(2) },
      { page: 2 },
    ],
    ['pages from 0', 'zeros', {}, { body: { content: things(2), totalElements: 5 } }, { page: 1 }],
    [
      'a number of pages',
      'numbers',
      {},
      { body: { data: things(2), page: 1, total_pages: 2 } },
      { page: 2 },
    ],
    [
      'an offset',
      'offsets',
      { skip: 2, limit: 2 },
      { body: { items: things(2), total: 9 } },
      { skip: 4 },
    ],
    ['a short page', 'offsets', { limit: 5 }, { body: { items: things(2) } }, null],
    [
      'Link',
      'links',
      { q: 'a' },
      { headers: { link: '</links?q=a&page=2>; rel="next"' }, body: things(2) },
      { page: 2 },
    ],
    [
      'Link of the last page',
      'links',
      { page: 2 },
      { headers: { link: '</links?page=1>; rel="prev"' }, body: things(2) },
      null,
    ],
    [
      'an address',
      'links',
      {},
      { body: { results: things(2), next: '/links?page=2' } },
      { page: 2 },
    ],
    [
      'another host',
      'links',
      {},
      { body: { results: things(2), next: 'https://evil.example/links?page=2' } },
      null,
    ],
    [
      'an unknown argument',
      'links',
      {},
      { body: { results: things(2), next: '/links?after=2' } },
      null,
    ],
    ['itself', 'links', { page: 2 }, { body: { results: things(2), next: '/links?page=2' } }, null],
    [
      'the last id',
      'stripes',
      {},
      { body: { object: 'list', data: things(3), has_more: true } },
      { starting_after: '2' },
    ],
  ] as const)('lead to the next page by %s', async (_name, tool, args, given, next) => {
    expect((await call(tool, args, given)).rows.next).toEqual(next);
  });

  test('are where the registration says, and their pages are asked for as it says', async () => {
    const of = gateway.upstream.url;
    const { registration } = await registerApi(gateway, key, {
      name: 'Corrected',
      spec_raw: described(of).replaceAll(/operationId: (\w+)/g, 'operationId: corrected_$1'),
      extensions: [
        { operation: 'GET /open', extension: 'x-items', value: '/others' },
        {
          operation: 'GET /cursors',
          extension: 'x-paging',
          value: { cursor: 'cursor', at: '/after/here' },
        },
        { operation: 'GET /numbers', extension: 'x-paging', value: 'none' },
        {
          operation: 'GET /zeros',
          extension: 'x-paging',
          value: { offset: 'page', size: 'size', first: 1 },
        },
      ],
    });
    expect(registration).toBeDefined();
    const body = { open: [{ id: 1 }], others: [{ id: 3 }, { id: 4 }], after: { here: 'z' } };
    expect((await call('corrected_open', { _limit: 1 }, { body })).rows).toMatchObject({
      omitted: 1,
    });
    expect(
      (await call('corrected_cursors', {}, { body: { data: things(1), after: { here: 'z' } } }))
        .rows.next,
    ).toEqual({ cursor: 'z' });
    expect(
      (await call('corrected_numbers', {}, { body: { data: things(1), total: 9 } })).rows.next,
    ).toBeNull();
    expect(
      (await call('corrected_zeros', {}, { body: { data: things(2), total: 9 } })).rows.next,
    ).toEqual({ page: 3 });
  });
});
