import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

const LOANS = 'data4library_popular_books';
const GAUGE = 'hrfco_water_level';

describe('on 21 November, half an hour after midnight in Korea', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({
      clock: { now: () => Date.parse('2026-11-21T00:30:00+09:00') },
    });
  });
  afterAll(() => gateway.close());

  /** The upstream address of a call, as callers see it. */
  const sentTo = async (tool: string, args: object) =>
    new URL((await gateway.call(tool, args)).body.result.upstream.url);
  const sentQuery = async (tool: string, args: object) =>
    Object.fromEntries((await sentTo(tool, args)).searchParams);

  test('loans since a day extend to yesterday', async () => {
    const days = { startDt: '2026-09-01', endDt: '2026-11-20' };
    expect(await sentQuery(LOANS, { startDt: days.startDt })).toMatchObject(days);
  });

  test('tides can also be requested for a station that the description does not name', async () => {
    const sent = await sentQuery('khoa_tide_high_low', { obsCode: 'SO_0001' });
    expect(sent).toMatchObject({ obsCode: 'SO_0001', reqDate: '20261121', type: 'json' });
  });

  test('the key of the river gauges does not appear in the address that callers see', async () => {
    const { pathname } = await sentTo(GAUGE, { wlobscd: '1010690' });
    expect(pathname).toMatch(/\/REDACTED\/waterlevel\/list\/10M\/1010690\.json$/);
  });

  test('a river gauge without content is a failure', async () => {
    await gateway.fault(GAUGE, 'quota');
    const { auditId } = (await gateway.call(GAUGE, { wlobscd: '1003666' })).body.result;
    const { outcome } = (await gateway.json(`/api/v1/audit/${auditId}`)).body;
    expect(outcome).toBe('upstream_error');
  });

  test.each([
    [LOANS, { startDt: '20261301' }],
    ['artic_artwork_search', {}],
    ['openlibrary_book_search', { q: 'tolkien', language: 'en' }],
    ['openmeteo_air_quality', { latitude: 37.5, longitude: 127, domains: 'asia' }],
    ['khoa_tide_high_low', { obsCode: 'DT_0005', reqDate: '20261321' }],
  ])('%s refuses %j', async (tool, args) => {
    expect((await gateway.call(tool, args)).body.error.code).toBe(-32602);
  });
});
