import {
  ACCEPTS_EVENTS,
  META,
  notification,
  REVISION,
  rpc,
  statelessHeaders,
} from '../../support/rpc-requests.ts';
import type { Entry, Fields } from '../corpus-request.ts';
import { CALL, initialize, type PostRow, posts, STATELESS_META, toPost, under } from './build.ts';

type Row = readonly [
  title: string,
  method: string,
  params?: object,
  fields?: Fields,
  path?: string,
];

const rows = (table: readonly Row[]): Entry[] =>
  posts(
    table.map(([title, method, params = {}, fields, path]) => [
      title,
      rpc(method, { ...params, _meta: STATELESS_META }),
      { ...statelessHeaders(method, params), ...fields },
      path,
    ]),
  );

const toolRow = (title: string, name: string, args: object = {}, fields: Fields = {}): Row => [
  title,
  'tools/call',
  { name, arguments: args },
  fields,
];

const METHODS = rows([
  ['server/discover', 'server/discover'],
  ['initialize', 'initialize'],
  ['ping', 'ping'],
  ['an unknown method', 'x/y'],
  ['a page', 'tools/list', { limit: 1 }],
  ['a cursor that is none', 'tools/list', { cursor: 'none-of-yours' }],
  ['names in the address', 'tools/list', {}, {}, '/mcp?tools=fixture_write'],
  ['an unknown category', 'tools/list', {}, {}, '/mcp?category=finance'],
  ['a listening without notifications', 'subscriptions/listen'],
]);

const CALLS = rows([
  toolRow('cached', 'fixture_cached', { n: 1 }),
  toolRow('an Accept of event streams', 'fixture_cached', { n: 1 }, ACCEPTS_EVENTS),
  toolRow('an unknown tool', 'no_such_tool'),
  toolRow('arguments that do not fit', 'fixture_cached', { n: 'x' }),
  toolRow('404', 'corpus_answer', { kind: '404' }),
  toolRow('some rows', 'corpus_rows', { kind: 'three-rows', _limit: 1 }),
  toolRow('a public refusal', 'corpus_public', { kind: 'code-30' }),
  toolRow('content of its own', 'corpus_blocks', { kind: 'own-blocks' }),
]);

const ARGS = { name: 'fixture_cached', arguments: { n: 1 } };
const fields = statelessHeaders('tools/call', ARGS);
const claiming = (meta: unknown) => rpc('tools/call', { ...ARGS, _meta: meta });
const good = claiming(STATELESS_META);
const { [META.capabilities]: _left, ...WITHOUT_CAPABILITIES } = STATELESS_META;
const later = { ...STATELESS_META, [META.version]: '2027-01-01' };

const invalid = (title: string, more: Fields, body: unknown = good): PostRow => [
  title,
  body,
  { ...fields, ...more },
];

const INVALID = posts([
  invalid('no _meta', {}, CALL),
  invalid('an empty _meta', {}, claiming({})),
  invalid('no capabilities', {}, claiming(WITHOUT_CAPABILITIES)),
  invalid('another version in the header', { 'mcp-protocol-version': '2025-11-25' }),
  invalid('no version in the header', { 'mcp-protocol-version': undefined }),
  invalid('another name', { 'mcp-name': 'fixture_brief' }),
  invalid('a later version', { 'mcp-protocol-version': '2027-01-01' }, claiming(later)),
  invalid('a later version in the header alone', { 'mcp-protocol-version': '2027-01-01' }),
  ['a claim without headers', good],
  ['the header alone, with initialize', initialize(REVISION), { 'mcp-protocol-version': REVISION }],
]);

const MESSAGES = posts([
  invalid(
    'a notification',
    {},
    notification('notifications/cancelled', { requestId: 1, _meta: STATELESS_META }),
  ),
  invalid('a response', {}, { jsonrpc: '2.0', id: 1, result: {} }),
  invalid('null for an id', {}, { ...good, id: null }),
  invalid('no JSON', {}, '{'),
  invalid('a batch', {}, [good]),
]);

const listening = (id: string, notifications: object, events: number): Entry => ({
  kind: 'stream',
  title: `listening for ${JSON.stringify(notifications)}`,
  ...toPost(
    rpc('subscriptions/listen', { notifications, _meta: STATELESS_META }, id),
    statelessHeaders('subscriptions/listen'),
  ),
  events,
  posts: [],
});

const SLOW = rpc('tools/call', {
  name: 'corpus_answer',
  arguments: { kind: 'late' },
  _meta: { ...STATELESS_META, progressToken: 0 },
});

/** MCP 2026-07-28. */
export const STATELESS: readonly Entry[] = [
  ...under('method', METHODS),
  ...under('tools/call', CALLS),
  ...under('fault', INVALID),
  ...under('message', MESSAGES),
  listening('sub-1', { toolsListChanged: true, promptsListChanged: true }, 1),
  ...posts([
    [
      'a call that takes long',
      SLOW,
      { ...statelessHeaders('tools/call', { name: 'corpus_answer' }), ...ACCEPTS_EVENTS },
    ],
  ]),
];
