import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { answerRanges, dealsOf, RANGE_PRESET } from '../../../test/support/range-upstream.ts';

let gateway: TestGateway;
let tenants = 0;
beforeAll(async () => {
  gateway = await startTestGateway({
    presets: { ranges: RANGE_PRESET },
    env: { RATE_LIMIT_PER_MINUTE: '0' },
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.answer(answerRanges);
  gateway.upstream.seen.length = 0;
});

const resultOf = async (name: string, args: unknown, key?: string) => {
  const { result, error } = (await gateway.call(name, args, key)).body;
  expect(error).toBeUndefined();
  return result;
};
const errorOf = async (name: string, args: unknown, key?: string) =>
  (await gateway.call(name, args, key)).body.error;

/** What was asked of the upstream at a path, as `name=value` of some parameters. */
const asked = (path: string, names: readonly string[]): string[] =>
  gateway.upstream.seen.flatMap(({ url }) => {
    const { pathname, searchParams: query } = new URL(url, 'http://range.invalid');
    const parts = names.map((name) => query.get(name));
    return pathname === path ? [parts.join(' ')] : [];
  });
const askedDeals = (): string[] => asked('/deals', ['region', 'month', 'pageNo']);

const columnsOf = (result: { data: { columns: { name: string }[] } }) =>
  result.data.columns.map(({ name }) => name);
const column = (result: { data: { rows: unknown[][] } }, at: number) => [
  ...new Set(result.data.rows.map((row) => row[at])),
];

const byText = (a: string, b: string): number => a.localeCompare(b);

const newKey = (options = {}) => gateway.createKey(`tenant-${++tenants}`, options);

describe('a range', () => {
  it('is one table of the rows of all units, with what varied in front, and asks for each page once', async () => {
    const result = await resultOf('range_deals', {
      _over: ['region=11110,11140', 'month=202501..202503'],
      _fields: ['id', 'price'],
    });
    const rows = ['11110', '11140'].flatMap((region) =>
      ['202501', '202502', '202503'].flatMap((month) =>
        dealsOf(region, month).map(({ id, price }) => [region, month, id, price]),
      ),
    );
    expect(result).toMatchObject({
      outcome: 'ok',
      complete: true,
      units: { done: 6, total: 6, failed: 0 },
      rows: { returned: rows.length, omitted: 0, total: rows.length, next: null },
      cacheStatus: 'MISS',
    });
    expect(columnsOf(result)).toEqual(['region', 'month', 'id', 'price']);
    expect(result.data.rows).toEqual(rows);
    const pages = askedDeals();
    expect(new Set(pages).size).toBe(pages.length);
    expect(pages).toHaveLength(
      ['11110', '11140']
        .flatMap((region) => ['202501', '202502', '202503'].map((month) => dealsOf(region, month)))
        .reduce((sum, deals) => sum + Math.max(1, Math.ceil(deals.length / 100)), 0),
    );
    expect(asked('/deals', ['numOfRows'])).toContain('100');
  });

  it('takes what is cached, and says so', async () => {
    const args = { _over: ['month=202506..202507'], region: '11110' };
    await resultOf('range_deals', args);
    const before = askedDeals().length;
    expect(await resultOf('range_deals', args)).toMatchObject({
      cacheStatus: 'HIT',
      complete: true,
    });
    expect(askedDeals()).toHaveLength(before);
  });

  it.each(['Seoul', '서울', '서울특별시'])('is of the 25 districts within %s', async (place) => {
    const result = await resultOf('range_deals', {
      month: '202502',
      _over: [`region=within:${place}`],
    });
    expect(result.units).toEqual({ done: 25, total: 25, failed: 0 });
    const [{ codes }] = result.data.columns;
    expect(Object.keys(codes).every((code) => code.startsWith('11'))).toBe(true);
    expect(column(result, 0).every((name) => Object.values(codes).includes(name))).toBe(true);
  });

  it.each<[unknown, string[]]>([
    [{ month: { from: '202501', to: '202502' } }, ['202501', '202502']],
    [{ month: { in: ['202501', '202503'] } }, ['202501', '202503']],
    [['month=202411..202502'], ['202411', '202412', '202501', '202502']],
    [['month=2024-11..2024-12'], ['202411', '202412']],
    ['month=202501', ['202501']],
  ])('is read in all notations: %j', async (over, months) => {
    const result = await resultOf('range_deals', { region: '11680', _over: over });
    expect(result.units.total).toBe(months.length);
    expect(column(result, 0)).toEqual(months.filter((month) => dealsOf('11680', month).length > 0));
  });

  it('has the codes that names stand for', async () => {
    const result = await resultOf('range_deals', {
      month: '202501',
      _over: ['region=Gangnam-gu,서초구'],
    });
    expect(column(result, 0)).toEqual(['11680', '11650']);
  });

  it('is divided into pieces that the upstream takes', async () => {
    const result = await resultOf('range_days', { _over: ['first=20250101..20250131'] });
    expect(result).toMatchObject({ complete: true, units: { total: 4 }, rows: { returned: 31 } });
    expect(asked('/days', ['first', 'last']).toSorted(byText)).toEqual([
      '20250101 20250110',
      '20250111 20250120',
      '20250121 20250130',
      '20250131 20250131',
    ]);
    const months = await resultOf('range_days', { _over: ['first=202401..202402'] });
    expect(months).toMatchObject({ complete: true, rows: { returned: 60 } });
  });

  it('follows pages without a total until one is short', async () => {
    const result = await resultOf('range_open', { _over: ['n=999..1001'] });
    expect(result).toMatchObject({ complete: true, rows: { returned: 3000 } });
    expect(asked('/open', ['n', 'pageNo']).toSorted(byText)).toEqual([
      '1000 1',
      '1000 2',
      '1001 1',
      '1001 2',
      '999 1',
    ]);
  });

  it('is filtered, cut and reduced as one answer', async () => {
    const all = ['202501', '202502'].flatMap((month) =>
      dealsOf('11110', month).map((deal) => ({ month, ...deal })),
    );
    const dear = all.filter(({ price }) => price >= 50_000);
    const result = await resultOf('range_deals', {
      region: '11110',
      _over: ['month=202501..202502'],
      _where: { price: { from: 50_000 } },
      _fields: ['price', 'month'],
      _limit: 3,
    });
    expect(columnsOf(result)).toEqual(['price', 'month']);
    expect(result.data.rows).toEqual(dear.slice(0, 3).map(({ price, month }) => [price, month]));
    expect(result.rows).toMatchObject({
      returned: 3,
      omitted: dear.length - 3,
      total: dear.length,
    });
    const one = await resultOf('range_deals', {
      region: '11110',
      _over: ['month=202501..202502'],
      _where: { month: '202502' },
    });
    expect(one.rows.returned).toBe(dealsOf('11110', '202502').length);
  });

  it('is grouped, calculated and sorted as one answer', async () => {
    const regions = ['11110', '11140', '11170'];
    const result = await resultOf('range_deals', {
      _over: [`region=${regions}`, 'month=202501..202503'],
      _group: ['region'],
      _calc: ['sum:price', 'count'],
      _sort: ['-sum_price'],
    });
    const expected = regions
      .map((region) => {
        const deals = ['202501', '202502', '202503'].flatMap((month) => dealsOf(region, month));
        return [region, deals.reduce((sum, { price }) => sum + price, 0), deals.length] as const;
      })
      .toSorted((a, b) => b[1] - a[1]);
    expect(columnsOf(result)).toEqual(['region', 'sum_price', 'count']);
    expect(result.data.rows).toEqual(expected);
    expect(result).toMatchObject({ complete: true, rows: { returned: 3, total: 3 } });
  });

  it('is sorted by any column, and names a column that does not exist', async () => {
    const args = { region: '11110', _over: ['month=202501..202502'], _fields: ['month', 'price'] };
    const { data } = await resultOf('range_deals', { ...args, _sort: ['-month', 'price'] });
    const deals = ['202502', '202501'].flatMap((month) =>
      dealsOf('11110', month)
        .map(({ price }) => [month, price] as const)
        .toSorted((a, b) => a[1] - b[1]),
    );
    expect(data.rows).toEqual(deals);
    const error = await errorOf('range_deals', { ...args, _sort: ['weather'], _fields: ['*'] });
    expect(error).toMatchObject({ code: -32602, data: { errors: [{ path: '/_sort/0' }] } });
  });

  it('without rows is no data', async () => {
    gateway.upstream.answer((_request, response) => {
      response.setHeader('content-type', 'application/json').end('{"items":[],"total":0}');
    });
    const result = await resultOf('range_deals', {
      region: '11215',
      _over: ['month=203001..203002'],
    });
    expect(result).toMatchObject({ outcome: 'no_data', complete: true, rows: { returned: 0 } });
  });
});

describe('the file of a range', () => {
  /** The lines of a CSV file, without its byte order mark. */
  const linesOf = async (link: { csv: string }): Promise<string[]> => {
    const response = await fetch(link.csv);
    expect(response.status).toBe(200);
    return (await response.text()).replace('\uFEFF', '').trim().split('\r\n');
  };

  it('comes by itself if a result cannot hold all rows, and has them all in order', async () => {
    const result = await resultOf('range_open', { _over: ['n=2998..3000'] });
    expect(result).toMatchObject({
      complete: true,
      rows: { returned: 5000, omitted: 3997, total: 8997, link: { csv: expect.any(String) } },
    });
    expect(result.data.rows).toHaveLength(5000);
    const lines = await linesOf(result.rows.link);
    expect(lines).toHaveLength(8998);
    expect([lines[0], lines[1], lines[2999], lines.at(-1)]).toEqual([
      'n,row',
      '2998,0',
      '2999,0',
      '3000,2999',
    ]);
  });

  it('has what was asked for, whatever the limit', async () => {
    const result = await resultOf('range_deals', {
      region: '11110',
      kind: 'file',
      _over: ['month=202501..202502'],
      _fields: ['id', 'month'],
      _limit: 2,
      _link: true,
    });
    const deals = ['202501', '202502'].flatMap((month) =>
      dealsOf('11110', month).map(({ id }) => `${id},${month}`),
    );
    expect(result.rows).toMatchObject({ returned: 2, omitted: deals.length - 2 });
    expect(await linesOf(result.rows.link)).toEqual(['id,month', ...deals]);
  });

  it('has groups', async () => {
    const result = await resultOf('range_deals', {
      region: '11110',
      kind: 'file',
      _over: ['month=202501..202503'],
      _group: ['month'],
      _calc: ['count'],
      _link: true,
    });
    expect((await linesOf(result.rows.link)).slice(0, 2)).toEqual([
      'month,count',
      `202501,${dealsOf('11110', '202501').length}`,
    ]);
  });
});

describe('a unit', () => {
  /** Answers page by page; the rows and the total of a page are what the test says. */
  const paged = (page: (n: number, attempt: number) => { items: unknown[]; total?: number }) => {
    const attempts = new Map<number, number>();
    gateway.upstream.answer((request, response) => {
      const n = Number(new URL(request.url, 'http://range.invalid').searchParams.get('pageNo'));
      const attempt = (attempts.get(n) ?? 0) + 1;
      attempts.set(n, attempt);
      const body = JSON.stringify(page(n, attempt));
      response.setHeader('content-type', 'application/json').end(body);
    });
  };
  const rows = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({ id: from + n }));
  const ask = (kind: string) =>
    resultOf('range_deals', { region: '11110', kind, _over: ['month=202501'] });

  it('is asked once more, past the cache, if its total changed', async () => {
    paged((n, attempt) => ({
      items: n === 1 ? rows(0, 100) : rows(100, 50),
      total: n === 1 && attempt === 1 ? 149 : 150,
    }));
    const result = await ask('changed');
    expect(result).toMatchObject({ complete: true, rows: { returned: 150 } });
    expect(askedDeals()).toEqual([
      '11110 202501 1',
      '11110 202501 2',
      '11110 202501 1',
      '11110 202501 2',
    ]);
  });

  it.each<[string, Parameters<typeof paged>[0], string]>([
    [
      'repeats a row',
      (n) => ({ items: n === 1 ? rows(0, 100) : rows(99, 50), total: 150 }),
      'repeats rows',
    ],
    [
      'has fewer rows than its total',
      (n) => ({ items: n === 1 ? rows(0, 90) : [], total: 95 }),
      'Only 90 of 95',
    ],
    ['has more rows than its total', () => ({ items: rows(0, 90), total: 80 }), 'Only 90 of 80'],
    ['changes its total', (n) => ({ items: rows(n * 100, 100), total: 200 + n }), 'total changed'],
    [
      'ends with an empty page',
      (n) => ({ items: n === 1 ? rows(0, 100) : [], total: 150 }),
      'Only 100 of 150',
    ],
  ])('that %s is asked once more, and then counts as failed', async (name, page, reason) => {
    paged(page);
    const result = await ask(name);
    expect(result).toMatchObject({
      complete: false,
      units: { done: 0, total: 1, failed: 1 },
      rows: { returned: 0, total: null },
    });
    const [failure] = result.units.failures;
    expect(failure).toEqual({ unit: { month: '202501' }, reason: expect.stringContaining(reason) });
    expect(result.rows.hint).toContain('Not complete: 0 of 1 units came.');
    expect(askedDeals().filter((page_) => page_ === '11110 202501 1')).toHaveLength(2);
  });

  it('that fails leaves the others whole', async () => {
    gateway.upstream.answer((request, response) => {
      if (request.url.includes('202502')) response.statusCode = 400;
      return answerRanges(request, response);
    });
    const result = await resultOf('range_deals', {
      region: '11110',
      kind: 'one fails',
      _over: ['month=202501..202503'],
    });
    expect(result).toMatchObject({
      outcome: 'ok',
      complete: false,
      units: { done: 2, total: 3, failed: 1, failures: [{ unit: { month: '202502' } }] },
      rows: { total: null },
    });
    expect(column(result, 0)).toEqual(['202501', '202503']);
  });

  it('is the failure of the call if none came', async () => {
    gateway.upstream.answer((_request, response) => {
      response.statusCode = 403;
      response.end('no');
    });
    const result = await ask('forbidden');
    expect(result).toMatchObject({
      outcome: 'failed',
      complete: false,
      units: { done: 0, failed: 1 },
    });
  });

  it('ends after 1,000 requests, however many pages the upstream has', async () => {
    gateway.upstream.answer((request, response) => {
      const n = Number(new URL(request.url, 'http://range.invalid').searchParams.get('pageNo'));
      const body = JSON.stringify({
        items: Array.from({ length: 1000 }, (_, row) => ({ id: n * 1000 + row })),
      });
      response.setHeader('content-type', 'application/json').end(body);
    });
    const result = await resultOf('range_open', { _over: ['n=7'] });
    expect(result).toMatchObject({ complete: false, units: { done: 0, failed: 0, total: 1 } });
    expect(result.rows.hint).toContain('at most 1,000 requests');
    expect(asked('/open', ['pageNo'])).toHaveLength(1000);
  });
});

describe('the cost of a range', () => {
  it('is told by a dry run alone, which asks nothing', async () => {
    const { key } = await newKey({ dailyLimit: 500 });
    const args = { _over: ['region=within:Seoul', 'month=202401..202412'], _dry_run: true };
    const result = await resultOf('range_deals', args, key);
    expect(result).toMatchObject({ outcome: 'ok', auditId: expect.stringMatching(/^aud_/) });
    expect(result.data).toMatchObject({
      units: 300,
      requests: 300,
      left: { day: 499, quota: expect.any(Number) },
      maxRequests: 1000,
      fits: true,
    });
    expect(askedDeals()).toEqual([]);
  });

  it('is said if it is more than 1,000 requests', async () => {
    const over = ['region=within:Seoul', 'month=202001..202512'];
    expect(await errorOf('range_deals', { _over: over })).toMatchObject({
      code: -32602,
      data: {
        errors: [
          {
            path: '/_over',
            message: expect.stringContaining('1,800 units and needs at least 1,800 requests'),
          },
        ],
      },
    });
    const dry = await resultOf('range_deals', { _over: over, _dry_run: true });
    expect(dry.data).toMatchObject({ units: 1800, fits: false });
    expect(askedDeals()).toEqual([]);
  });

  it('is said if the day of the key has no room', async () => {
    const { key } = await newKey({ dailyLimit: 20 });
    const error = await errorOf(
      'range_deals',
      { region: '11110', _over: ['month=202301..202412'] },
      key,
    );
    expect(error.data).toMatchObject({
      retryAfterSeconds: expect.any(Number),
    });
    expect(error.message).toContain('24 units');
    expect(error.message).toContain('leaves 19 requests');
    expect(askedDeals()).toEqual([]);
  });

  it('is said if the quota of the provider has no room', async () => {
    const { key } = await newKey();
    const over = ['region=within:Seoul', 'month=202101..202312'];
    const error = await errorOf('range_deals', { kind: 'quota', _over: over }, key);
    expect(error.data).toMatchObject({ reason: 'quota' });
    expect(error.message).toMatch(
      /900 units .* The quota of the provider leaves \d+ requests today/,
    );
    expect(askedDeals()).toEqual([]);
  });
});

describe('the limits', () => {
  it('count every request of a range', async () => {
    const { key } = await newKey({ dailyLimit: 30 });
    await resultOf(
      'range_deals',
      { region: '11110', kind: 'a', _over: ['month=202401..202412'] },
      key,
    );
    const used = askedDeals().length;
    const dry = await resultOf(
      'range_deals',
      { region: '11110', _over: ['month=202401'], _dry_run: true },
      key,
    );
    expect(dry.data.left.day).toBe(30 - used - 2);
  });

  it('end a range whose minute is used up for longer than it may wait', async () => {
    const { key } = await newKey({ rateLimitPerMinute: 10 });
    const result = await resultOf('range_open', { _over: ['n=1..30'] }, key);
    expect(result).toMatchObject({ complete: false, units: { done: 9, total: 30, failed: 0 } });
    expect(result.rows.hint).toMatch(/The rate limit has room again in \d+ s/);
    expect(asked('/open', ['n'])).toHaveLength(9);
  });

  it('end a range when the day is used up by further pages', async () => {
    const { key } = await newKey({ dailyLimit: 8 });
    const result = await resultOf('range_open', { _over: ['n=1001..1005'] }, key);
    expect(result.complete).toBe(false);
    expect(result.rows.hint).toContain('The daily limit of this API key');
    expect(asked('/open', ['n'])).toHaveLength(7);
  });

  it('let a tenant run three ranges at once, and another tenant its own', async () => {
    const released = Promise.withResolvers<void>();
    gateway.upstream.answer(async (request, response) => {
      await released.promise;
      return answerRanges(request, response);
    });
    const [{ key }, { key: other }] = [await newKey(), await newKey()];
    const range = (n: number, as: string) => gateway.call('range_open', { _over: [`n=${n}`] }, as);
    const running = [1, 2, 3].map((n) => range(n, key));
    await expect.poll(() => asked('/open', ['n']).length).toBe(3);
    const refused = (await range(4, key)).body.error;
    expect(refused.data).toMatchObject({ reason: 'overloaded', retryable: true });
    const others = range(5, other);
    await expect.poll(() => asked('/open', ['n']).length).toBe(4);
    released.resolve();
    for (const { body } of await Promise.all([...running, others]))
      expect(body.result.complete).toBe(true);
    expect((await range(6, key)).body.result.complete).toBe(true);
  });
});

describe('a client that disconnects', () => {
  it('stops the requests of its range', async () => {
    const controller = new AbortController();
    let open = 0;
    gateway.upstream.answer((_request, response) => {
      open++;
      response.on('close', () => open--);
    });
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'range_open', arguments: { _over: ['n=1..20'] } },
    };
    const gone = gateway
      .fetch('/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: controller.signal,
      })
      .catch(() => 'gone');
    await expect.poll(() => open).toBe(4);
    controller.abort();
    expect(await gone).toBe('gone');
    await expect.poll(() => open).toBe(0);
    expect(asked('/open', ['n'])).toHaveLength(4);
  });
});

