import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SeenRequest } from '../support/fixture-upstream.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { registerApi } from './register-api.ts';

const described = (url: string): string => `openapi: 3.0.3
info: { title: Shop, version: '1' }
servers: [{ url: '${url}' }]
paths:
  /orders:
    get:
      operationId: orders
      parameters:
        - { name: day, in: query, required: true, description: A day., schema: { type: string, format: date } }
        - { name: state, in: query, schema: { type: string, enum: [open, sent] } }
        - { name: payment, in: query, description: An updated payment., schema: { type: integer } }
        - { name: cursor, in: query, schema: { type: string } }
        - { name: per_page, in: query, schema: { type: integer, maximum: 50 } }
      responses: { '200': { description: ok } }
  /orders/{id}:
    delete:
      operationId: remove_order
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses: { '200': { description: ok } }
`;

/** The orders of a day, 30 on a page. */
const ordersOf = (day: string): { id: string; price: string }[] =>
  Array.from({ length: 50 + Number(day.slice(-2)) }, (_, n) => ({
    id: `${day}#${n}`,
    price: `${n}.10`,
  }));

const queryOf = ({ url }: SeenRequest): URLSearchParams => new URL(url, 'http://shop').searchParams;

describe('a range of a registered API', () => {
  let gateway: TestGateway;
  let key: string;
  beforeAll(async () => {
    gateway = await startTestGateway({
      env: { ALLOW_PRIVATE_UPSTREAMS: 'true', RATE_LIMIT_PER_MINUTE: '0' },
    });
    ({ key } = await gateway.createKey('shop'));
    await registerApi(gateway, key, { name: 'Shop', spec_raw: described(gateway.upstream.url) });
  });
  afterAll(() => gateway.close());
  beforeEach(() => {
    gateway.upstream.seen.length = 0;
    gateway.upstream.answer((request, response) => {
      const query = queryOf(request);
      const orders = ordersOf(query.get('day') ?? '');
      const from = Number(query.get('cursor') ?? 0);
      const next = from + 30 < orders.length ? `${from + 30}` : null;
      const body = {
        orders: orders.slice(from, from + 30),
        total: orders.length,
        next_cursor: next,
      };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    });
  });
  const call = async (args: object) => (await gateway.call('orders', args, key)).body;

  it('follows cursors, with the largest pages, and is one table', async () => {
    const { result } = await call({ _over: ['day=2026-11-01..2026-11-03'] });
    const days = ['2026-11-01', '2026-11-02', '2026-11-03'];
    expect(result).toMatchObject({ complete: true, units: { done: 3, total: 3, failed: 0 } });
    expect(result.data.rows).toEqual(
      days.flatMap((day) => ordersOf(day).map(({ id, price }) => [day, id, price])),
    );
    expect(gateway.upstream.seen).toHaveLength(6);
    expect(
      gateway.upstream.seen.every((request) => queryOf(request).get('per_page') === '50'),
    ).toBe(true);
  });

  it('reads dates in other forms, and is grouped', async () => {
    const { result } = await call({
      _over: { day: { from: '20261101', to: '20261102' }, state: { in: ['open', 'sent'] } },
      _group: ['day'],
      _calc: ['count'],
    });
    expect(result.data.rows).toEqual([
      ['2026-11-01', 102],
      ['2026-11-02', 104],
    ]);
  });

  it('does not take a page that leads to itself for the last', async () => {
    gateway.upstream.answer((_request, response) => {
      const body = { orders: [{ id: 1 }, { id: 2 }], next_cursor: 'a' };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    });
    const { result } = await call({ _over: ['day=2026-12-01..2026-12-02'] });
    expect(result).toMatchObject({ complete: false, units: { done: 0, failed: 2, total: 2 } });
    expect(gateway.upstream.seen.length).toBeLessThanOrEqual(8);
  });

  it('keeps every column of a row, whatever its name', async () => {
    const order = '{"day_row":"a","day":"b","__proto__":"c","constructor":"d"}';
    gateway.upstream.answer((_request, response) => {
      response.setHeader('content-type', 'application/json').end(`{"orders":[${order}],"total":1}`);
    });
    const { result } = await call({ _over: ['day=2026-12-05..2026-12-05'] });
    expect(result.data).toEqual({
      columns: ['day', 'day_row', 'day_row_row', '__proto__', 'constructor'].map((name) => ({
        name,
        title: null,
        unit: null,
        codes: null,
      })),
      rows: [['2026-12-05', 'a', 'b', 'c', 'd']],
    });
  });

  it('has a file of its own rows, also where only some of them were fetched again', async () => {
    let price = 1;
    gateway.upstream.answer((request, response) => {
      const day = queryOf(request).get('day');
      if (day === '2026-12-07') response.setHeader('cache-control', 'no-store');
      const orders = [{ id: day, price: day === '2026-12-07' ? price : 0 }];
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ orders, total: 1 }));
    });
    const file = async (): Promise<unknown> => {
      const { result } = await call({ _over: ['day=2026-12-06..2026-12-07'], _link: true });
      const { pathname, search } = new URL(result.rows.link.json);
      const text = await (await gateway.fetch(pathname + search)).text();
      const rows: { price: number }[] = JSON.parse(text);
      expect(rows.map((row) => Object.values(row))).toEqual(result.data.rows);
      return rows.at(-1)?.price;
    };
    expect(await file()).toBe(1);
    price = 2;
    expect(await file()).toBe(2);
  });

  it('asks for nothing more once a column is unknown', async () => {
    gateway.upstream.answer((request, response) => {
      const query = queryOf(request);
      const page = Number(query.get('cursor') ?? 0);
      const isLast = query.get('day') === '2026-12-08' || page === 200;
      const next = isLast ? null : `${page + 1}`;
      const body = { orders: [{ id: `${page}` }], next_cursor: next };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    });
    const { error } = await call({ _over: ['day=2026-12-08..2026-12-09'], _fields: ['nothing'] });
    expect(error).toMatchObject({ code: -32602, data: { errors: [{ path: '/_fields/0' }] } });
    expect(gateway.upstream.seen.length).toBeLessThan(50);
  });

  it('takes numbers for months only where an argument is a time', async () => {
    const args = { _over: ['payment=200101..200212'], day: '2026-12-10', _dry_run: true };
    expect((await call(args)).result.data.units).toBe(112);
  });

  it('says of a response without certain rows that the unit failed', async () => {
    gateway.upstream.answer((_request, response) => {
      response.setHeader('content-type', 'application/json').end('{"status":"fine"}');
    });
    const { result } = await call({ _over: ['day=2026-12-03..2026-12-04'] });
    expect(result).toMatchObject({ complete: false, units: { done: 0, failed: 2 } });
    expect(result.units.failures[0].reason).toContain('No rows were found');
  });

  it('names the value that does not fit, and refuses tools that change data', async () => {
    const { error } = await call({ _over: ['state=open,lost'], day: '2026-11-01' });
    expect(error).toMatchObject({ code: -32602, data: { errors: [{ path: '/state' }] } });
    const removal = await gateway.call('remove_order', { _over: ['id=1..3'] }, key);
    expect(removal.body.error.message).toMatch(/needs a tool whose|only read/);
    expect(gateway.upstream.seen).toEqual([]);
  });
});
