import { ACCEPTS_EVENTS, REVISION, rpc, statelessHeaders } from '../../support/rpc-requests.ts';
import type { Entry } from '../corpus-request.ts';
import { asks, CALL, keyedAsks, type PostRow, posts, STATELESS_META, under } from './build.ts';

export const LIMITS_ENV = { RATE_LIMIT_PER_MINUTE: '6', AUTH_FAILURES_PER_MINUTE: '2' };

const CALLED = { name: 'fixture_cached', arguments: { n: 1 } };

const inAllDialects: readonly PostRow[] = [
  ['plain', CALL],
  ['Streamable HTTP', CALL, ACCEPTS_EVENTS],
  [
    REVISION,
    rpc('tools/call', { ...CALLED, _meta: STATELESS_META }),
    statelessHeaders('tools/call', CALLED),
  ],
];

const BEYOND = [
  ...posts([
    ...inAllDialects,
    ['a list of Streamable HTTP', rpc('tools/list'), ACCEPTS_EVENTS],
    ['a large body of Streamable HTTP', JSON.stringify(CALL).padEnd(20_000), ACCEPTS_EVENTS],
  ]),
  ...keyedAsks([
    ['REST', 'GET /api/v1/tools?q=zymurgy'],
    ['events', 'GET /mcp/sse'],
  ]),
];

const OTHER = { 'x-api-key': '{{otherKey}}' };

/** Requests within and beyond a key's limit, and requests with wrong keys. */
export const LIMITS: readonly Entry[] = [
  ...under('within', [
    ...posts(inAllDialects),
    ...keyedAsks([['REST', 'GET /api/v1/tools?q=zymurgy']]),
    ...posts([['a large body', JSON.stringify(rpc('ping')).padEnd(65_537)]]),
  ]),
  ...under('beyond', BEYOND),
  ...under(
    'batch',
    posts([
      ['of three', [rpc('ping'), rpc('ping'), rpc('ping')], OTHER],
      ['beyond', Array.from({ length: 9 }, () => rpc('ping')), OTHER],
      ['beyond, of Streamable HTTP', [rpc('ping'), rpc('ping')], { ...OTHER, ...ACCEPTS_EVENTS }],
    ]),
  ),
  ...under(
    'wrong key',
    asks(
      ['the first', 'the second', 'the third'].map(
        (title) => [title, 'GET /api/v1/audit', { 'x-api-key': title.replace(/ /g, '-') }] as const,
      ),
    ),
  ),
];
