import type { Entry } from '../corpus-request.ts';
import { asks, CALL, KEY, keyedAsks, posts } from './build.ts';

/** Requests of operators and load balancers. */
export const HEALTH: readonly Entry[] = [
  ...asks([
    ['alive', 'GET /health'],
    ['HEAD', 'HEAD /health'],
    ['ready', 'GET /health/ready'],
    ['serving', 'GET /health/serving'],
    ['a parameter', 'GET /health?probe=1'],
    ['in detail, without a key', 'GET /health/detailed'],
  ]),
  ...keyedAsks([['in detail, before anything', 'GET /health/detailed']]),
  ...posts([['a call', CALL]]),
  ...keyedAsks([
    ['in detail', 'GET /health/detailed'],
    ['in detail, of another tenant', 'GET /health/detailed', { 'x-api-key': '{{otherKey}}' }],
  ]),
  {
    kind: 'stream',
    title: 'an hour later, with a stream open',
    before: { laterMs: 3_600_000 },
    method: 'GET',
    path: '/mcp/sse',
    headers: KEY,
    events: 2,
    posts: [{ method: 'GET', path: '/health/detailed', headers: KEY, events: 0 }],
  },
];
