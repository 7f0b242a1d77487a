import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { registerApi } from './register-api.ts';

const LIMIT = '{ name: limit, in: query, schema: { type: integer, default: 3 } }';
const PARAMETERS: Readonly<Record<string, string>> = {
  limited: LIMIT,
  plain: '',
  numbers: `{ name: page, in: query, schema: { type: integer } }, ${LIMIT}`,
  starts: `{ name: startIndex, in: query, schema: { type: integer } }, ${LIMIT}`,
  cursors: '{ name: cursor, in: query, schema: { type: string } }',
};

const described = (url: string): string => {
  const paths = Object.entries(PARAMETERS).map(
    ([name, parameters]) => `  /${name}:
    get:
      operationId: ${name}
      x-cache-ttl: 0
      parameters: [{ name: day, in: query, schema: { type: string } }${parameters && `, ${parameters}`}]
      responses: { '200': { description: ok } }`,
  );
  return `openapi: 3.0.3\ninfo: { title: Open, version: '1' }\nservers: [{ url: '${url}' }]\npaths:\n${paths.join('\n')}\n`;
};

const rows = (count: number): { id: number }[] =>
  Array.from({ length: count }, (_, n) => ({ id: n + 1 }));

describe('a page of which nothing says whether others follow', () => {
  let gateway: TestGateway;
  let key: string;
  beforeAll(async () => {
    gateway = await startTestGateway({
      env: { ALLOW_PRIVATE_UPSTREAMS: 'true', RATE_LIMIT_PER_MINUTE: '0' },
    });
    ({ key } = await gateway.createKey('open'));
    await registerApi(gateway, key, { name: 'Open', spec_raw: described(gateway.upstream.url) });
  });
  afterAll(() => gateway.close());

  const call = async (name: string, args: object, body: unknown) => {
    gateway.upstream.answer((_request, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    });
    const { result, error } = (await gateway.call(name, args, key)).body;
    return result ?? error;
  };
  const unknown = { next: null, hint: 'Nothing says whether there are more rows.' };

  test.each([
    ['a page that is full, and no argument for another', 'limited', {}, rows(3)],
    [
      'a number of pages, and no argument for them',
      'plain',
      {},
      { items: rows(3), total_pages: 4 },
    ],
    [
      'a cursor that leads to itself, and more to come',
      'cursors',
      { cursor: 'a' },
      { items: rows(3), has_more: true, next_cursor: 'a' },
    ],
    ['an empty page, and more to come', 'numbers', { page: 2 }, { items: [], has_more: true }],
    ['pages that may begin with 0 or 1', 'numbers', {}, rows(3)],
  ])('is never the last: %s', async (_, name, args, body) => {
    expect((await call(name, args, body)).rows).toMatchObject(unknown);
    const over = await call(name, { ...args, _over: ['day=1,2'] }, body);
    expect(over.complete).not.toBe(true);
  });

  test('is the last if it is not full, or the last of its number', async () => {
    expect((await call('limited', {}, rows(2))).rows.hint).toBeUndefined();
    const last = { items: rows(3), page: 1, total_pages: 1 };
    expect((await call('plain', {}, last)).rows.hint).toBeUndefined();
  });

  test('has no total of what matches: there may be more', async () => {
    const body = { items: rows(3), total: 90 };
    expect((await call('plain', { _where: { id: 2 } }, body)).rows).toMatchObject({
      returned: 1,
      total: null,
      next: null,
    });
  });

  test('does not leave out the last row where offsets may count from 1', async () => {
    const body = { items: rows(3), total: 4 };
    expect((await call('starts', { startIndex: 1 }, body)).rows.next).toEqual({ startIndex: 4 });
  });
});
