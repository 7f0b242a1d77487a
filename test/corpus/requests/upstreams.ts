import { toolCall } from '../../support/rpc-requests.ts';
import type { Entry } from '../corpus-request.ts';
import { after, posts, under } from './build.ts';

/** Responses of the fixture upstream; the first echoes its request. */
const KINDS = [
  'echo',
  'list',
  'bare-controls',
  'cut-json',
  'text',
  'xml',
  'xml-cut',
  'xml-euc-kr',
  'json-euc-kr',
  'png',
  'no-content',
  '404',
  '503',
  'onward',
  'away',
  'half',
];

const answered = (kind: string) => [kind, toolCall('corpus_answer', { kind })] as const;

const ROWS = posts([
  ['three', toolCall('corpus_rows', { kind: 'three-rows' })],
  ['none', toolCall('corpus_rows', { kind: 'no-rows' })],
  ['refused', toolCall('corpus_rows', { kind: 'refused-rows' })],
  ['_limit', toolCall('corpus_rows', { kind: 'three-rows', _limit: 1 })],
  ['an unknown column', toolCall('corpus_rows', { kind: 'three-rows', _fields: ['a', 'd', 'e'] })],
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
