import { describe, expect, it } from 'vitest';
import { failureOf, openCallPipeline } from '../../test/support/call-pipeline.ts';

const SKY = `
paths:
  /deals:
    get:
      operationId: sky_deals
      x-items: /rows
      x-total: /total
      x-titles: { price: price of the flat }
      x-units: { price: "10,000 KRW" }
      x-concise: [district]
      parameters:
        - { name: pageNo, in: query, schema: { type: integer, default: 1 } }
        - { name: numOfRows, in: query, schema: { type: integer, default: 5 } }
      responses:
        "200":
          content:
            application/json:
              schema:
                type: object
                properties:
                  rows: { type: array, items: { type: object, properties: { district: {}, date: {}, price: {}, floor: {} } } }
  /loose:
    get: { operationId: sky_loose, x-items: /rows, responses: {} }
  /forecast:
    get:
      operationId: sky_forecast
      x-items: /rows
      x-pivot: { rows: [time], category: category, value: value }
      x-units: { TMP: "℃" }
      responses:
        "200":
          content:
            application/json:
              schema:
                type: object
                properties:
                  rows: { type: array, items: { type: object, properties: { time: {}, category: {}, value: {}, nx: {} } } }
  /people:
    get:
      operationId: sky_people
      x-items: /rows
      x-cache-ttl: 0
      x-personal: [person]
      x-codes: { valid: { "01": match, "02": no match } }
      parameters:
        - { name: person, in: query, schema: { type: string } }
      responses:
        "200":
          content:
            application/json:
              schema:
                type: object
                properties:
                  rows: { type: array, items: { type: object, properties: { name: {}, valid: {} } } }
  /plain:
    get: { operationId: sky_plain, responses: {} }
`;

const DEALS = [
  { district: '11110', date: '20250131', price: '82,500', floor: 3 },
  { district: '11140', date: '20250201', price: '90,000', floor: 9 },
  { district: '11110', date: '20250102', price: '91,000', floor: 12 },
  { district: '11140', date: '20250102', price: '', floor: 10 },
];

const FORECAST = ['0900', '1000'].flatMap((time, hour) => [
  { time, category: 'TMP', value: `${10 - hour}`, nx: 60 },
  { time, category: 'SKY', value: '1', nx: 60 },
]);

async function open(body: object = { rows: DEALS, total: DEALS.length }) {
  const gateway = await openCallPipeline(SKY);
  gateway.answer({ body });
  return gateway;
}

const rowsOf = ({ data }: { readonly data: unknown }) => (data as { rows: unknown[][] }).rows;

describe('groups', () => {
  it('are a table, in the form of the data, of the rows that match, sorted and limited', async () => {
    const gateway = await open();
    const result = await gateway.call('sky_deals', {
      _where: { price: { from: 1 } },
      _group: ['district'],
      _calc: ['median:price', 'count'],
      _sort: ['-median_price'],
      _fields: ['median_price', 'district'],
      _limit: 1,
    });
    expect(result.data).toEqual({
      columns: [
        {
          name: 'median_price',
          title: 'median of price of the flat',
          unit: '10,000 KRW',
          codes: null,
        },
        { name: 'district', title: null, unit: null, codes: null },
      ],
      rows: [[90000, '11140']],
    });
    expect(result.count).toEqual({
      returned: 1,
      omitted: 1,
      total: 2,
      next: { _limit: 2 },
      hint: '1 of 2 rows are shown; a larger _limit shows more.',
    });
  });

  it('say which values are missing', async () => {
    const { count } = await (await open()).call('sky_deals', {
      _calc: ['sum:price', 'mean:floor'],
    });
    expect(count).toEqual({
      returned: 1,
      omitted: 0,
      total: 1,
      next: null,
      hint: '1 of 4 values of price are missing or not numbers, and left out.',
    });
  });

  it('come from the cache as rows do, and leave the response in it whole', async () => {
    const gateway = await open();
    await gateway.call('sky_deals', { _group: ['district'] });
    const again = await gateway.call('sky_deals', { _calc: { max: 'floor' }, _view: 'data' });
    expect([again.cacheStatus, rowsOf(again)]).toEqual(['HIT', [[12]]]);
    expect(await gateway.call('sky_deals')).toMatchObject({
      cacheStatus: 'HIT',
      data: { rows: DEALS },
    });
    expect(gateway.sent.map(({ url }) => url)).toEqual([
      'https://sky.example/deals?pageNo=1&numOfRows=5',
    ]);
  });

  it('count nothing where nothing was found', async () => {
    const gateway = await open({ rows: [], total: 0 });
    const result = await gateway.call('sky_deals', { _calc: ['count', 'sum:price'] });
    expect([result.kind, rowsOf(result)]).toEqual(['no_data', [[0, null]]]);
    expect(rowsOf(await gateway.call('sky_deals', { _group: ['district'] }))).toEqual([]);
  });

  it('do not apply to a failure', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer({ status: 500, body: { why: 'broken' } });
    const result = await gateway.call('sky_deals', { _group: ['district'] });
    expect(result).toMatchObject({ data: { why: 'broken' }, isError: true });
  });

  it('are of pivoted rows, or of the rows of the payload if a column of them is named', async () => {
    const gateway = await open({ rows: FORECAST });
    const pivoted = await gateway.call('sky_forecast', { _calc: ['count', 'mean:TMP'] });
    expect(rowsOf(pivoted)).toEqual([[2, 9.5]]);
    expect(pivoted.data).toMatchObject({ columns: [{}, { unit: '℃' }] });
    const raw = await gateway.call('sky_forecast', { _group: ['category', 'nx'] });
    expect(rowsOf(raw)).toEqual([
      ['TMP', 60, 2],
      ['SKY', 60, 2],
    ]);
    const { errors } = await failureOf(
      gateway.call('sky_forecast', { _group: ['nx'], _calc: ['max:TMP'] }),
    );
    expect(errors).toEqual([
      {
        path: '/_calc/0',
        message: 'names the unknown column "TMP". Known: time, category, value, nx.',
      },
    ]);
  });
});

