import { INITIALIZED, notification, rpc, toolCall } from '../../support/rpc-requests.ts';
import type { Entry } from '../corpus-request.ts';
import { CALL, initialize, posts, under } from './build.ts';

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

const UNREADABLE = posts([
  ['nothing', ''],
  ['Latin-1', Buffer.from(JSON.stringify(toolCall('fixture_cached', { n: 'ÿ' })), 'latin1')],
]);

const INVALID = posts([
  ['a number', '42'],
  ['no jsonrpc', '{"id":1,"method":"tools/list"}'],
  ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"tools/list"}'],
  ['an id of 257 characters', rpc('ping', {}, 'x'.repeat(257))],
  ['63 levels in params', `{"jsonrpc":"2.0","id":1,"method":"ping","params":${nested(63)}}`],
  ['a member named twice', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1,"a":2}}'],
]);

const ID_TEXTS = ['"seven"', '"번호"', '1.5', '9007199254740993'];

const IDS = posts(
  ID_TEXTS.map((id) => [id.slice(0, 30), `{"jsonrpc":"2.0","id":${id},"method":"ping"}`] as const),
);

const METHODS = posts([
  ['initialize', initialize('2025-11-25')],
  ['initialize without a revision', rpc('initialize')],
]);

const CALL_PARAMS = posts([
  ['an unknown tool', toolCall('no_such_tool')],
  ['arguments that are null', rpc('tools/call', { name: 'fixture_uncached', arguments: null })],
  [
    '1,001 arguments',
    toolCall(
      'fixture_cached',
      Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`a${n}`, n])),
    ),
  ],
]);

const CALLS = posts([
  ['the first time', CALL],
  ['the second time', CALL],
  ['with a body', toolCall('fixture_write', { title: '제목', tags: ['a', 'b'] })],
]);

const list = (params?: unknown) => rpc('tools/list', params);

const LISTS = posts([
  ['all tools', list()],
  ['words that find nothing', list({ query: 'zymurgy' })],
]);

const BAD_LISTS = posts([
  ['an unknown category', list({ category: 'finance' })],
  ['limit 0', list({ limit: 0 })],
  ['several faults', list({ query: 1, limit: -1, sort: 'name' })],
]);

const ping = (id: number) => rpc('ping', {}, id);

const BATCHES = posts([
  ['several kinds', [toolCall('fixture_cached', { n: 1 }, 1), 5, INITIALIZED, ping(2), [ping(3)]]],
  ['calls', [toolCall('fixture_cached', { n: 1 }, 'a'), toolCall('no_such_tool', {}, 'b')]],
  ['51', Array.from({ length: 51 }, (_, n) => ping(n))],
]);

const NOTIFICATIONS = posts([
  ['of a call', notification('tools/call', { name: 'fixture_uncached' })],
  ['that is not JSON-RPC 2.0', { jsonrpc: '1.0', method: 'tools/list' }],
]);

const one = list({ limit: 1 });

const ADDRESSES = posts([
  ['names and patterns', list(), {}, '/mcp?tools=corpus_kept,fixture_w*'],
  ['a call outside', CALL, {}, '/mcp?tools=kma_*'],
  ['an unknown category', one, {}, '/mcp?category=finance'],
]);

const CALLERS = posts([
  ['curl', CALL, { accept: '*/*', 'user-agent': 'curl/8.5.0' }],
  ['a key as a bearer', CALL, { 'x-api-key': undefined, authorization: 'Bearer {{key}}' }],
  [
    'a narrow key, within',
    toolCall('corpus_answer', { kind: 'list' }),
    { 'x-api-key': '{{narrowKey}}' },
  ],
  ['a narrow key, outside', CALL, { 'x-api-key': '{{narrowKey}}' }],
]);

/** Plain JSON-RPC: what the gateway reads of a request, and what it rejects. */
export const PLAIN: readonly Entry[] = [
  ...under('unreadable', UNREADABLE),
  ...under('invalid', INVALID),
  ...under('id', IDS),
  ...under('method', METHODS),
  ...under('params of tools/call', CALL_PARAMS),
  ...under('call', CALLS),
  ...under('tools/list', LISTS),
  ...under('bad tools/list', BAD_LISTS),
  ...under('batch', BATCHES),
  ...under('notification', NOTIFICATIONS),
  ...under('address', ADDRESSES),
  ...under('caller', CALLERS),
];
