import { rpc, toolCall } from '../../support/rpc-requests.ts';
import type { Entry, Post } from '../corpus-request.ts';
import { asks, CALL, KEY, toPost } from './build.ts';

const watching = (title: string, calls: readonly Post[], query = ''): Entry => ({
  kind: 'stream',
  title,
  method: 'GET',
  path: `/mcp/sse${query}`,
  headers: KEY,
  events: 2,
  posts: calls,
});

const told = (body: unknown, key = '{{key}}'): Post => ({
  ...toPost(body, { 'x-api-key': key }),
  events: 1,
});
const untold = (body: unknown, key?: string): Post => ({ ...told(body, key), events: 0 });

const naming = (clientId: string) =>
  rpc('tools/call', { name: 'fixture_uncached', _clientId: clientId });

const noted = (note: string) => toolCall('corpus_person', { name: 'Gildong', note });

/** `GET /mcp/sse` for clients that only listen. */
export const EVENTS: readonly Entry[] = [
  watching('a finished call of each kind', [
    told(CALL),
    told(CALL),
    told(toolCall('fixture_cached', { n: 'x' })),
    told(toolCall('corpus_answer', { kind: '404' })),
    told(toolCall('corpus_answer', { kind: 'html' })),
    told(toolCall('fixture_secret', { part: 'a' })),
    told(toolCall('corpus_public', { kind: 'code-22' })),
    told(noted('010-1234-5678')),
    untold(toolCall('no_such_tool')),
  ]),
  watching('whom an event is for', [
    told(naming('{{session}}')),
    untold(naming('sse_nobody')),
    untold(CALL, '{{otherKey}}'),
    told(toolCall('corpus_answer', { kind: 'list' }), '{{narrowKey}}'),
  ]),
  watching(
    'some tools',
    [untold(CALL), told(toolCall('corpus_answer', { kind: 'list' }))],
    '?tools=corpus_*',
  ),
  watching('an unknown parameter', [told(CALL)], '?tool=x'),
  ...asks([
    ['no key', 'GET /mcp/sse'],
    ['a wrong key', 'GET /mcp/sse', { 'x-api-key': 'tg_live_wrong' }],
    ['an unknown category', 'GET /mcp/sse?category=finance', KEY],
    ['HEAD', 'HEAD /mcp/sse', KEY],
  ]),
];