describe('the figures of one page', () => {
  const part = (rest: string) =>
    `The figures are of the 4 rows of this page only${rest} _over, which reads every page.`;

  it.each<[object, object, string | undefined, object | null]>([
    [
      { total: 1234 },
      { numOfRows: 4 },
      part(', not of all 1,234. For all rows, raise numOfRows, or use'),
      { pageNo: 2 },
    ],
    [{}, { numOfRows: 4 }, part('. For all rows, raise numOfRows, or use'), { pageNo: 2 }],
    [
      { total: 9 },
      { pageNo: 2 },
      part(', not of all 9. For all rows, raise numOfRows, or use'),
      null,
    ],
    [{}, { pageNo: 2 }, part('. For all rows, raise numOfRows, or use'), null],
    [{ total: 4 }, {}, undefined, null],
    [{}, {}, undefined, null],
  ])('%j with %j', async (totals, args, hint, next) => {
    const gateway = await open({ rows: DEALS, ...totals });
    const { count } = await gateway.call('sky_deals', { ...args, _calc: ['median:floor'] });
    expect(count?.hint).toBe(hint);
    expect(count?.next).toEqual(next);
    expect(count?.total).toBe(next === null ? 1 : null);
  });

  it('stay so where groups are left out, and values are missing', async () => {
    const gateway = await open({ rows: DEALS, total: 1234 });
    const args = { numOfRows: 4, _group: ['district'], _calc: ['median:price'], _limit: 1 };
    expect((await gateway.call('sky_deals', args)).count).toMatchObject({
      next: { _limit: 2 },
      hint: `1 of 2 rows are shown; a larger _limit shows more. ${part(', not of all 1,234. For all rows, raise numOfRows, or use')} 1 of 4 values of price are missing or not numbers, and left out.`,
    });
  });

  it('are called so where rows are only sorted, too', async () => {
    const gateway = await open({ rows: DEALS, total: 1234 });
    const { count } = await gateway.call('sky_deals', {
      numOfRows: 4,
      _sort: ['-price'],
      _limit: 2,
    });
    expect(count?.hint).toContain(
      'The order is of the 4 rows of this page only, not of all 1,234.',
    );
  });
});

describe('sorted rows', () => {
  it('are in the payload, before the limit', async () => {
    const gateway = await open();
    const result = await gateway.call('sky_deals', {
      _sort: ['-price'],
      _limit: 2,
      _fields: ['price', 'floor'],
    });
    expect(result.data).toEqual({
      rows: [
        { price: '91,000', floor: 12 },
        { price: '90,000', floor: 9 },
      ],
      total: 4,
    });
  });

  it('are in the payload and the table by every digit of their numbers', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer({
      body: '{"rows":[{"n":1,"a":12345678901234567891},{"n":2,"a":12345678901234567890}]}',
    });
    const args = { _sort: ['a'], _fields: ['n'] };
    expect((await gateway.call('sky_loose', args)).data).toEqual({ rows: [{ n: 2 }, { n: 1 }] });
    expect(rowsOf(await gateway.call('sky_loose', { ...args, _view: 'table' }))).toEqual([
      [2],
      [1],
    ]);
  });

  it('are in the table, also by a column that it does not show', async () => {
    const result = await (await open()).call('sky_deals', { _sort: ['floor'], _view: 'table' });
    expect(rowsOf(result)).toEqual([['11110'], ['11140'], ['11140'], ['11110']]);
  });

  it('are a table where rows are pivoted', async () => {
    const result = await (await open({ rows: FORECAST })).call('sky_forecast', { _sort: ['TMP'] });
    expect(rowsOf(result)).toEqual([
      ['1000', '9', '1'],
      ['0900', '10', '1'],
    ]);
  });
});

