import type { Entry } from '../corpus-request.ts';
import { asks, keyedAsks, posts, under } from './build.ts';

const TOOLS = keyedAsks([
  ['a page', 'GET /api/v1/tools?limit=1'],
  ['of a narrow key', 'GET /api/v1/tools?q=kept', { 'x-api-key': '{{narrowKey}}' }],
  ['HEAD', 'HEAD /api/v1/tools?limit=1'],
]);

const BAD_TOOLS = keyedAsks(
  ['limit=0', 'limit=0&colour=red&source=x'].map(
    (query) => [query.slice(0, 40), `GET /api/v1/tools?${query}`] as const,
  ),
);

const ONE = keyedAsks([
  ['by its name', 'GET /api/v1/tools/corpus_kept'],
  ['an unknown one', 'GET /api/v1/tools/nothing'],
  [
    'one that the key may not use',
    'GET /api/v1/tools/fixture_cached',
    { 'x-api-key': '{{narrowKey}}' },
  ],
  ['a parameter', 'GET /api/v1/tools/corpus_kept?full=1'],
  ['DELETE', 'DELETE /api/v1/tools/corpus_kept'],
]);

const REGISTRATION = [
  ...posts([
    ['submitted', { name: 'mine', spec_raw: '{}' }, {}, '/api/v1/register'],
    ['of nothing', '', { 'content-type': undefined }, '/api/v1/register'],
  ]),
  ...keyedAsks([['status', 'GET /api/v1/register/job_1/status']]),
];

const REGISTRY = asks([
  ['servers', 'GET /registry/servers'],
  ['no servers, unchanged', 'GET /registry/servers?prefix=none/', { 'if-none-match': '{{etag}}' }],
  ['tools', 'GET /registry/tools'],
  ['tools, unchanged', 'GET /registry/tools', { 'if-none-match': '{{etag}}' }],
  ['HEAD of tools', 'HEAD /registry/tools'],
]);

const DESCRIPTION: Entry[] = [
  ...asks([
    ['HEAD', 'HEAD /openapi.json'],
    ['unchanged', 'GET /openapi.json', { 'if-none-match': '{{etag}}' }],
    ['br', 'GET /openapi.json', { 'accept-encoding': 'gzip, deflate, br' }],
    ['another origin', 'GET /openapi.json', { origin: 'http://localhost:5173' }],
  ]),
];

const DOCS = asks([
  ['without a slash', 'GET /docs'],
  ['the page', 'GET /docs/'],
]);

/** The endpoints other than `/mcp`. */
export const REST: readonly Entry[] = [
  ...under('tools', TOOLS),
  ...under('bad tools', BAD_TOOLS),
  ...under('tool', ONE),
  ...under('registration', REGISTRATION),
  ...under('registry', REGISTRY),
  ...under('openapi.json', DESCRIPTION),
  ...under('docs', DOCS),
];
