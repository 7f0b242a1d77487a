import { toolCall } from '../../support/rpc-requests.ts';
import type { Entry } from '../corpus-request.ts';
import { after, posts, under } from './build.ts';

const NOWCAST = 'kma_ultra_short_nowcast';
const SEOUL = { lat: 37.5665, lon: 126.978 };

/** Codes with a message of their own, some without, and other spellings. */
const CODES = '00 01 03 10 20 30 31 99 ABC'.split(' ');

const FORMS = ['public-rows', 'public-xml', 'html'];

const asked = (kind: string) => [kind, toolCall('corpus_public', { kind })] as const;

const GRID = posts([
  ['a place', toolCall(NOWCAST, { ...SEOUL, _limit: 1 })],
  ['lat alone', toolCall(NOWCAST, { lat: 37 })],
  ['neither', toolCall(NOWCAST, {})],
]);

/** Another page, so that no response comes from the cache. */
const faulty = (fault: string, pageNo: number) =>
  after(
    { fault: [NOWCAST, fault] },
    posts([[fault, toolCall(NOWCAST, { ...SEOUL, pageNo, _limit: 1 })]]),
  );

const STEP_BACK = after(
  { fault: [NOWCAST, 'zero'] },
  posts([['an hour', toolCall(NOWCAST, { ...SEOUL, pageNo: 20, _limit: 1 })]]),
);

/** One tool of each upstream with its own response format. */
const SHIPPED: readonly (readonly [tool: string, args: object])[] = [
  ['airkorea_sido_realtime', { sidoName: '서울', _limit: 1 }],
  ['frankfurter_rates', { base: 'USD', quotes: 'KRW' }],
  ['kasi_holidays', { solYear: '2026' }],
  ['kma_village_forecast', { nx: 60, ny: 127, _limit: 1 }],
  ['nts_business_status', { b_no: ['1208800767'] }],
  ['openmeteo_forecast', { latitude: 37.57, longitude: 126.98 }],
];

/** Public data, and one shipped tool for each kind of upstream. */
export const PUBLIC_DATA: readonly Entry[] = [
  ...under(
    'code',
    posts(CODES.map((code) => [code, toolCall('corpus_public', { kind: `code-${code}` })])),
  ),
  ...under('form', posts(FORMS.map(asked))),
  ...under(
    'page',
    posts([['2', toolCall('corpus_public', { kind: 'public-rows', _limit: 1, pageNo: 2 })]]),
  ),
  ...under('grid', GRID),
  ...under('fault', faulty('truncate', 3)),
  ...under('step back', STEP_BACK),
  ...under('shipped', posts(SHIPPED.map(([tool, args]) => [tool, toolCall(tool, args)]))),
  // Last: then no request is sent with this key for the operation.
  ...under('form', posts([asked('portal-22')])),
  ...under('fault', faulty('quota', 2)),
];
