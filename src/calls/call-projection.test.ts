import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failureOf, openCallPipeline } from '../../test/support/call-pipeline.ts';

const SKY = `
paths:
  /rows:
    get:
      operationId: sky_rows
      x-items: /body/rows
      x-total: /body/total
      parameters:
        - { name: page, in: query, schema: { type: integer, default: 1 } }
      responses:
        "200":
          content:
            application/json:
              schema:
                type: object
                properties:
                  body:
                    type: object
                    properties:
                      rows: { type: array, items: { type: object, properties: { a: {}, b: {}, c: {} } } }
  /far:
    get:
      operationId: sky_far
      x-items: /rows
      x-total: /total
      x-max-rows: 10
      parameters:
        - { name: page, in: query, schema: { type: integer, default: 1 } }
        - { name: limit, in: query, schema: { type: integer, default: 3 } }
      responses: {}
  /loose:
    get: { operationId: sky_loose, x-items: /rows, x-total: /total, responses: {} }
  /plain:
    get: { operationId: sky_plain, responses: {} }
`;

const ROWS = [
  { a: 1, b: 'x' },
  { a: 2, b: 'y', c: null },
  { b: 'z', a: 3 },
];
const bodyOf = (total?: number) => ({ body: { rows: ROWS, total } });

const open = async (total?: number) => {
  const gateway = await openCallPipeline(SKY);
  gateway.answer({ body: bodyOf(total) });
  return gateway;
};

describe('projected rows', () => {
  it('are the first rows up to the limit, with the total and how to get the rest', async () => {
    const result = await (await open(7)).call('sky_rows', { _limit: 2 });
    expect(result).toMatchObject({ data: { body: { rows: ROWS.slice(0, 2), total: 7 } }, rows: 2 });
    expect(result.count).toStrictEqual({
      returned: 2,
      omitted: 1,
      total: 7,
      next: { _limit: 3 },
      hint: '2 of 3 rows are shown; a larger _limit shows more. There are 7 rows in all.',
    });
  });

  it('name the page after the requested one', async () => {
    const result = await (await open(30)).call('sky_rows', { page: 2, _limit: 3 });
    expect(result.count).toMatchObject({
      next: { page: 3 },
      hint: 'The source has 30 rows in all; page=3 gives the next ones.',
    });
  });

  it('name no next page beyond those that the upstream gives', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer({ body: { rows: ROWS, total: 30 } });
    expect((await gateway.call('sky_far', { page: 2 })).count?.next).toEqual({ page: 3 });
    expect((await gateway.call('sky_far', { page: 3 })).count).toStrictEqual({
      returned: 3,
      omitted: 0,
      total: 30,
      next: null,
    });
    expect((await gateway.call('sky_far', { page: 2, limit: 5 })).count?.next).toBeNull();
    const sent = gateway.sent.length;
    const { errors } = await failureOf(gateway.call('sky_far', { page: 4 }));
    expect(errors).toEqual([
      {
        path: '/page',
        message:
          'is beyond what the source gives, which is the first 10 rows. Keep page times limit within 10, or narrow the question.',
      },
    ]);
    expect(gateway.sent).toHaveLength(sent);
  });

  it('name no next page if the tool has no pages', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer({ body: { rows: ROWS, total: 30 } });
    const { count } = await gateway.call('sky_loose', { _limit: 1 });
    expect(count).toStrictEqual({
      returned: 1,
      omitted: 2,
      total: 30,
      next: { _limit: 3 },
      hint: '1 of 3 rows are shown; a larger _limit shows more. There are 30 rows in all.',
    });
  });

  it('are the unchanged response if the caller chooses none', async () => {
    const result = await (await open(7)).call('sky_rows');
    expect(result).toMatchObject({ data: bodyOf(7), rows: 3 });
    expect(result.count).toMatchObject({ returned: 3, total: 7, next: { page: 2 } });
  });

  it('are chosen by the gateway: the upstream request is the same, and the cache holds all rows', async () => {
    const gateway = await open(7);
    await gateway.call('sky_rows', { _limit: 1, _fields: ['a'] });
    expect(gateway.sent.map(({ url }) => url)).toEqual(['https://sky.example/rows?page=1']);
    expect(await gateway.call('sky_rows')).toMatchObject({ cacheStatus: 'HIT', rows: 3 });
    expect(await gateway.call('sky_rows', { _limit: 2 })).toMatchObject({
      cacheStatus: 'HIT',
      rows: 2,
    });
  });

  it('determine the recorded size, and the record has the projection arguments', async () => {
    const gateway = await open(7);
    const { bytes } = await gateway.call('sky_rows', { _limit: 1, _fields: ['a'] });
    expect(bytes).toBe(JSON.stringify({ body: { rows: [{ a: 1 }], total: 7 } }).length);
    expect(gateway.records).toMatchObject([
      { responseBytes: bytes, arguments: { _limit: 1, _fields: ['a'] }, outcome: 'ok' },
    ]);
  });

  it('do not apply to a response without rows', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer({ status: 404, body: { why: 'gone' } });
    const result = await gateway.call('sky_rows', { _limit: 1, _fields: ['a'] });
    expect(result).toMatchObject({ data: { why: 'gone' }, isError: true });
    expect(result.count).toBeUndefined();
  });
});

