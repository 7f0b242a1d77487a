import type { Entry } from '../corpus-request.ts';
import { after, call, posts, under } from './build.ts';

/** Answers of the fixture upstream, the first of which is what it was asked. */
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

const answered = (kind: string) => [kind, call('corpus_answer', { kind })] as const;

const ROWS = posts([
  ['three', call('corpus_rows', { kind: 'three-rows' })],
  ['one', call('corpus_rows', { kind: 'one-row' })],
  ['null', call('corpus_rows', { kind: 'null-rows' })],
  ['none', call('corpus_rows', { kind: 'no-rows' })],
  ['refused', call('corpus_rows', { kind: 'refused-rows' })],
  ['_limit', call('corpus_rows', { kind: 'three-rows', _limit: 1 })],
  ['_limit on a page', call('corpus_rows', { kind: 'three-rows', _limit: 2, page: 2 })],
  ['_fields', call('corpus_rows', { kind: 'three-rows', _fields: ['b'] })],
  [
    '_fields and _limit',
    call('corpus_rows', { kind: 'three-rows', _fields: ['c', 'a'], _limit: 1 }),
  ],
  ['_limit of none', call('corpus_rows', { kind: 'no-rows', _limit: 1 })],
  ['_limit of a refusal', call('corpus_rows', { kind: 'refused-rows', _limit: 1 })],
  ['an unknown column', call('corpus_rows', { kind: 'three-rows', _fields: ['a', 'd', 'e'] })],
  ['no columns', call('corpus_rows', { kind: 'three-rows', _fields: [] })],
  ['a column in quotes', call('corpus_rows', { kind: 'three-rows', _fields: 'a' })],
  [
    '201 columns',
    call('corpus_rows', { kind: 'three-rows', _fields: Array.from({ length: 201 }, () => 'a') }),
  ],
  ['_limit 0', call('corpus_rows', { kind: 'three-rows', _limit: 0 })],
  ['_limit of a tool without rows', call('corpus_answer', { kind: 'list', _limit: 1 })],
]);

const kept = call('corpus_kept', { kind: 'list' });

const FRESHNESS = [
  ...posts([
    ['fetched', kept],
    ['kept', kept],
  ]),
  ...after({ upstream: 'failing', laterMs: 1500 }, posts([['stale', kept]])),
  ...after({ laterMs: 3_700_000 }, posts([['too old', kept]])),
  ...after({ upstream: 'well' }, posts([['fetched again', kept]])),
];

/** Answers of upstreams in the words of plain JSON-RPC. */
export const UPSTREAMS: readonly Entry[] = [
  ...under('answer', posts(KINDS.map(answered))),
  ...under('secret', posts([['repeated', call('fixture_secret', { part: 'key-repeated' })]])),
  ...under('own content', posts([['plain', call('corpus_blocks', { kind: 'own-blocks' })]])),
  ...under('rows', ROWS),
  ...under('freshness', FRESHNESS),
];