describe('the records of a range', () => {
  it('are one for the call, and one for each request, with the id of the call', async () => {
    const { key } = await newKey();
    const { auditId } = await resultOf('range_open', { _over: ['n=1,2,3'] }, key);
    const { records } = (await gateway.json('/api/v1/audit', { key })).body;
    const parts = records.filter(({ partOf }: { partOf: string | null }) => partOf !== null);
    expect(records).toHaveLength(4);
    expect(parts.map(({ partOf }: { partOf: string }) => partOf)).toEqual(Array(3).fill(auditId));
    const [outer] = records.filter(({ partOf }: { partOf: string | null }) => partOf === null);
    expect(outer).toMatchObject({ auditId, arguments: { _over: ['n=1,2,3'] }, outcome: 'ok' });
    expect(
      parts
        .map((part: { arguments: { n: number } }) => part.arguments.n)
        .toSorted((a: number, b: number) => a - b),
    ).toEqual([1, 2, 3]);
  });
});

it('an _over that is null is none, and a dry run without one is refused', async () => {
  const args = { region: '11110', month: '202501' };
  expect(await resultOf('range_deals', { ...args, _over: null })).not.toHaveProperty('units');
  const error = await errorOf('range_deals', { ...args, _dry_run: true });
  expect(error).toMatchObject({ code: -32602, data: { errors: [{ path: '/_dry_run' }] } });
});

