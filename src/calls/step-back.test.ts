import { describe, expect, it } from 'vitest';
import { openCallPipeline, type Respond } from '../../test/support/call-pipeline.ts';
import { GatewayError } from '../platform/kernel/error.ts';

const SERIES = `
x-items: /rows
x-total: /total
x-success: { code: /code }
paths:
  /series/{start}/{end}:
    get:
      operationId: bank_series
      x-cache-ttl: 60
      x-oldest-first: [item]
      parameters:
        - { name: start, in: path, required: true, schema: { type: integer, minimum: 1, default: 1 } }
        - { name: end, in: path, required: true, schema: { type: integer, minimum: 1, default: 100 } }
      responses: {}
`;

interface Row {
  readonly item: string;
  readonly n: number;
}

const rangeOf = (path: string): number[] => path.split('/').slice(-2).map(Number);

/** Responds with the rows of the requested range. */
const listing =
  (rows: readonly Row[]): Respond =>
  ({ path }) => {
    const [start = 0, end = 0] = rangeOf(path);
    return { body: { code: '0', total: rows.length, rows: rows.slice(start - 1, end) } };
  };

const seriesOf = (count: number, item = 'a'): Row[] =>
  Array.from({ length: count }, (_, n) => ({ item, n: n + 1 }));

async function open(rows: readonly Row[]) {
  const gateway = await openCallPipeline(SERIES);
  gateway.answer(listing(rows));
  const ask = async (args: Record<string, unknown> = {}) => {
    const { data, count } = await gateway.call('bank_series', args);
    return { numbers: (data as { rows: Row[] }).rows.map(({ n }) => n), count };
  };
  const sent = () => gateway.sent.map(({ url }) => rangeOf(new URL(url).pathname));
  return { gateway, ask, sent };
}

describe('a series that begins with its oldest row', () => {
  it('is returned from its newest row on, with all that is said of the rows', async () => {
    const { gateway, ask, sent } = await open(seriesOf(250));
    const { numbers, count } = await ask();
    expect([numbers[0], numbers.at(-1), numbers.length]).toEqual([151, 250, 100]);
    expect(count).toEqual({
      returned: 100,
      omitted: 0,
      total: 250,
      next: { start: 150, end: 51 },
      hint: 'The source has 250 rows in all; start=150, end=51 gives those before these.',
    });
    expect(sent()).toEqual([
      [1, 100],
      [151, 250],
    ]);
    expect(gateway.records).toHaveLength(1);
    expect((await gateway.call('bank_series')).provenance.asked).toEqual({ start: 151, end: 250 });
    // Both responses are cached.
    expect(sent()).toHaveLength(2);
  });

  it.each([101, 102, 199, 200, 201, 202, 250, 300, 301])(
    'of %i rows is returned once by following `next`',
    async (total) => {
      const { ask } = await open(seriesOf(total));
      const pages: number[][] = [];
      for (let args: Record<string, unknown> | null = {}; args !== null; ) {
        const { numbers, count } = await ask(args);
        expect(count?.total).toBe(total);
        pages.unshift(numbers);
        args = count?.next ?? null;
      }
      expect(pages.flat()).toEqual(seriesOf(total).map(({ n }) => n));
    },
  );

  it('takes one request if all rows fit, and if the caller chooses the rows', async () => {
    const short = await open(seriesOf(100));
    expect(await short.ask()).toMatchObject({ count: { returned: 100, next: null } });
    expect(short.sent()).toHaveLength(1);
    const long = await open(seriesOf(250));
    expect((await long.ask({ start: 1 })).count?.next).toEqual({ start: 101, end: 200 });
    expect((await long.ask({ end: 10 })).count?.next).toEqual({ start: 11, end: 20 });
    expect(long.sent()).toHaveLength(2);
  });

  it('is returned from its first row on among others', async () => {
    const mixed = [...seriesOf(50, 'a'), ...seriesOf(150, 'b')];
    const { ask, sent } = await open(mixed);
    expect((await ask()).count?.next).toEqual({ start: 101, end: 200 });
    expect(sent()).toHaveLength(1);
    const late = await open([...seriesOf(150, 'a'), ...seriesOf(150, 'b')]);
    const { numbers, count } = await late.ask();
    expect([numbers[0], count?.next]).toEqual([1, { start: 101, end: 200 }]);
    expect(late.sent()).toHaveLength(2);
  });

  it('is returned from its first row on if the upstream fails meanwhile', async () => {
    const { gateway, ask } = await open([]);
    const list = listing(seriesOf(250));
    gateway.answer((request, options) => {
      if (rangeOf(request.path)[0] !== 1) throw new GatewayError('upstream_timeout');
      return list(request, options);
    });
    expect((await ask()).count?.next).toEqual({ start: 101, end: 200 });
  });
});
