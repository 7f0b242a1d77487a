import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { answerRanges, dealsOf, RANGE_PRESET } from '../../../test/support/range-upstream.ts';
import { runWithin } from '../testing/run-within.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    presets: { ranges: RANGE_PRESET },
    env: { RATE_LIMIT_PER_MINUTE: '0' },
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.upstream.answer(answerRanges);
  vi.stubEnv('TOOL_GATEWAY_API_KEY', gateway.key);
  vi.stubEnv('BASE_URL', gateway.url);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const call = (...args: string[]) => runWithin('call', ...args);
const linesOf = (text: string): string[] => text.trimEnd().split(/\r?\n/);

test('a call names each wrong argument as it is typed, and the audit record', async () => {
  const { code, stdout, stderr } = await call('frankfurter_rates', 'bse=USD');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^bse .*Did you mean "base"\?.*\nAudit record: aud_\w+\n$/);
});

const OF_TWO_REGIONS = ['--over', 'region=11110,11140', '--over', 'month=202501..202503'];
const deals = ['11110', '11140'].flatMap((region) =>
  ['202501', '202502', '202503'].flatMap((month) =>
    dealsOf(region, month).map((deal) => ({ region, month, ...deal })),
  ),
);

describe('a range', () => {
  test('is printed as the plain result, without what models read', async () => {
    const { code, stdout, stderr } = await call('range_deals', ...OF_TWO_REGIONS);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ complete: true, units: { done: 6 }, cacheStatus: 'MISS' });
    expect(result.data.rows).toHaveLength(deals.length);
    expect(Object.keys(result)).not.toEqual(expect.arrayContaining(['content']));
  });

  test('is grouped and sorted by options that repeat or have commas', async () => {
    const figures = ['--group', 'region,month', '--calc', 'count', '--calc', 'max:price'];
    const { stdout } = await call(
      'range_deals',
      ...OF_TWO_REGIONS,
      ...[...figures, '--sort', '-count,region', '--csv'],
    );
    const groups = [...Map.groupBy(deals, ({ region, month }) => `${region},${month}`)];
    const sorted = groups.sort(
      ([a, some], [b, others]) => others.length - some.length || a.localeCompare(b),
    );
    expect(linesOf(stdout)).toEqual([
      '\uFEFFregion,month,count,max_price',
      ...sorted.map(
        ([key, rows]) => `${key},${rows.length},${Math.max(...rows.map(({ price }) => price))}`,
      ),
    ]);
  });

  test('of more rows than a response holds is printed from its file, in each format', async () => {
    const over = ['range_open', '--over', 'n=2600..2601'];
    const csv = await call(...over, '--csv');
    expect(csv).toMatchObject({ code: 0, stderr: '' });
    expect(linesOf(csv.stdout)).toHaveLength(5202);
    expect(csv.stdout.endsWith('\r\n2601,2600\r\n')).toBe(true);
    const { stdout: ndjson, stderr } = await call(...over, '--ndjson', '--sort', '-row');
    expect(linesOf(ndjson)).toHaveLength(5201);
    expect(stderr).toBe('The rows of the file are in the order of the units, not sorted.\n');
    const { stdout: json } = await call(...over, '--json');
    expect(JSON.parse(json)).toHaveLength(5201);
    const limited = await call(...over, '--csv', '--limit', '5100');
    expect(limited).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Only 5000 rows fit in a response\. Leave out --limit/),
    });
  });

  test('of more groups than a response holds is printed from its file', async () => {
    const groups = ['--group', 'row', '--calc', 'count'];
    const { code, stdout } = await call('range_open', '--over', 'n=1,5300', ...groups, '--csv');
    expect(code).toBe(0);
    expect(linesOf(stdout)).toHaveLength(5301);
    expect(stdout.endsWith('\r\n5299,1\r\n')).toBe(true);
  });

  test('that is not complete prints what came, and is a failure', async () => {
    gateway.upstream.answer((request, response) => {
      if (!request.url.includes('month=202402')) return answerRanges(request, response);
      response.setHeader('content-type', 'application/json').end('{"items": [], "total": 5}');
    });
    const over = ['--over', 'month=202401..202403', 'region=11110'];
    const { code, stdout, stderr } = await call('range_deals', ...over, '--csv');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Not complete: 2 of 3 units came\. 1 failed, first month=202402: /);
    const came = ['202401', '202403'].flatMap((month) => dealsOf('11110', month));
    expect(linesOf(stdout)).toHaveLength(1 + came.length);
  });

  test('costs what --dry-run prints', async () => {
    const before = gateway.upstream.seen.length;
    const over = ['--over', 'region=within:Seoul', '--over', 'month=202301..202312'];
    const { code, stdout } = await call('range_deals', ...over, '--dry-run');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ units: 300, requests: 300, fits: true });
    expect(gateway.upstream.seen).toHaveLength(before);
    expect(await call('range_deals', 'region=11110', 'month=202301', '--dry-run')).toEqual({
      code: 1,
      stdout: '',
      stderr: '--dry-run tells what a range costs: give one with --over.\n',
    });
  });

  test('that is wrong says what is wrong, and where it is recorded', async () => {
    const { code, stderr } = await call('range_open', '--over', 'm=1..2', '--csv');
    expect(code).toBe(1);
    expect(stderr).toMatch(/\/_over\/0 ranges over "m".* n\..*\nAudit record: aud_\w+\n$/s);
  });
});

