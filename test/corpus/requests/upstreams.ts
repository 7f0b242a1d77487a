import { toolCall } from '../../support/rpc-requests.ts';
import type { Entry } from '../corpus-request.ts';
import { after, posts, under } from './build.ts';

/** Responses of the fixture upstream; the first echoes its request. */
const KINDS = [
  'echo',
  'numbers',
  'list',
  'number',
  'string',
  'true',
  'null',
  'nothing',
  'blanks',
  'spaced-json',
  'json-as-text',
  'bare-controls',
  'cut-json',
  'no-type',
  'text',
  'csv',
  'html',
  'xml',
  'xml-names',
  'xml-cut',
  'xml-entity',
  'xml-euc-kr',
  'json-euc-kr',
  'json-ms949',
  'json-undeclared',
  'text-euc-kr',
  'utf-16',
  'byte-order-mark',
  'latin-1',
  'png',
  'mp3',
  'svg',
  'pdf',
  'gzip',
  'unknown-coding',
  'created',
  'no-content',
  '400',
  '401',
  '403',
  '404',
  '409',
  '418',
  '429',
  '500',
  '500-page',
  '503',
  'onward',
  'away',
  'round',
  'nowhere-named',
  'half',
];

const answered = (kind: string) => [kind, toolCall('corpus_answer', { kind })] as const;

const ROWS = posts([
  ['three', toolCall('corpus_rows', { kind: 'three-rows' })],
  ['one', toolCall('corpus_rows', { kind: 'one-row' })],
  ['null', toolCall('corpus_rows', { kind: 'null-rows' })],
  ['none', toolCall('corpus_rows', { kind: 'no-rows' })],
  ['refused', toolCall('corpus_rows', { kind: 'refused-rows' })],
  ['_limit', toolCall('corpus_rows', { kind: 'three-rows', _limit: 1 })],
  ['_limit on a page', toolCall('corpus_rows', { kind: 'three-rows', _limit: 2, page: 2 })],
  ['_fields', toolCall('corpus_rows', { kind: 'three-rows', _fields: ['b'] })],
  [
    '_fields and _limit',
    toolCall('corpus_rows', { kind: 'three-rows', _fields: ['c', 'a'], _limit: 1 }),
  ],
  ['_limit of none', toolCall('corpus_rows', { kind: 'no-rows', _limit: 1 })],
  ['_limit of a refusal', toolCall('corpus_rows', { kind: 'refused-rows', _limit: 1 })],
  ['an unknown column', toolCall('corpus_rows', { kind: 'three-rows', _fields: ['a', 'd', 'e'] })],
  ['no columns', toolCall('corpus_rows', { kind: 'three-rows', _fields: [] })],
  ['a column in quotes', toolCall('corpus_rows', { kind: 'three-rows', _fields: 'a' })],
  [
    '201 columns',
    toolCall('corpus_rows', {
      kind: 'three-rows',
      _fields: Array.from({ length: 201 }, () => 'a'),
    }),
  ],
  ['_limit 0', toolCall('corpus_rows', { kind: 'three-rows', _limit: 0 })],
  ['_limit of a tool without rows', toolCall('corpus_answer', { kind: 'list', _limit: 1 })],
]);

const kept = toolCall('corpus_kept', { kind: 'list' });

const FRESHNESS = [
  ...posts([
    ['fetched', kept],
    ['kept', kept],
  ]),
  ...after({ upstream: 'failing', laterMs: 600_000 }, posts([['stale', kept]])),
  ...after({ laterMs: 3_700_000 }, posts([['too old', kept]])),
  ...after({ upstream: 'well' }, posts([['fetched again', kept]])),
];

/** Upstream responses as plain JSON-RPC returns them. */
export const UPSTREAMS: readonly Entry[] = [
  ...under('answer', posts(KINDS.map(answered))),
  ...under('secret', posts([['repeated', toolCall('fixture_secret', { part: 'key-repeated' })]])),
  ...under('own content', posts([['plain', toolCall('corpus_blocks', { kind: 'own-blocks' })]])),
  ...under('rows', ROWS),
  ...under('freshness', FRESHNESS),
];