describe('an _over that cannot be', () => {
  it.each<[unknown, object, string[]]>([
    [[], {}, ['/_over must be a list of one or two texts']],
    [7, {}, ['/_over must be']],
    [['month'], {}, ['/_over must be']],
    [['a=1', 'b=1', 'c=1'], {}, ['It has 3 entries.']],
    [['month=202503..202501'], {}, ['/_over/0 is reversed: "202503" is after "202501"']],
    [['month=..202501'], {}, ['/_over/0 needs both ends']],
    [['month=202513..202514'], {}, ['/_over/0 has no range of values']],
    [['month=202501..20250131'], {}, ['begins with a month and ends with a day']],
    [['month=202501,,202502'], {}, ['/_over/0 has an empty value']],
    [['month=202501,202501'], {}, ['/_over/0 lists "202501" twice']],
    [['month=202501', 'month=202502'], {}, ['/_over/1 names month twice']],
    [['region=Gangnam-gu,강남구'], { month: '202501' }, ['region=11680 twice']],
    [['month=202501'], { month: '202502' }, ['ranges over month, and month is also given']],
    [
      ['weather=1'],
      {},
      ['"weather", which is no argument of this tool. Arguments that can: region, month, kind.'],
    ],
    [['numOfRows=1..5'], {}, ['"numOfRows", which cannot vary']],
    [['_limit=1..5'], {}, ['"_limit", which cannot vary']],
    [['month=within:Seoul'], {}, ['takes no codes', 'Arguments with codes: region.']],
    [['region=within:Atlantis'], {}, ['is within "Atlantis"']],
    [['region=within:'], {}, ['names no place']],
    [['region=within:중구'], {}, ['may be']],
    [{ month: { from: '202501' } }, {}, ['/_over/month must be a list']],
    [{ month: { from: '202501', to: '202502', in: ['202503'] } }, {}, ['/_over/month']],
    [{ month: { in: [] } }, {}, ['/_over/month has an empty value']],
    [{ month: { in: [{}] } }, {}, ['must list texts or numbers']],
    [['month=202501,20251'], { region: '11110' }, ['/month']],
    [['month=202501'], { region: '11110', _where: { nothing: 1 }, _limit: 0 }, ['/_limit']],
    [['month=202501'], { region: '11110', _dry_run: 'yes' }, ['/_dry_run must be true or false']],
  ])('%j with %j', async (over, more, messages) => {
    const error = await errorOf('range_deals', { ...more, _over: over });
    expect(error).toMatchObject({
      code: -32602,
      data: { auditId: expect.stringMatching(/^aud_/) },
    });
    for (const message of messages) expect(error.message).toContain(message);
    expect(askedDeals()).toEqual([]);
  });

  it('names the argument with which a pair begins', async () => {
    const error = await errorOf('range_days', { _over: ['last=20250101..20250105'] });
    expect(error.message).toContain('Range over first: "first=A..B".');
    const given = await errorOf('range_days', {
      last: '20250101',
      _over: ['first=20250101..20250105'],
    });
    expect(given.message).toContain('and last is also given');
  });

  it.each([
    ['fixture_cached', 'needs a tool whose responses have rows'],
    ['fixture_write', 'needs a tool whose responses have rows'],
  ])('is refused by %s', async (tool, message) => {
    expect((await errorOf(tool, { _over: ['n=1..3'] })).message).toContain(message);
  });
});

