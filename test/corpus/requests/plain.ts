import { INITIALIZED, notification, rpc, toolCall } from '../../support/rpc-requests.ts';
import type { Entry } from '../corpus-request.ts';
import { CALL, initialize, posts, under } from './build.ts';

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

const UNREADABLE = posts([
  ['nothing', ''],
  ['an open brace', '{'],
  ['a comma too many', '{"jsonrpc":"2.0",}'],
  ['no JSON', 'tools/list'],
  ['a NUL', '\u0000'],
  ['a text that is cut off', '{"a":"\\ud800'],
  ['Latin-1', Buffer.from(JSON.stringify(toolCall('fixture_cached', { n: 'ÿ' })), 'latin1')],
]);

const INVALID = posts([
  ['a number', '42'],
  ['a text', '"tools/list"'],
  ['null', 'null'],
  ['no jsonrpc', '{"id":1,"method":"tools/list"}'],
  ['jsonrpc 1.0', '{"jsonrpc":"1.0","id":1,"method":"tools/list"}'],
  ['no method', '{"jsonrpc":"2.0","id":1}'],
  ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":3}'],
  ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"tools/list"}'],
  ['an id that is true', '{"jsonrpc":"2.0","id":true,"method":"tools/list"}'],
  ['an id that is a list', '{"jsonrpc":"2.0","id":[1],"method":"tools/list"}'],
  ['an id of 257 characters', rpc('ping', {}, 'x'.repeat(257))],
  ['a response', { jsonrpc: '2.0', id: 1, result: {} }],
  ['63 levels in params', `{"jsonrpc":"2.0","id":1,"method":"ping","params":${nested(63)}}`],
  ['64 levels in params', `{"jsonrpc":"2.0","id":1,"method":"ping","params":${nested(64)}}`],
  ['a member named twice', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1,"a":2}}'],
  [
    '20,001 values',
    rpc(
      'ping',
      Array.from({ length: 20_001 }, () => 0),
    ),
  ],
  [
    'a number beyond doubles in a large body',
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":[1e400]${' '.repeat(70_000)}}`,
  ],
]);

const ID_TEXTS = [
  '7',
  '"seven"',
  '""',
  '"\\u0000\\n"',
  '"번호"',
  '1.5',
  '0',
  '-1',
  'null',
  '9007199254740993',
  '1e400',
  '1E5',
  '0.10',
  `"${'x'.repeat(256)}"`,
];

const IDS = posts(
  ID_TEXTS.map((id) => [id.slice(0, 30), `{"jsonrpc":"2.0","id":${id},"method":"ping"}`] as const),
);

const METHODS = posts([
  ['initialize', initialize('2025-11-25')],
  ['server/discover', rpc('server/discover')],
  ['subscriptions/listen', rpc('subscriptions/listen')],
  ['capitals', rpc('tools/LIST')],
  ['an empty name', rpc('')],
  ['__proto__', rpc('__proto__')],
  ['quotes', rpc('a"b\\c')],
  ['a name of 150 characters', rpc('m'.repeat(150))],
]);

const CALL_PARAMS = posts([
  ['none', rpc('tools/call')],
  ['a list', rpc('tools/call', [])],
  ['a text', rpc('tools/call', 'fixture_cached')],
  ['null', rpc('tools/call', null)],
  ['no name', rpc('tools/call', {})],
  ['an empty name', toolCall('')],
  ['a name that is a number', rpc('tools/call', { name: 4 })],
  ['an unknown tool', toolCall('no_such_tool')],
  ['an unknown tool with quotes', toolCall('a"b')],
  ['a name of the prototype', toolCall('constructor')],
  ['a name of 257 characters', toolCall('x'.repeat(257))],
  ['a name of 256 characters', toolCall('x'.repeat(256))],
  ['arguments that are a list', rpc('tools/call', { name: 'fixture_cached', arguments: [] })],
  ['arguments that are a text', rpc('tools/call', { name: 'fixture_cached', arguments: 'n=1' })],
  ['arguments that are null', rpc('tools/call', { name: 'fixture_uncached', arguments: null })],
  ['no arguments', rpc('tools/call', { name: 'fixture_uncached' })],
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
  ['the same arguments in another order', toolCall('fixture_cached', { color: 'red', n: 2 })],
  ['never cached', toolCall('fixture_uncached')],
  ['with a body', toolCall('fixture_write', { title: '제목', tags: ['a', 'b'] })],
  ['with a secret', toolCall('fixture_secret', { part: '가 나' })],
  ['_clientId of nobody', rpc('tools/call', { name: 'fixture_uncached', _clientId: 'sse_nobody' })],
  ['_clientId that is a number', rpc('tools/call', { name: 'fixture_uncached', _clientId: 5 })],
  [
    '_clientId in _meta',
    rpc('tools/call', { name: 'fixture_uncached', _meta: { _clientId: 'sse_nobody' } }),
  ],
  ['_clientId in the arguments', toolCall('fixture_uncached', { _clientId: 'sse_nobody' })],
]);

