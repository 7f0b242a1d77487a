import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { describeTools, type ToolCase } from './catalogue-case.ts';

const PORTAL = { rows: '/response/body/items/item', keyRefusal: 'portal' } as const;
const ODCLOUD = { rows: '/data', keyRefusal: { status: 401, sees: ['/code', -4] } } as const;

/** A column of the first row in data.go.kr's envelope. */
const first = (column: string, value: string): ToolCase['sees'] => [
  `/response/body/items/item/0/${column}`,
  value,
];

describeTools([
  {
    tool: 'fsc_stock_prices',
    args: { itmsNm: '삼성전자' },
    sees: first('itmsNm', '삼성전자'),
    ...PORTAL,
  },
  {
    tool: 'fsc_krx_listed_items',
    args: { likeItmsNm: '삼성전자' },
    sees: first('crno', '1301110006246'),
    ...PORTAL,
  },
  { tool: 'fsc_stock_index', args: { idxNm: '코스피' }, sees: first('idxNm', '코스피'), ...PORTAL },
  {
    tool: 'fsc_etf_prices',
    args: { likeItmsNm: 'KODEX' },
    sees: first('srtnCd', '379800'),
    ...PORTAL,
  },
  { tool: 'fsc_gold_prices', args: {}, sees: first('srtnCd', '04020000'), ...PORTAL },
  {
    tool: 'fsc_corp_outline',
    args: { corpNm: '삼성전자' },
    sees: first('fssCorpUnqNo', '00126380'),
    ...PORTAL,
  },
  {
    tool: 'fsc_summary_financials',
    args: { crno: '1301110006246' },
    sees: first('crno', '1301110006246'),
    ...PORTAL,
  },
  {
    tool: 'molit_apt_trades',
    args: { LAWD_CD: '11680' },
    sees: first('sggCd', '11680'),
    ...PORTAL,
  },
  {
    tool: 'molit_apt_rents',
    args: { LAWD_CD: '11680' },
    sees: first('sggCd', '11680'),
    ...PORTAL,
  },
  { tool: 'customs_item_trade', args: { hsSgn: '0106' }, sees: first('year', '총계'), ...PORTAL },
  {
    tool: 'nts_business_status',
    args: { b_no: ['1208800767'] },
    sees: ['/data/0/b_stt_cd', '01'],
    ...ODCLOUD,
  },
  {
    tool: 'nts_business_validate',
    args: { businesses: [{ b_no: '1208800767', start_dt: '20000101', p_nm: '홍길동' }] },
    sees: ['/data/0/valid', '02'],
    ...ODCLOUD,
  },
]);

describe('beyond the rows', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.close());

  const sentQuery = async (tool: string, args: object) =>
    new URL((await gateway.call(tool, args)).body.result.upstream.url).searchParams;

  test.each([
    'fsc_stock_prices',
    'fsc_krx_listed_items',
    'fsc_stock_index',
    'fsc_etf_prices',
    'fsc_gold_prices',
  ])('%s begins 14 days ago unless a day is given', async (tool) => {
    expect((await sentQuery(tool, {})).get('beginBasDt')).toMatch(/^20\d{6}$/);
    expect((await sentQuery(tool, { basDt: '20260910' })).has('beginBasDt')).toBe(false);
    expect((await sentQuery(tool, { likeBasDt: '202609' })).has('beginBasDt')).toBe(false);
  });

  test('accounts not published yet are replaced by those of the year before', async () => {
    const args = { crno: '1301110006246' };
    const tool = 'fsc_summary_financials';
    const latest = Number((await sentQuery(tool, args)).get('bizYear'));
    await gateway.fault(tool, 'zero');
    const other = { crno: '1101110000000' };
    expect(Number((await sentQuery(tool, other)).get('bizYear'))).toBe(latest - 1);
  });

  test.each([
    ['fsc_stock_prices', { basDt: '10.09.2026' }],
    ['fsc_stock_prices', { mrktCls: 'NYSE' }],
    ['molit_apt_trades', { LAWD_CD: '1168' }],
    ['molit_apt_rents', { LAWD_CD: '11680', DEAL_YMD: '202613' }],
    ['customs_item_trade', { strtYymm: '202601' }],
    ['fsc_corp_outline', { crno: '130111-000624' }],
    ['nts_business_status', { b_no: ['120-88-0076'] }],
    ['nts_business_validate', { businesses: [{ b_no: '1208800767', start_dt: '20000101' }] }],
  ])('%s refuses %j before anything is sent', async (tool, args) => {
    const { body } = await gateway.call(tool, args);
    expect(body.error).toMatchObject({ code: -32602, data: { errors: [expect.anything()] } });
  });

  test('the validated person is neither stored nor logged', async () => {
    const args = { businesses: [{ b_no: '1208800767', start_dt: '20000101', p_nm: '홍길동' }] };
    const call = async () => (await gateway.call('nts_business_validate', args)).body.result;
    expect((await call()).cacheStatus).toBe('BYPASS');
    const { auditId, cacheStatus } = await call();
    expect(cacheStatus).toBe('BYPASS');
    const record = (await gateway.json(`/api/v1/audit/${auditId}`)).body;
    expect(record).toMatchObject({ tool: 'nts_business_validate', outcome: 'ok' });
    expect(JSON.stringify(record)).not.toMatch(/홍길동|20000101/);
  });
});