it('tells how many units have ended, while it runs', async () => {
  let answered = 0;
  gateway.upstream.answer(async (request, response) => {
    if (answered++ === 6) await new Promise((resolve) => setTimeout(resolve, 2500));
    return answerRanges(request, response);
  });
  const response = await gateway.fetch('/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'range_open',
        arguments: { _over: ['n=1..8'] },
        _meta: { progressToken: 'p' },
      },
    }),
  });
  const text = await response.text();
  const messages = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));
  const [progress] = messages;
  expect(progress.params).toMatchObject({ progressToken: 'p', total: 8 });
  expect(progress.params.progress).toBeGreaterThanOrEqual(6);
  expect(progress.params.progress).toBeLessThan(8);
  expect(messages.at(-1).result.units).toEqual({ done: 8, total: 8, failed: 0 });
});

it('tells models how much came, in words and in structured form', async () => {
  const call = async (query: string, args: object) => {
    const response = await gateway.json(`/mcp${query}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'range_open', arguments: args },
      }),
    });
    return response.body.result;
  };
  const plain = await call('', { _over: ['n=2..3'] });
  expect(plain.content[0].text).toBe(
    'range_open: 5 rows from all 2 units for _over=["n=2..3"]. Source: Ranges. Fetched now.\n\nn\trow\n2\t0\n2\t1\n3\t0\n3\t1\n3\t2\n',
  );
  expect(plain).toMatchObject({ complete: true, units: { done: 2, total: 2, failed: 0 } });
  const structured = await call('?result=structured', { _over: ['n=2..3'] });
  expect(structured.structuredContent).toMatchObject({
    rows: [
      [2, 0],
      [2, 1],
      [3, 0],
      [3, 1],
      [3, 2],
    ],
    complete: true,
    units: { done: 2, total: 2, failed: 0 },
  });
});
