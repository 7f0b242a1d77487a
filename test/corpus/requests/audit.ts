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
  ...of('a refused call', toolCall('fixture_cached', { n: 'x' })),
  ...of('a 404', toolCall('corpus_answer', { kind: '404' })),
  ...of('an answer that cannot be read', toolCall('corpus_answer', { kind: 'html' })),
  ...of('public data', toolCall('corpus_public', { kind: 'code-22' })),
  ...of('personal data', toolCall('corpus_person', { name: 'Gildong', note: '010-1234-5678' })),
  ...of('long arguments', toolCall('fixture_write', { title: 'x'.repeat(9000), tags: ['a'] })),
];

const LATER = after({ laterMs: 3_600_000 }, posts([['an hour later', CALL, AGENT]]));

const PAGES = keyedAsks([
  ['the newest', 'GET /api/v1/audit?limit=1'],
  ['failed ones', 'GET /api/v1/audit?status=error&limit=1'],
  ['of a cause', 'GET /api/v1/audit?error=invalid_arguments&limit=1'],
  ['of another tenant', 'GET /api/v1/audit', { 'x-api-key': '{{otherKey}}' }],
]);

const BAD_PAGES = keyedAsks(
  ['limit=0', 'from=yesterday'].map((query) => [query, `GET /api/v1/audit?${query}`] as const),
);

const ONE = keyedAsks([
  ['of another tenant', 'GET /api/v1/audit/{{auditId}}', { 'x-api-key': '{{otherKey}}' }],
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
