import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { describeTools } from './catalogue-case.ts';

const KOPIS = {
  rows: '/dbs/db',
  keyRefusal: { status: 200, sees: ['/dbs/db/returncode', '02'] },
} as const;
const KOFIC = {
  keyRefusal: { status: 200, sees: ['/faultInfo/errorCode', '320010'] },
} as const;
const SEOUL = { latitude: 37.5665, longitude: 126.978 };

describeTools([
  {
    tool: 'kopis_performance_list',
    args: {},
    sees: ['/dbs/db/1/fcltynm', '국립극장'],
    ...KOPIS,
  },
  {
    tool: 'kopis_performance_detail',
    args: { mt20id: 'PF287093' },
    sees: ['/dbs/db/0/relates/relate/relatenm', '놀유니버스'],
    ...KOPIS,
  },
  {
    tool: 'kofic_daily_box_office',
    args: {},
    rows: '/boxOfficeResult/dailyBoxOfficeList',
    sees: ['/boxOfficeResult/dailyBoxOfficeList/1/rank', '2'],
    ...KOFIC,
  },
  {
    tool: 'kofic_movie_search',
    args: { movieNm: '새벽비행' },
    rows: '/movieListResult/movieList',
    sees: ['/movieListResult/movieList/0/movieNmEn', 'First Flight1'],
    ...KOFIC,
  },
  {
    tool: 'data4library_popular_books',
    args: {},
    rows: '/response/docs',
    sees: ['/response/docs/0/doc/bookname', '아몬드'],
    keyRefusal: { status: 200, sees: ['/response/errCode', '003'] },
  },
  {
    tool: 'artic_artwork_search',
    args: { q: 'monet' },
    rows: '/data',
    sees: ['/data/0/title', 'Water Lilies'],
    keyRefusal: null,
  },
  {
    tool: 'openlibrary_book_search',
    args: { q: 'the lord of the rings' },
    rows: '/docs',
    sees: ['/docs/0/author_name/0', 'J. R. R. Tolkien'],
    keyRefusal: null,
  },
  {
    tool: 'hrfco_water_level',
    args: {},
    rows: '/content',
    sees: ['/content/0/wlobscd', '1018683'],
    keyRefusal: { status: 200, sees: ['/code', '401'] },
  },
  {
    tool: 'openmeteo_air_quality',
    args: SEOUL,
    rows: null,
    sees: ['/timezone', 'Asia/Seoul'],
    keyRefusal: null,
  },
  {
    tool: 'khoa_tide_high_low',
    args: { obsCode: 'DT_0007' },
    rows: '/body/items/item',
    sees: ['/body/items/item/1/obsvtrNm', '목포'],
    keyRefusal: 'portal',
  },
]);

describe('half an hour into 1 March of a leap year', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({
      env: { CACHE_MAX_BYTES: '0', LAST_GOOD_MAX_BYTES: '0' },
      clock: { now: () => Date.parse('2028-03-01T00:30:00+09:00') },
    });
  });
  afterAll(() => gateway.close());

  const requestLog = async (): Promise<RequestLog> =>
    (await fetch(`${gateway.sandbox.url}/_sandbox/requests`)).json() as Promise<RequestLog>;

  /** The queries of the upstream requests of a call, in order. */
  const queriesOf = async (tool: string, args: object) => {
    const { total: before } = await requestLog();
    await gateway.call(tool, args);
    const { total, requests } = await requestLog();
    return requests
      .slice(requests.length - (total - before))
      .map(({ path }) =>
        Object.fromEntries(new URL(path, gateway.sandbox.url).searchParams.entries()),
      );
  };

  test.each([
    ['kopis_performance_list', {}, { stdate: '20280301', eddate: '20280331', cpage: '1' }],
    ['kofic_daily_box_office', {}, { targetDt: '20280229' }],
    ['data4library_popular_books', {}, { startDt: '2028-01-31', endDt: '2028-02-29' }],
    ['khoa_tide_high_low', { obsCode: 'DT_0005' }, { reqDate: '20280301' }],
  ])('%s fills in the days', async (tool, args, expected) => {
    expect(await queriesOf(tool, args)).toEqual([expect.objectContaining(expected)]);
  });

  test('the box office steps back a day while yesterday has no figures', async () => {
    await gateway.fault('kofic_daily_box_office', 'zero');
    const queries = await queriesOf('kofic_daily_box_office', {});
    expect(queries.map((query) => query['targetDt'])).toEqual(['20280229', '20280228']);
  });

  test('a filter of the museum is encoded as the museum expects', async () => {
    const [query] = await queriesOf('artic_artwork_search', {
      q: 'monet',
      query: { term: { is_public_domain: true } },
    });
    expect(query).toMatchObject({ q: 'monet', 'query[term][is_public_domain]': 'true' });
  });

  test.each([
    ['kopis_performance_list', { stdate: '20281301', eddate: '20281331' }],
    ['kopis_performance_list', { shcate: 'ZZZZ' }],
    ['kopis_performance_detail', { mt20id: '287093' }],
    ['kofic_daily_box_office', { targetDt: '2028-02-30' }],
    ['kofic_movie_search', { openStartDt: '28' }],
    ['data4library_popular_books', { region: '12' }],
    ['artic_artwork_search', { q: 'monet', query: { term: { is_on_view: true } } }],
    ['openlibrary_book_search', { isbn: '978-02611' }],
    ['hrfco_water_level', { wlobscd: '101868' }],
    ['openmeteo_air_quality', { ...SEOUL, forecast_days: 8 }],
    ['khoa_tide_high_low', { obsCode: 'Nowhere' }],
  ])('%s refuses %o before anything is sent', async (tool, args) => {
    const { total } = await requestLog();
    expect((await gateway.call(tool, args)).body.error).toMatchObject({ code: -32602 });
    expect((await requestLog()).total).toBe(total);
  });
});

describe('without any key', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ secrets: () => undefined });
  });
  afterAll(() => gateway.close());

  test.each([
    ['kopis_performance_list', {}, 'kopis.or.kr'],
    ['kofic_daily_box_office', {}, 'kobis.or.kr'],
    ['data4library_popular_books', {}, 'data4library.kr'],
    ['hrfco_water_level', {}, 'hrfco.go.kr'],
  ])('%s says where one gets it', async (tool, args, place) => {
    const { error } = (await gateway.call(tool, args)).body;
    expect(error.data.reason).toBe('missing_secret');
    expect(JSON.stringify(error)).toContain(place);
  });
});

/** The sandbox's log of the requests that it received. */
interface RequestLog {
  readonly total: number;
  readonly requests: readonly { readonly path: string }[];
}
