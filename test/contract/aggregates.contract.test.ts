import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { registerApi } from '../own-apis/register-api.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { sendRaw } from '../support/raw-request.ts';
import { ACCEPTS_EVENTS, toolCall } from '../support/rpc-requests.ts';

const DESCRIPTION = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  paths: {
    '/orders': {
      get: {
        operationId: 'list_orders',
        'x-items': '/orders',
        parameters: [{ name: 'page', in: 'query', schema: { type: 'integer' } }],
        responses: { 200: { description: 'Orders.' } },
      },
    },
    '/events': {
      get: {
        operationId: 'list_events',
        parameters: [{ name: 'cursor', in: 'query', schema: { type: 'string' } }],
        responses: { 200: { description: 'Events.' } },
      },
    },
  },
};

const ORDERS = [
  { city: 'Seoul', at: '2025-01-31T23:30:00+09:00', price: 0.1 },
  { city: 'Busan', at: '2025-02-01T08:00:00+09:00', price: '1,000.25' },
  { city: 'Seoul', at: '2025-02-02T08:00:00+09:00', price: 0.2 },
];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    env: {
      ALLOW_PRIVATE_UPSTREAMS: 'true',
      ENCRYPTION_KEY: Buffer.alloc(32, 'k').toString('base64'),
      RATE_LIMIT_PER_MINUTE: '0',
    },
  });
  gateway.upstream.answer(({ url }, response) => {
    response.setHeader('content-type', 'application/json');
    const events = { events: ORDERS, ...(url.includes('cursor') ? {} : { next_cursor: 'b' }) };
    response.end(JSON.stringify(url.startsWith('/events') ? events : { orders: ORDERS }));
  });
  const { body } = await gateway.json('/api/v1/tools/molit_apt_trades');
  expect(Object.keys(body.inputSchema.properties)).toContain('_calc');
});
afterAll(() => gateway.close());

async function resultOf(name: string, args: object, path = '/mcp') {
  const { json } = await sendRaw(gateway.url, {
    path,
    headers: {
      'content-type': 'application/json',
      'x-api-key': gateway.key,
      ...ACCEPTS_EVENTS,
    },
    body: toolCall(name, args),
  });
  return json.result;
}

const MONTH = { LAWD_CD: '11680', DEAL_YMD: '202609', numOfRows: 1000 };
const MEDIANS = { _group: ['umdNm'], _calc: ['count', 'median:dealAmount'], _sort: ['-count'] };

describe('the median price by neighborhood', () => {
  /** Calculated from the rows themselves. */
  async function expected(): Promise<unknown[][]> {
    const { body } = await gateway.call('molit_apt_trades', MONTH);
    const rows: { umdNm: string; dealAmount: string }[] = body.result.data.response.body.items.item;
    const byName = Map.groupBy(rows, ({ umdNm }) => umdNm);
    const groups = [...byName].map(([name, deals]) => {
      const prices = deals
        .map(({ dealAmount }) => Number(dealAmount.replaceAll(',', '')))
        .sort((a, b) => a - b);
      const [low = 0, high = 0] = [-1, 0].map(
        (shift) => prices[Math.floor((prices.length + shift) / 2)],
      );
      return [name || null, deals.length, (low + high) / 2];
    });
    return groups.sort((a, b) => Number(b[1]) - Number(a[1]));
  }

  test('is right to the digit for programs', async () => {
    const { body } = await gateway.call('molit_apt_trades', { ...MONTH, ...MEDIANS });
    const { data, rows } = body.result;
    expect(data.rows).toEqual(await expected());
    expect(data.rows.length).toBeGreaterThan(1);
    expect(data.columns.at(-1)).toEqual({
      name: 'median_dealAmount',
      title: 'median of price',
      unit: '10,000 KRW',
      codes: null,
    });
    expect(rows).toMatchObject({ returned: data.rows.length, total: data.rows.length, next: null });
  });

  test('is so in the text and the structured content for models', async () => {
    const groups = await expected();
    const { content, data } = await resultOf('molit_apt_trades', { ...MONTH, ...MEDIANS });
    const [head, body] = content[0].text.trimEnd().split('\n\n');
    expect(head).toContain(`molit_apt_trades: ${groups.length} rows for LAWD_CD=11680`);
    expect(body.split('\n')).toEqual([
      'umdNm (neighborhood)\tcount\tmedian_dealAmount (median of price, 10,000 KRW)',
      ...groups.map((group) => group.join('\t')),
    ]);
    expect(data.rows).toEqual(groups);
    const path = '/mcp?result=structured';
    const { structuredContent } = await resultOf(
      'molit_apt_trades',
      { ...MONTH, ...MEDIANS },
      path,
    );
    expect(structuredContent).toMatchObject({ rows: groups, total: groups.length, next: null });
  });

  test('is said to be of a page if it is', async () => {
    const args = { ...MONTH, numOfRows: 10, _calc: ['median:dealAmount'] };
    const { content } = await resultOf('molit_apt_trades', args);
    expect(content[0].text).toMatch(
      /^Note: The figures are of the 10 rows of this page only, not of all \d+\. For all rows, raise numOfRows, or use _over, which reads every page\.$/m,
    );
  });

  test('is refused for a column that is misspelt', async () => {
    const { body } = await gateway.call('molit_apt_trades', {
      ...MONTH,
      _calc: ['median:dealAmont'],
    });
    expect(body.error).toMatchObject({
      code: -32602,
      data: {
        errors: [
          {
            path: '/_calc/0',
            message: 'names the unknown column "dealAmont". Did you mean dealAmount?',
          },
        ],
      },
    });
  });
});