describe('unknown columns', () => {
  it('are rejected one by one, and the known columns are listed once', async () => {
    const gateway = await open();
    const failure = await failureOf(gateway.call('sky_rows', { _fields: ['a', 'x', 'y'] }));
    expect(failure.code).toBe('invalid_arguments');
    expect(failure.errors).toEqual([
      { path: '/_fields/1', message: 'is not a column. Columns: a, b, c.' },
      { path: '/_fields/2', message: 'is not a column either.' },
    ]);
    expect(gateway.sent).toEqual([]);
    expect(gateway.records).toMatchObject([{ error: { code: 'invalid_arguments' } }]);
  });

  it('are reported together with all other issues', async () => {
    const gateway = await open();
    const { errors } = await failureOf(gateway.call('sky_rows', { page: 'x', _fields: ['x'] }));
    expect(errors.map(({ path }) => path)).toEqual(['/page', '/_fields/0']);
  });

  it('are one fault each, even if they are not texts', async () => {
    const gateway = await open();
    const { errors } = await failureOf(gateway.call('sky_rows', { _fields: [5] }));
    expect(errors).toEqual([{ path: '/_fields/0', message: 'is not a column. Columns: a, b, c.' }]);
  });

  it('are simply absent if the columns of the tool are not known', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer({ body: { rows: ROWS } });
    expect(await gateway.call('sky_loose', { _fields: ['a', 'x'] })).toMatchObject({
      data: { rows: [{ a: 1 }, { a: 2 }, { a: 3 }] },
    });
  });
});

const COLUMNS = ['a', 'b', '한', 'c"d'];
const rows = fc.array(fc.dictionary(fc.constantFrom(...COLUMNS), fc.jsonValue({ maxDepth: 1 })), {
  maxLength: 8,
});
const selection = fc.record(
  {
    _limit: fc.integer({ min: 1, max: 10 }),
    _fields: fc.subarray(COLUMNS, { minLength: 1 }),
  },
  { requiredKeys: [] },
);

it('any projection is a part of the response, in its order, with correct counts', async () => {
  const gateway = await openCallPipeline(SKY);
  await fc.assert(
    fc.asyncProperty(rows, selection, async (all, { _limit, _fields }) => {
      const body = JSON.parse(JSON.stringify({ rows: all, total: all.length }));
      gateway.answer({ body });
      gateway.pass(60_000);
      const result = await gateway.call('sky_loose', {
        ...(_limit === undefined ? {} : { _limit }),
        ...(_fields === undefined ? {} : { _fields }),
      });
      const expected: object[] = body.rows.slice(0, _limit ?? all.length);
      const entries = expected.map((row) =>
        Object.entries(row).filter(([name]) => _fields?.includes(name) ?? true),
      );
      expect(result.data).toEqual({
        rows: entries.map((row) => Object.fromEntries(row)),
        total: all.length,
      });
      expect(result.rows).toBe(expected.length);
      if (_limit !== undefined || _fields !== undefined) {
        expect(result.count).toMatchObject({
          returned: expected.length,
          omitted: all.length - expected.length,
        });
      }
      expect(gateway.records.at(-1)?.responseBytes).toBe(result.bytes);
    }),
  );
});
