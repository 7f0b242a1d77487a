import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { answerRanges, dealsOf, RANGE_PRESET } from '../support/range-upstream.ts';
import { verifies } from './requirements.ts';

describe.each(GATEWAY_BACKENDS)('a range in one call ($name)', (backend) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({
      backend,
      presets: { ranges: RANGE_PRESET },
      env: { RATE_LIMIT_PER_MINUTE: '0' },
    });
  });
  afterAll(() => gateway.close());
  beforeEach(() => {
    gateway.upstream.answer(answerRanges);
    gateway.upstream.seen.length = 0;
  });

  const over = async (args: object, key?: string) =>
    (await gateway.call('range_deals', { region: '11110', ...args }, key)).body;

  test(verifies('range.table'), async () => {
    const { result } = await over({ _over: ['month=202501..202503'], _fields: ['month', 'id'] });
    const rows = ['202501', '202502', '202503'].flatMap((month) =>
      dealsOf('11110', month).map(({ id }) => [month, id]),
    );
    expect(result).toMatchObject({
      complete: true,
      units: { done: 3, total: 3, failed: 0 },
      rows: { returned: rows.length, total: rows.length, next: null },
    });
    expect(result.data.rows).toEqual(rows);
  });

  test(verifies('range.again'), async () => {
    let answers = 0;
    gateway.upstream.answer((_request, response) => {
      const isFirst = ++answers === 1;
      const items = Array.from({ length: answers % 2 === 1 ? 100 : 20 }, (_, n) => ({
        id: `${answers % 2}-${n}`,
      }));
      const body = JSON.stringify({ items, total: isFirst ? 121 : 120 });
      response.setHeader('content-type', 'application/json').end(body);
    });
    const args = { kind: 'again', _over: ['month=202501'] };
    expect((await over(args)).result).toMatchObject({ complete: true, rows: { returned: 120 } });
    expect(answers).toBe(4);
    expect((await over(args)).result).toMatchObject({ complete: true, cacheStatus: 'HIT' });
    expect(answers).toBe(4);
  });

  test(verifies('range.records'), async () => {
    const { key } = await gateway.createKey('recorded');
    const { result } = await over({ kind: 'records', _over: ['month=202501,202502'] }, key);
    const requests = gateway.upstream.seen.length;
    await expect
      .poll(async () => (await gateway.json('/api/v1/audit', { key })).body.records.length)
      .toBe(requests + 1);
    const { records } = (await gateway.json('/api/v1/audit', { key })).body;
    const ids = records.map(({ partOf }: { partOf: string | null }) => partOf);
    expect(ids.filter((id: string | null) => id === result.auditId)).toHaveLength(requests);
    expect(ids.filter((id: string | null) => id === null)).toHaveLength(1);
  });

  test(verifies('range.limits', 'range.dry-run'), async () => {
    const { key } = await gateway.createKey('limited', { dailyLimit: 40 });
    const dry = async () =>
      (await over({ _over: ['month=202501..202512'], _dry_run: true }, key)).result;
    const before = (await dry()).data;
    expect(before).toMatchObject({ units: 12, requests: 12, left: { day: 39 }, fits: true });
    expect(gateway.upstream.seen).toEqual([]);
    const { result } = await over({ kind: 'limits', _over: ['month=202501..202505'] }, key);
    expect(result.complete).toBe(true);
    const sent = gateway.upstream.seen.length;
    expect((await dry()).data.left.day).toBe(39 - sent - 2);
    const { error } = await over({ _over: ['month=202201..202512'] }, key);
    expect(error.message).toMatch(/48 units and needs at least 48 requests.* leaves \d+ requests/);
    expect(gateway.upstream.seen).toHaveLength(sent);
  });
});