describe('columns that no description names', () => {
  it.each<[Record<string, unknown>, string, string]>([
    [
      { _group: ['districts'] },
      '/_group/0',
      'names the unknown column "districts". Did you mean district?',
    ],
    [
      { _calc: ['count', 'sum:cost'] },
      '/_calc/1',
      'names the unknown column "cost". Known: district, date, price, floor.',
    ],
    [{ _sort: ['-prise'] }, '/_sort/0', 'names the unknown column "prise". Did you mean price?'],
    [
      { _sort: ['-prise'], _view: 'table' },
      '/_sort/0',
      'names the unknown column "prise". Did you mean price?',
    ],
  ])('are refused after the response: %j', async (args, path, message) => {
    const gateway = await open();
    const { code, errors, auditId } = await failureOf(gateway.call('sky_loose', args));
    expect([code, errors]).toEqual(['invalid_arguments', [{ path, message }]]);
    expect(gateway.records).toMatchObject([{ auditId, error: { code: 'invalid_arguments' } }]);
  });

  it('are accepted if a row has them', async () => {
    const gateway = await open({ rows: [{ a: 1 }, { a: 2, b: 'x' }] });
    expect(rowsOf(await gateway.call('sky_loose', { _group: ['b'] }))).toEqual([
      [null, 1],
      ['x', 1],
    ]);
    expect(rowsOf(await gateway.call('sky_loose', { _group: ['b'], _where: { a: 1 } }))).toEqual([
      [null, 1],
    ]);
  });
});

describe('bad arguments', () => {
  it.each<[Record<string, unknown>, string[]]>([
    [
      { _group: ['districts'] },
      ['/_group/0 names the unknown column "districts". Did you mean district?'],
    ],
    [
      { _calc: 'medain:price' },
      ['/_calc/0 names the unknown function "medain". Did you mean median?'],
    ],
    [
      { _group: [], _calc: ['sum:cost'] },
      [
        '/_group must be a list of at least one text.',
        '/_calc/0 names the unknown column "cost". Known: district, date, price, floor.',
      ],
    ],
    [
      { _group: ['district'], _fields: ['price'] },
      ['/_fields/0 is not a column. Columns: district, count.'],
    ],
    [
      { _group: ['district'], _sort: ['price'] },
      ['/_sort/0 names the unknown column "price". Known: district, count.'],
    ],
  ])('%j are refused before the request', async (args, issues) => {
    const gateway = await open();
    const { code, errors } = await failureOf(gateway.call('sky_deals', args));
    expect(code).toBe('invalid_arguments');
    expect(errors.map(({ path, message }) => `${path} ${message}`)).toEqual(issues);
    expect(gateway.sent).toEqual([]);
  });

  it('are refused by tools without rows', async () => {
    const { errors } = await failureOf((await open()).call('sky_plain', { _group: ['a'] }));
    expect(errors.map(({ path }) => path)).toEqual(['/_group']);
  });

  it('are personal columns, and not those with a vocabulary', async () => {
    const gateway = await open({
      rows: [
        { name: 'Kim', valid: '01' },
        { name: 'Lee', valid: '01' },
      ],
    });
    const { errors } = await failureOf(
      gateway.call('sky_people', { _group: ['name'], _calc: ['first:name'] }),
    );
    expect(errors).toEqual(
      ['/_group/0', '/_calc/0'].map((path) => ({
        path,
        message: 'may hold personal data, which is neither grouped nor calculated.',
      })),
    );
    expect(gateway.sent).toEqual([]);
    expect(rowsOf(await gateway.call('sky_people', { _group: ['valid'] }))).toEqual([['match', 2]]);
  });

  it('are absent where they are empty texts or null', async () => {
    const args = { _group: null, _calc: '', _sort: ' ' };
    expect(await (await open()).call('sky_deals', args)).toMatchObject({ data: { rows: DEALS } });
  });
});