describe('a registered API', () => {
  beforeAll(async () => {
    await registerApi(gateway, gateway.key, {
      name: 'Shop',
      spec_raw: JSON.stringify(DESCRIPTION),
      base_url: gateway.upstream.url,
    });
  });

  test('has groups of its rows, also in the forms that models invent', async () => {
    const forms = [
      { _group: ['month:at'], _calc: ['sum:price', 'max:price'], _sort: ['-sum_price'] },
      { _group: 'month:at', _calc: 'sum(price), max(price)', _sort: '-sum:price' },
      {
        _group: { month: 'at' },
        _calc: [{ sum: 'price' }, { max: 'price' }],
        _sort: { sum_price: 'desc' },
      },
    ];
    for (const form of forms) {
      const { body } = await gateway.call('list_orders', form);
      expect(body.result.data).toMatchObject({
        columns: [{ name: 'at_month' }, { name: 'sum_price' }, { name: 'max_price' }],
        rows: [
          ['2025-02', 1000.45, '1,000.25'],
          ['2025-01', 0.1, 0.1],
        ],
      });
    }
  });

  test('refuses unknown columns after the response, and names the near one', async () => {
    const { body } = await gateway.call('list_orders', { _group: ['citi'] });
    expect(body.error).toMatchObject({
      code: -32602,
      data: {
        errors: [
          { path: '/_group/0', message: 'names the unknown column "citi". Did you mean city?' },
        ],
      },
    });
  });

  test.each([{}, { cursor: 'b' }])('says of which page its figures are: %j', async (page) => {
    const { body } = await gateway.call('list_events', { ...page, _calc: ['count'] });
    expect(body.result.data.rows).toEqual([[3]]);
    expect(body.result.rows).toMatchObject({
      next: 'cursor' in page ? null : { cursor: 'b' },
      hint: 'The figures are of the 3 rows of this page only. For all rows, use _over, which reads every page.',
    });
  });

  test('sorts its rows in the payload', async () => {
    const { body } = await gateway.call('list_orders', { _sort: ['-price'], _limit: 1 });
    expect(body.result.data).toEqual({ orders: [ORDERS[1]] });
  });

  test('publishes the arguments for ranges, groups and files in at most 400 bytes', async () => {
    const { body } = await gateway.json('/api/v1/tools/list_orders');
    const { _over, _group, _calc, _sort, _link, ...others } = body.inputSchema.properties;
    const size = (properties: object) => JSON.stringify(properties).length;
    expect(size(body.inputSchema.properties) - size(others)).toBeLessThanOrEqual(400);
    for (const schema of [_over, _group, _calc, _sort])
      expect(schema).toMatchObject({ type: 'array' });
    expect(_link).toMatchObject({ type: 'boolean' });
  });
});
