import { ACCEPTS_EVENTS, toolCall } from '../../support/rpc-requests.ts';
import type { Entry } from '../corpus-request.ts';
import { after, CALL, initialize, keyedAsks, posts, under } from './build.ts';

const AGENT = { 'user-agent': 'corpus/1' };

/** A call, followed by its record. */
const recorded = (title: string, [entry]: readonly Entry[]): Entry[] => [
  ...(entry ? [entry] : []),
  ...keyedAsks([[`the record of ${title}`, 'GET /api/v1/audit/{{auditId}}']]),
];

const of = (title: string, body: unknown, fields = {}): Entry[] =>
  recorded(title, posts([[title, body, { ...AGENT, ...fields }]]));

const RECORDS = [
  ...of('a call', CALL),
  ...of('a cached call', CALL),
  ...of('a refused call', toolCall('fixture_cached', { n: 'x' })),
  ...of('a 404', toolCall('corpus_answer', { kind: '404' })),
  ...of('an answer that cannot be read', toolCall('corpus_answer', { kind: 'html' })),
  ...of('public data', toolCall('corpus_public', { kind: 'code-22' })),
  ...of('a secret', toolCall('fixture_secret', { part: 'a' })),
  ...of('personal data', toolCall('corpus_person', { name: 'Gildong', note: '010-1234-5678' })),
  ...of('long arguments', toolCall('fixture_write', { title: 'x'.repeat(9000), tags: ['a'] })),
  ...of('Streamable HTTP', CALL, ACCEPTS_EVENTS),
  ...of('no User-Agent', CALL, { 'user-agent': undefined }),
];

const LATER = after({ laterMs: 3_600_000 }, posts([['an hour later', CALL, AGENT]]));

const PAGES = keyedAsks([
  ['the newest', 'GET /api/v1/audit?limit=1'],
  ['the next', 'GET /api/v1/audit?limit=1&cursor={{nextCursor}}'],
  ['all', 'GET /api/v1/audit'],
  ['of a tool', 'GET /api/v1/audit?tool=corpus_person'],
  ['of no tool', 'GET /api/v1/audit?tool=nothing'],
  ['failed ones', 'GET /api/v1/audit?status=error&limit=1'],
  ['those that upstreams refused', 'GET /api/v1/audit?status=upstream_error&limit=1'],
  ['good ones', 'GET /api/v1/audit?status=ok&limit=1'],
  ['of a cause', 'GET /api/v1/audit?error=invalid_arguments&limit=1'],
  [
    'of a client, in a class of status',
    'GET /api/v1/audit?client=CORPUS&upstreamStatus=4xx&limit=1',
  ],
  ['from a time', 'GET /api/v1/audit?from=2026-11-20T03:30:00Z'],
  ['up to a time', 'GET /api/v1/audit?to=2026-11-20T12:30:00%2B09:00&limit=1'],
  ['within no time', 'GET /api/v1/audit?from=2026-11-21T00:00:00Z&to=2026-11-20T00:00:00Z'],
  ['of another tenant', 'GET /api/v1/audit', { 'x-api-key': '{{otherKey}}' }],
]);

const BAD_PAGES = keyedAsks(
  [
    'limit=0',
    'limit=501',
    'status=good',
    'from=yesterday',
    'to=2026-13-01T00:00:00Z',
    'from=2026-11-20',
    'cursor=none-of-yours',
    'upstreamStatus=404',
    'page=2',
  ].map((query) => [query, `GET /api/v1/audit?${query}`] as const),
);

const ONE = keyedAsks([
  ['of another tenant', 'GET /api/v1/audit/{{auditId}}', { 'x-api-key': '{{otherKey}}' }],
  ['an unknown one', 'GET /api/v1/audit/aud_01KAF000000000000000000000'],
  ['no id', 'GET /api/v1/audit/x'],
  ['HEAD', 'HEAD /api/v1/audit/x'],
]);

/** Audit records, one by one and in pages. */
export const AUDIT: readonly Entry[] = [
  ...under('no page', keyedAsks([['yet', 'GET /api/v1/audit']])),
  ...RECORDS,
  ...under('no record', posts([['of initialize', initialize('2025-11-25'), ACCEPTS_EVENTS]])),
  ...LATER,
  ...under('page', PAGES),
  ...under('bad page', BAD_PAGES),
  ...under('record', ONE),
];