describe('rows of one page', () => {
  const OF_A_MONTH = ['range_deals', 'region=11110', 'month=202501', 'numOfRows=100'];
  const rows = dealsOf('11110', '202501').slice(0, 100);

  test('are kept by conditions, a limit and columns', async () => {
    const prices = rows.map(({ price }) => price).sort((a, b) => a - b);
    const [from, to] = [prices[3], prices[20]];
    const { stdout } = await call(
      ...[...OF_A_MONTH, '--ndjson', '--fields', 'price,id', '--limit', '5'],
      ...['--where', `price=${from}..${to}`, '--where', 'name=House 1,House 2,House 3,House 4'],
    );
    const kept = rows
      .slice(1, 5)
      .filter(({ price }) => price >= Number(from) && price <= Number(to));
    expect(
      linesOf(stdout)
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    ).toEqual(kept.map(({ price, id }) => ({ price, id })));
  });

  test('have all columns and every digit, and formulas are neutralised', async () => {
    gateway.upstream.answer((_, response) => {
      response
        .setHeader('content-type', 'application/json')
        .end(
          '{"items": [{"a": 12345678901234567890, "b": "=1+1"}, {"a": 1.50, "b": null}], "total": 2}',
        );
    });
    const asked = ['range_deals', 'region=11110', 'month=209901'];
    const { stdout } = await call(...asked, '--csv');
    expect(linesOf(stdout)).toEqual(['\uFEFFa,b', '12345678901234567890,"\'=1+1"', '1.50,']);
    expect((await call(...asked, '--json')).stdout).toBe(
      '[{"a":12345678901234567890,"b":"=1+1"},\n{"a":1.50,"b":null}]\n',
    );
  });

  test('are printed with what one must know of them, without what was asked for', async () => {
    const page = ['range_deals', 'region=11110', 'month=202501', 'numOfRows=5', '--csv'];
    const { code, stderr } = await call(...page);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^The source has \d+ rows in all; pageNo=2 gives the next ones\.\n$/);
    expect((await call(...OF_A_MONTH, '--csv', '--limit', '2')).stderr).not.toContain('2 of');
  });

  test('are no rows where the condition or the response has none', async () => {
    expect(await call(...OF_A_MONTH, '--csv', '--where', 'price')).toMatchObject({
      code: 1,
      stderr: '"price" is not a condition. Write COLUMN=value, COLUMN=a,b or COLUMN=A..B.\n',
    });
    expect(await call('fixture_brief', '--csv')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The responses of fixture_brief have no rows. Leave out --csv.\n',
    });
    gateway.upstream.answer((_, response) => {
      response.writeHead(500, { 'content-type': 'application/json' }).end('{}');
    });
    const failed = await call('range_deals', 'region=11110', 'month=209801', '--json');
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toMatch(/^range_deals failed: .* HTTP 500.*\nAudit record: aud_\w+\n$/);
  });

  test('have one format', async () => {
    expect((await call(...OF_A_MONTH, '--csv', '--json')).code).toBe(2);
  });
});

describe('on a terminal', () => {
  beforeEach(() => {
    Object.defineProperty(process.stderr, 'isTTY', { value: true, configurable: true });
  });
  afterEach(() => {
    Reflect.deleteProperty(process.stderr, 'isTTY');
  });

  test('a bar shows how many units have ended, and leaves no trace', async () => {
    let answered = 0;
    gateway.upstream.answer(async (request, response) => {
      if (answered++ === 6) await new Promise((resolve) => setTimeout(resolve, 2500));
      return answerRanges(request, response);
    });
    const { stdout, stderr } = await call('range_open', '--over', 'n=11..18', '--csv');
    expect(linesOf(stdout)).toHaveLength(1 + (11 + 18) * 4);
    const [before, shown, ...after] = stderr.split('\r\u001b[K');
    expect([before, after]).toEqual(['', ['']]);
    expect(shown).toMatch(/^#{18,23}\.+ [67] of 8 units, 2 s so far\.$/);
  });
});
