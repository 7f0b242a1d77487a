import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

const TOOL = 'tour_visitors_by_province';

interface RequestLog {
  readonly total: number;
  readonly requests: readonly { readonly path: string }[];
}

const requestLog = async ({ sandbox }: TestGateway): Promise<RequestLog> =>
  (await fetch(`${sandbox.url}/_sandbox/requests`)).json() as Promise<RequestLog>;

describe('days of the visitor statistics', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({
      clock: { now: () => Date.parse('2026-11-21T12:00:00+09:00') },
    });
  });
  afterAll(() => gateway.close());

  /** The first and the last day of every upstream request of a call. */
  const askedDays = async (args: object) => {
    const { total: before } = await requestLog(gateway);
    const { error } = (await gateway.call(TOOL, args)).body;
    const { total, requests } = await requestLog(gateway);
    if (error) return { code: error.code, sent: total - before };
    return requests.slice(before - total).map(({ path }) => {
      const { searchParams } = new URL(path, gateway.sandbox.url);
      return [searchParams.get('startYmd'), searchParams.get('endYmd')];
    });
  };

  test('are one day 45 days ago, or one of three earlier days when nothing is published yet', async () => {
    await gateway.fault(TOOL, 'zero', 3);
    expect(await askedDays({})).toEqual([
      ['20261007', '20261007'],
      ['20260922', '20260922'],
      ['20260907', '20260907'],
      ['20260823', '20260823'],
    ]);
  });

  test('are the one day that the caller gives, as the first or the last', async () => {
    expect(await askedDays({ startYmd: '20260801' })).toEqual([['20260801', '20260801']]);
    expect(await askedDays({ endYmd: '20260802' })).toEqual([['20260802', '20260802']]);
  });
});
