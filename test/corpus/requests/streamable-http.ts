import {
  ACCEPTS_EVENTS,
  INITIALIZED,
  notification,
  rpc,
  toolCall,
} from '../../support/rpc-requests.ts';
import type { Entry, Fields } from '../corpus-request.ts';
import { CALL, initialize, type PostRow, posts, STATELESS_META, under } from './build.ts';

const version = (revision: string): Fields => ({ 'mcp-protocol-version': revision });

const rows = (fields: Fields, table: readonly PostRow[]): Entry[] =>
  posts(table.map(([title, body, more, path]) => [title, body, { ...fields, ...more }, path]));

const INITIALIZE = rows(ACCEPTS_EVENTS, [
  ...['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28', 'latest'].map(
    (revision): PostRow => [JSON.stringify(revision), initialize(revision, 0)],
  ),
]);

const SIGNS = posts([
  ['event streams alone', CALL, { accept: 'text/event-stream' }],
  ...['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'].map(
    (revision): PostRow => [revision, CALL, version(revision)],
  ),
  ...['2025-01-01', 'garbage'].map(
    (revision): PostRow => [`the unknown revision ${revision}`, CALL, version(revision)],
  ),
]);

const MESSAGES = rows(ACCEPTS_EVENTS, [
  ['ping', rpc('ping')],
  ['ping with null for an id', rpc('ping', {}, null)],
  ['an unknown method', rpc('resources/subscribe')],
  ['server/discover', rpc('server/discover')],
  ['a notification', INITIALIZED],
  ['a cancellation', notification('notifications/cancelled', { requestId: 7 })],
  ['no JSON', 'tools/list'],
  ['a number', '5'],
]);

const LISTS = rows(ACCEPTS_EVENTS, [
  ['all', rpc('tools/list')],
  ['a cursor that is none', rpc('tools/list', { cursor: 'none-of-yours' })],
  ['names in the address', rpc('tools/list'), {}, '/mcp?tools=fixture_write'],
  ['an unknown category', rpc('tools/list'), {}, '/mcp?category=finance'],
]);

const CALLS = rows(ACCEPTS_EVENTS, [
  ['cached', CALL],
  ['an unknown tool', toolCall('no_such_tool')],
  ['arguments that do not fit', toolCall('fixture_cached', { n: 'x', color: 'blue', colour: 1 })],
  [
    'a progress token',
    rpc('tools/call', { name: 'fixture_uncached', _meta: { progressToken: 1 } }),
  ],
  ...['list', 'text', 'xml', 'png', 'mp3', 'pdf'].map(
    (kind): PostRow => [kind, toolCall('corpus_answer', { kind })],
  ),
  ...['404', 'html'].map((kind): PostRow => [kind, toolCall('corpus_answer', { kind })]),
  ['three rows', toolCall('corpus_rows', { kind: 'three-rows' })],
  ['some rows', toolCall('corpus_rows', { kind: 'three-rows', _limit: 1, _fields: ['a'] })],
  ['no public rows', toolCall('corpus_public', { kind: 'code-03' })],
  ['a public refusal', toolCall('corpus_public', { kind: 'code-22' })],
  ['content of its own', toolCall('corpus_blocks', { kind: 'own-blocks' })],
]);

const completion = (argument: object, kind?: string) =>
  rpc('completion/complete', {
    ref: { type: 'ref/resource', uri: 'codes://{kind}/{name}' },
    argument,
    ...(kind === undefined ? {} : { context: { arguments: { kind } } }),
  });

const CODES = rows(ACCEPTS_EVENTS, [
  ['no resources', rpc('resources/list')],
  ['the template', rpc('resources/templates/list')],
  ['a code', rpc('resources/read', { uri: 'codes://district/Gangnam-gu' })],
  ['another address', rpc('resources/read', { uri: 'file:///etc/hosts' })],
  ['kinds', completion({ name: 'kind', value: 'mid_' })],
  ['names', completion({ name: 'name', value: '강남' }, 'district')],
]);

const BATCH = [rpc('ping', {}, 'p'), INITIALIZED, rpc('x', {}, 'x'), { jsonrpc: '2.0', id: 5 }];

const BATCHES = rows(ACCEPTS_EVENTS, [
  ['no revision', BATCH],
  ['2025-03-26', BATCH, version('2025-03-26')],
  ['2024-11-05', BATCH, version('2024-11-05')],
  ['2025-06-18', BATCH, version('2025-06-18')],
  ['one of 2026-07-28', [CALL, rpc('ping', { _meta: STATELESS_META })]],
]);

const SLOW = rpc('tools/call', {
  name: 'corpus_answer',
  arguments: { kind: 'late' },
  _meta: { progressToken: 'slow' },
});

/** MCP from 2025-03-26 to 2025-11-25. */
export const STREAMABLE_HTTP: readonly Entry[] = [
  ...under('initialize', INITIALIZE),
  ...under('sign', SIGNS),
  ...under('message', MESSAGES),
  ...under('tools/list', LISTS),
  ...under('tools/call', CALLS),
  ...under('codes', CODES),
  ...under('batch', BATCHES),
  ...rows(ACCEPTS_EVENTS, [['a call that takes long', SLOW]]),
];
