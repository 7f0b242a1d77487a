import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

const PLACE = { nx: 60, ny: 127, base_date: '20261120', base_time: '0600' };
const TOOL = 'kma_ultra_short_nowcast';

describe('_fields and _limit', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.close());

  const requestsSeen = async (): Promise<number> => {
    const response = await fetch(`${gateway.sandbox.url}/_sandbox/requests`);
    const { total } = (await response.json()) as { total: number };
    return total;
  };

  const rowsOf = (data: { response: { body: { items: { item: unknown[] } } } }): unknown[] =>
    data.response.body.items.item;

  it('select the named rows and columns, after the cache', async () => {
    const all = (await gateway.call(TOOL, PLACE)).body.result;
    const { length } = rowsOf(all.data);
    expect(all.rows).toEqual({ returned: length, omitted: 0, total: length, next: null });
    const some = (
      await gateway.call(TOOL, { ...PLACE, _fields: ['category', 'obsrValue'], _limit: 2 })
    ).body.result;
    expect(some.cacheStatus).toBe('HIT');
    expect(rowsOf(some.data)).toEqual(
      (rowsOf(all.data) as { category: string; obsrValue: string }[])
        .slice(0, 2)
        .map(({ category, obsrValue }) => ({ category, obsrValue })),
    );
    expect(some.rows).toMatchObject({
      returned: 2,
      omitted: length - 2,
      next: { _limit: length },
      hint: expect.stringContaining('_limit'),
    });
    expect(some.upstream.url).not.toContain('_limit');
  });

  it('record the size of what was sent', async () => {
    const { auditId, data } = (await gateway.call(TOOL, { ...PLACE, _limit: 1 })).body.result;
    const { body } = await gateway.json(`/api/v1/audit/${auditId}`);
    const { responseBytes: whole } = (
      await gateway.json('/api/v1/audit?limit=100')
    ).body.records.at(-1);
    expect(body.responseBytes).toBeLessThan(whole / 2);
    expect(rowsOf(data)).toHaveLength(1);
    expect(body.responseTokens).toBe(Math.ceil(body.responseBytes / 3));
    expect(body.arguments).toMatchObject({ _limit: 1 });
  });

  it.each([
    [{ _fields: ['category', 'nothing'] }, '/_fields/1', 'category'],
    [{ _fields: [] }, '/_fields', ''],
    [{ _fields: true }, '/_fields/0', 'is not a column'],
    [{ _limit: 0 }, '/_limit', '1'],
    [{ _limit: 'two' }, '/_limit', 'integer'],
  ])('are refused as %j before anything is sent', async (selection, path, says) => {
    const before = await requestsSeen();
    const { error } = (await gateway.call(TOOL, { nx: 61, ny: 126, ...selection })).body;
    expect(error.code).toBe(-32602);
    expect(error.data.errors).toEqual([{ path, message: expect.stringContaining(says) }]);
    expect(await requestsSeen()).toBe(before);
  });

  it('leave a response without rows unchanged', async () => {
    await gateway.fault(TOOL, 'quota');
    const { result } = (await gateway.call(TOOL, { nx: 62, ny: 126, _limit: 1 })).body;
    expect(result.publicData.code).toBe('22');
    expect(result.rows).toBeUndefined();
  });
});
