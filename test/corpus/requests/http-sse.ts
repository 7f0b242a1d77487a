import { INITIALIZED, notification, rpc, toolCall } from '../../support/rpc-requests.ts';
import type { Entry, Post } from '../corpus-request.ts';
import { initialize, KEY, onStream, posts } from './build.ts';

/** The number of events before any post: `ready` and `endpoint`. */
const OPENING = 2;

const session = (title: string, conversation: readonly Post[], query = ''): Entry => ({
  kind: 'stream',
  title,
  method: 'GET',
  path: `/mcp/sse${query}`,
  headers: { accept: 'text/event-stream', ...KEY },
  events: OPENING,
  posts: conversation,
});

/** The event of a finished call goes to every stream of the tenant, including this one. */
const calling = (name: string, args: object, id: string): Post =>
  onStream(toolCall(name, args, id), 2);

const GREETINGS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', 'latest'].map(
  (revision): Post => onStream(initialize(revision, revision), 1),
);

/** MCP 2024-11-05: posts, and a stream that carries their responses. */
export const HTTP_SSE: readonly Entry[] = [
  session('initialize of every revision', GREETINGS),
  session('messages', [
    onStream(rpc('ping', {}, 'p'), 1),
    onStream(INITIALIZED, 0),
    onStream(notification('notifications/cancelled', { requestId: 'nobody' }), 0),
    onStream({ jsonrpc: '2.0', id: 1, result: {} }, 0),
    onStream(rpc('tools/list', { limit: 1 }, 'page'), 1),
    onStream(rpc('tools/list', { cursor: 'none-of-yours' }, 'cursor'), 1),
    onStream(rpc('server/discover', {}, 'discover'), 1),
  ]),
  session('calls', [
    calling('fixture_cached', { n: 1 }, 'cached'),
    calling('fixture_cached', { n: 'x' }, 'arguments'),
    calling('corpus_answer', { kind: '500' }, 'failed'),
    calling('corpus_answer', { kind: 'text' }, 'text'),
    onStream(toolCall('no_such_tool', {}, 'unknown'), 1),
    onStream(rpc('tools/call', [], 'params'), 1),
  ]),
  session('what cannot be read', [
    onStream('{"jsonrpc":"2.0",', 0),
    onStream('', 0),
    onStream('5', 0),
    onStream({ id: 1, method: 'ping' }, 0),
    onStream(rpc('ping', {}, null), 0),
    onStream([rpc('ping')], 0),
    onStream([], 0),
  ]),
  session('other keys', [
    onStream(rpc('ping'), 0, { 'x-api-key': '{{otherKey}}' }),
    onStream(rpc('ping'), 0, { 'x-api-key': undefined }),
    onStream(rpc('ping'), 0, { 'x-api-key': 'tg_live_wrong' }),
  ]),
  session('a category', [onStream(rpc('tools/list', { limit: 1 }, 'l'), 1)], '?category=weather'),
  session(
    'names',
    [onStream(rpc('tools/list', { limit: 1 }, 'l'), 1)],
    '?tools=kma_*,corpus_kept&category=fixture',
  ),
  ...posts([
    ['a session that is gone', rpc('ping'), {}, '/mcp?sessionId={{session}}'],
    ['a session of nobody', rpc('ping'), {}, '/mcp?sessionId=sse_nobody'],
  ]),
];
