import { expect, test } from 'vitest';
import type { Cause } from '../../src/platform/kernel/cause.ts';
import { PUBLIC_DATA_PAYLOADS } from '../../src/public-data/payload-domain.ts';
import { PUBLIC_DATA_TOOLS } from '../../src/public-data/tool-domain.ts';
import { loadPresets } from '../../src/tools/catalog/load-presets.ts';
import { createPayloadReader } from '../../src/upstreams/payload/read-payload.ts';
import { isFailure } from '../../src/upstreams/payload/upstream-response.ts';
import { SHIPPED_PRESETS } from '../support/sandboxed-presets.ts';

const { presets } = await loadPresets({ dir: SHIPPED_PRESETS, domain: PUBLIC_DATA_TOOLS });
const tools = new Map(presets.flatMap((preset) => preset.tools.map((tool) => [tool.name, tool])));
const readPayload = createPayloadReader(PUBLIC_DATA_PAYLOADS);

function read(name: string, sent: unknown, status = 200) {
  const tool = tools.get(name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  const body = Buffer.from(typeof sent === 'string' ? sent : JSON.stringify(sent));
  const payload = readPayload({
    status,
    contentType: 'text/html',
    body,
    shape: tool.payload,
    isPublicData: tool.isPublicData,
  });
  const response = { ...payload, status, url: '', fetchedAtMs: 0, fetchedAt: '' };
  const { cause, code, message } = payload;
  return { failed: isFailure(response), cause, code, message };
}

/** The codes of each cause, and those without one. */
type Codes = Readonly<Partial<Record<Cause | 'unknown', string>>>;

/** The codes of one provider: how it sends one, and what each means. Only the cause `no_data` is no failure. */
function describeProvider(
  tool: string,
  send: (code: string) => { readonly body: unknown; readonly status?: number },
  message: string | undefined,
  codes: Codes,
): void {
  test.each(Object.entries(codes))(`${tool}: %s is the cause of %s`, (name, texts) => {
    const cause = name === 'unknown' ? undefined : name;
    for (const code of texts.split(' ')) {
      const { body, status } = send(code);
      expect(read(tool, body, status)).toEqual({
        failed: cause !== 'no_data',
        ...{ cause, code, message },
      });
    }
  });
}

describeProvider(
  'dart_search_disclosures',
  (status) => ({ body: { status, message: '요청 제한을\n 초과하였습니다.' } }),
  '요청 제한을 초과하였습니다.',
  {
    operator_key: '010 011 012 901',
    no_data: '013',
    arguments: '014 021 100',
    quota: '020',
    upstream: '800 900',
    unknown: '999',
  },
);

describeProvider(
  'ecos_statistic_search',
  (CODE) => ({ body: { RESULT: { CODE, MESSAGE: '인증키' } } }),
  '인증키',
  {
    operator_key: 'INFO-100',
    no_data: 'INFO-200',
    arguments: 'ERROR-100 ERROR-101 ERROR-300 ERROR-301 ERROR-400',
    upstream: 'ERROR-500 ERROR-600 ERROR-601',
    rate: 'ERROR-602',
  },
);

for (const tool of ['kofic_daily_box_office', 'kofic_movie_search']) {
  describeProvider(
    tool,
    (errorCode) => ({ body: { faultInfo: { message: 'x', errorCode } } }),
    'x',
    { operator_key: '320010', quota: '320011', arguments: '320102 320103' },
  );
}

describeProvider(
  'kopis_performance_list',
  (code) => ({
    body: `<dbs><db><returncode>${code}</returncode><errmsg>R&D</errmsg></db></dbs>`,
  }),
  'R&D',
  { operator_key: '02', unknown: '99' },
);

describeProvider(
  'data4library_popular_books',
  (errCode) => ({ body: { response: { errCode, error: '인증키가 유효하지 않습니다.' } } }),
  '인증키가 유효하지 않습니다.',
  { operator_key: '003' },
);

describeProvider(
  'exim_exchange_rates',
  (code) => ({ body: [{ result: Number(code), cur_unit: null }] }),
  undefined,
  { unknown: '2', operator_key: '3', quota: '4' },
);

for (const member of ['err', 'errCode']) {
  describeProvider(
    'kosis_table_data',
    (code) => ({ body: { [member]: code, errMsg: '데이터가 존재하지 않습니다.' } }),
    '데이터가 존재하지 않습니다.',
    {
      operator_key: '10 11 42',
      arguments: '20 21 31 41',
      no_data: '30',
      rate: '40',
      upstream: '50',
    },
  );
}

describeProvider(
  'nts_business_status',
  (code) => ({ body: { code: Number(code), msg: '등록되지 않은 인증키 입니다.' }, status: 401 }),
  '등록되지 않은 인증키 입니다.',
  { operator_key: '-4' },
);

describeProvider(
  'nts_business_status',
  (status_code) => ({ body: { status_code }, status: 400 }),
  undefined,
  { arguments: 'BAD_JSON_REQUEST REQUEST_DATA_MALFORMED' },
);

const header = (resultCode: unknown) => ({
  body: { response: { header: { resultCode, resultMsg: 'SAYS WHY' } } },
});

describeProvider('pps_search_service_bids', header, 'SAYS WHY', { arguments: '06 07 08' });

for (const tool of ['airkorea_sido_realtime', 'airkorea_stations']) {
  describeProvider(tool, header, 'SAYS WHY', { not_approved: '34' });
}

const PORTAL: Codes = {
  upstream: '01 02 04 05 12 99',
  no_data: '03',
  arguments: '10 11',
  not_approved: '20',
  operator_key: '21 30 31 32 33',
  quota: '22',
  rate: '23',
  unknown: '34',
};

describeProvider('kma_ultra_short_nowcast', header, 'SAYS WHY', PORTAL);
describeProvider('molit_apt_trades', header, 'SAYS WHY', { operator_key: '030', quota: '022' });

describeProvider(
  'worldbank_indicator',
  (id) => ({ body: [{ message: [{ id, key: 'x', value: 'The parameter is not valid' }] }] }),
  'The parameter is not valid',
  { arguments: '115 120 160 175' },
);

test.each<[reason: string, cause: Cause]>([
  ['Daily API request limit exceeded. Please try again tomorrow.', 'quota'],
  ['Hourly API request limit exceeded. Please try again in the next hour.', 'rate'],
  ['Minutely API request limit exceeded. Please try again in one minute.', 'rate'],
  ['Too many concurrent requests', 'rate'],
  ['More than 600 calls per minute; the daily limit is 10,000.', 'rate'],
])('Open-Meteo refuses with status 429 and %j: %s', (reason, cause) => {
  for (const tool of ['openmeteo_forecast', 'openmeteo_air_quality']) {
    expect(read(tool, { error: true, reason }, 429)).toMatchObject({ failed: true, cause });
  }
});

test('the Art Institute refuses more results than it gives as a fault of the arguments', () => {
  const refusal = { status: 403, error: 'Invalid number of results', detail: 'Too many results.' };
  expect(read('artic_artwork_search', refusal, 403)).toMatchObject({
    failed: true,
    cause: 'arguments',
    message: 'Too many results.',
  });
});

test.each([
  ['Invalid Key', 'operator_key'],
  ['Limit Exceeded', 'quota'],
])('opinet_average_prices: the text %s is %s', (text, cause) => {
  expect(read('opinet_average_prices', { RESULT: text })).toEqual({
    failed: true,
    cause,
    code: text,
    message: text,
  });
});

test('kopis_performance_list: a burst of calls is blocked by an HTML page', () => {
  const page = '<html><body>The request was <b>blocked</b></body></html>';
  expect(read('kopis_performance_list', page, 400)).toMatchObject({
    failed: true,
    cause: 'rate',
    message: 'The request was blocked',
  });
});

test.each<[string, number, unknown, Cause | undefined]>([
  ['kma_village_forecast', 401, 'Unauthorized', 'not_approved'],
  ['kma_village_forecast', 403, '', 'not_approved'],
  ['kma_village_forecast', 403, '<html>Forbidden</html>', 'not_approved'],
  ['kma_village_forecast', 200, 'Unauthorized\n', 'not_approved'],
  ['kma_village_forecast', 500, 'Forbidden', 'not_approved'],
  ['kma_village_forecast', 404, 'API not found', 'upstream'],
  ['kma_village_forecast', 429, 'API rate limit exceeded', 'rate'],
  ['kma_village_forecast', 502, '<html>Bad Gateway</html>', 'upstream'],
  ['nts_business_status', 403, {}, 'not_approved'],
  ['openmeteo_forecast', 400, { error: true, reason: 'x' }, 'arguments'],
  ['openmeteo_forecast', 403, { error: true, reason: 'x' }, 'operator_key'],
  ['frankfurter_rates', 422, { message: 'x' }, 'arguments'],
  ['frankfurter_rates', 404, { message: 'not found' }, 'arguments'],
  ['frankfurter_rates', 429, { message: 'x' }, 'rate'],
  ['frankfurter_rates', 503, { message: 'x' }, 'upstream'],
  ['data4library_popular_books', 200, { response: { error: 'x' } }, undefined],
])('%s: status %i with %j is %s', (tool, status, body, cause) => {
  expect(read(tool, body, status)).toMatchObject({ failed: true });
  expect(read(tool, body, status).cause).toBe(cause);
});

test.each([
  ['openmeteo_forecast', { error: true, reason: 'Value of type' }, 'Value of type'],
  ['frankfurter_rates', { message: 'not found' }, 'not found'],
  ['openlibrary_book_search', { error: 'notfound' }, 'notfound'],
  ['data4library_popular_books', { response: { error: '값이 필요합니다.' } }, '값이 필요합니다.'],
])('%s says what is wrong, and the caller sees it', (tool, body, message) => {
  expect(read(tool, body, 400).message).toBe(message);
});

test('a good response has neither a cause nor a message', () => {
  const body = { response: { header: { resultCode: '00', resultMsg: 'OK' }, body: { items: '' } } };
  expect(read('kma_village_forecast', body)).toEqual({ failed: false });
});

test.each([
  ['kma_uv_index', 'areaNo', '1200000000'],
  ['kopis_performance_list', 'signgucode', '12'],
  ['tour_area_list', 'lDongRegnCd', '12'],
  ['std_library_list', 'CTPRVN_NM', '전남광주통합특별시'],
])('%s takes regions at %s that its description does not list', (name, argument, value) => {
  const properties = tools.get(name)?.inputSchema['properties'] as Record<string, object>;
  const schema = properties[argument] as { enum?: unknown; pattern?: string };
  expect(schema.enum).toBeUndefined();
  expect(value).toMatch(new RegExp(schema.pattern ?? ''));
});

test('kma_uv_index names all 17 provinces', () => {
  const properties = tools.get('kma_uv_index')?.inputSchema['properties'] as Record<string, object>;
  const { description } = properties['areaNo'] as { description: string };
  const provinces = '11 26 27 28 29 30 31 36 41 43 44 46 47 48 50 51 52'.split(' ');
  expect(provinces.filter((each) => !description.includes(`${each}00000000 `))).toEqual([]);
});