const list = (params?: unknown) => rpc('tools/list', params);

const LISTS = posts([
  ['all tools', list()],
  ['empty params', list({})],
  ['_meta', list({ _meta: { progressToken: 1 }, limit: 1 })],
  ['_clientId and a cursor', list({ _clientId: 'sse_x', cursor: 'abc', limit: 1 })],
  ['one', list({ limit: 1 })],
  ['a category', list({ category: 'economy', limit: 1 })],
  ['words', list({ query: 'current weather in Seoul', limit: 1 })],
  ['Korean words', list({ query: '환율', limit: 1 })],
  ['words in a category', list({ query: 'won exchange rate', category: 'economy', limit: 1 })],
  ['words that find nothing', list({ query: 'zymurgy' })],
]);

const BAD_LISTS = posts([
  ['an unknown category', list({ category: 'finance' })],
  ['a category that is a number', list({ category: 7 })],
  ['words that are a list', list({ query: ['weather'] })],
  ['201 characters of words', list({ query: 'x'.repeat(201) })],
  ['limit 0', list({ limit: 0 })],
  ['limit 501', list({ limit: 501 })],
  ['limit in quotes', list({ limit: '5' })],
  ['half a limit', list({ limit: 1.5 })],
  ['an unknown member', list({ 'a/b': 1 })],
  ['several faults', list({ query: 1, limit: -1, sort: 'name' })],
  ['params that are a list', list([])],
  ['params that are null', list(null)],
]);

const ping = (id: number) => rpc('ping', {}, id);

const BATCHES = posts([
  ['none', []],
  ['one', [ping(1)]],
  ['several kinds', [toolCall('fixture_cached', { n: 1 }, 1), 5, INITIALIZED, ping(2), [ping(3)]]],
  ['calls', [toolCall('fixture_cached', { n: 1 }, 'a'), toolCall('no_such_tool', {}, 'b')]],
  ['the same id twice', [ping(1), ping(1)]],
  ['notifications alone', [INITIALIZED, notification('tools/list')]],
  ['50', Array.from({ length: 50 }, (_, n) => ping(n))],
  ['51', Array.from({ length: 51 }, (_, n) => ping(n))],
]);

const NOTIFICATIONS = posts([
  ['of a list', notification('tools/list')],
  ['of a call', notification('tools/call', { name: 'fixture_uncached' })],
  ['of a call without a name', notification('tools/call', {})],
  ['of an unknown method', notification('no/such')],
  ['that is not JSON-RPC 2.0', { jsonrpc: '1.0', method: 'tools/list' }],
]);

const one = list({ limit: 1 });

const ADDRESSES = posts([
  ['a category', one, {}, '/mcp?category=weather'],
  ['names and patterns', list(), {}, '/mcp?tools=corpus_kept,fixture_w*'],
  ['both', one, {}, '/mcp?category=weather&tools=kma_*,frankfurter_rates'],
  ['a parameter twice', list(), {}, '/mcp?tools=corpus_kept&tools=fixture_write'],
  ['no names', list(), {}, '/mcp?tools='],
  ['percent signs', list(), {}, '/mcp?tools=fixture_w%2A%2Ccorpus_kept'],
  ['a call within', CALL, {}, '/mcp?tools=fixture_*'],
  ['a call outside', CALL, {}, '/mcp?tools=kma_*'],
  ['an unknown category', one, {}, '/mcp?category=finance'],
  ['a category in capitals', one, {}, '/mcp?category=Weather'],
  ['201 names', one, {}, `/mcp?tools=${Array.from({ length: 201 }, (_, n) => `t${n}`)}`],
  ['an unknown parameter', one, {}, '/mcp?utm_source=docs'],
  ['sessionid in small letters', one, {}, '/mcp?sessionid=sse_x'],
]);

const CALLERS = posts([
  ['curl', CALL, { accept: '*/*', 'user-agent': 'curl/8.5.0' }],
  ['axios', CALL, { accept: 'application/json, text/plain, */*', 'accept-encoding': 'gzip, br' }],
  ['no Accept', CALL, { 'user-agent': 'Go-http-client/1.1' }],
  ['a charset', CALL, { 'content-type': 'application/json; charset=utf-8' }],
  ['a key as a bearer', CALL, { 'x-api-key': undefined, authorization: 'Bearer {{key}}' }],
  [
    'a narrow key, within',
    toolCall('corpus_answer', { kind: 'list' }),
    { 'x-api-key': '{{narrowKey}}' },
  ],
  ['a narrow key, outside', CALL, { 'x-api-key': '{{narrowKey}}' }],
  ['a narrow key, a list', list({ query: 'kept' }), { 'x-api-key': '{{narrowKey}}' }],
  ['headers that name a tenant', CALL, { 'x-tenant-id': 'other', 'x-user-id': 'root' }],
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
