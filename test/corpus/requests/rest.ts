import type { Entry } from '../corpus-request.ts';
import { asks, keyedAsks, posts, under } from './build.ts';

const TOOLS = keyedAsks([
  ['a page', 'GET /api/v1/tools?limit=1'],
  ['the next page', 'GET /api/v1/tools?limit=1&cursor={{nextCursor}}'],
  ['no limit', 'GET /api/v1/tools'],
  ['all', 'GET /api/v1/tools?limit=500'],
  ['a category', 'GET /api/v1/tools?category=economy&limit=1'],
  [
    'the next page of a category',
    'GET /api/v1/tools?category=economy&limit=1&cursor={{nextCursor}}',
  ],
  ['words', 'GET /api/v1/tools?q=current+weather+in+Seoul&limit=1'],
  [
    'the next page of words',
    'GET /api/v1/tools?q=current+weather+in+Seoul&limit=1&cursor={{nextCursor}}',
  ],
  ['a cursor of other words', 'GET /api/v1/tools?q=rain&limit=1&cursor={{nextCursor}}'],
  ['Korean words', 'GET /api/v1/tools?q=%ED%99%98%EC%9C%A8&limit=1'],
  ['words in a category', 'GET /api/v1/tools?q=rate&category=economy&limit=1'],
  ['words that find nothing', 'GET /api/v1/tools?q=zymurgy'],
  ['presets', 'GET /api/v1/tools?source=preset&limit=1'],
  ['registered ones', 'GET /api/v1/tools?source=registered'],
  ['of a narrow key', 'GET /api/v1/tools?q=kept', { 'x-api-key': '{{narrowKey}}' }],
  ['HEAD', 'HEAD /api/v1/tools?limit=1'],
]);

const BAD_TOOLS = keyedAsks(
  [
    'limit=0',
    'limit=501',
    'limit=ten',
    'limit=1&limit=2',
    'colour=red',
    'source=elsewhere',
    'cursor=%21%21',
    'category=finance',
    `q=${'x'.repeat(201)}`,
    'limit=0&colour=red&source=x',
  ].map((query) => [query.slice(0, 40), `GET /api/v1/tools?${query}`] as const),
);

const ONE = keyedAsks([
  ['by its name', 'GET /api/v1/tools/corpus_kept'],
  ['by its id', 'GET /api/v1/tools/fixture.corpus.corpus_kept'],
  ['public data', 'GET /api/v1/tools/kma_forecast_version'],
  ['an unknown one', 'GET /api/v1/tools/nothing'],
  ['one of the prototype', 'GET /api/v1/tools/constructor'],
  [
    'one that the key may not use',
    'GET /api/v1/tools/fixture_cached',
    { 'x-api-key': '{{narrowKey}}' },
  ],
  ['301 characters', `GET /api/v1/tools/${'x'.repeat(301)}`],
  ['a parameter', 'GET /api/v1/tools/corpus_kept?full=1'],
  ['DELETE', 'DELETE /api/v1/tools/corpus_kept'],
  ['DELETE of an unknown one', 'DELETE /api/v1/tools/nothing'],
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
  ['servers of a category', 'GET /registry/servers?prefix=economy/'],
  ['one server', 'GET /registry/servers?prefix=fixture/corpus-public'],
  ['no servers', 'GET /registry/servers?prefix=none/'],
  ['no servers, unchanged', 'GET /registry/servers?prefix=none/', { 'if-none-match': '{{etag}}' }],
  ['an empty prefix', 'GET /registry/servers?prefix='],
  ['a long prefix', `GET /registry/servers?prefix=${'x'.repeat(101)}`],
  ['tools', 'GET /registry/tools'],
  ['tools, unchanged', 'GET /registry/tools', { 'if-none-match': '{{etag}}' }],
  ['tools, weakly unchanged', 'GET /registry/tools', { 'if-none-match': '"other", W/{{etag}}' }],
  ['tools, any', 'GET /registry/tools', { 'if-none-match': '*' }],
  ['tools, changed', 'GET /registry/tools?limit=1', { 'if-none-match': '"other"' }],
  ['HEAD of tools', 'HEAD /registry/tools'],
  ['words', 'GET /registry/tools?q=weather&limit=1'],
  ['a category', 'GET /registry/tools?category=culture&limit=1'],
  ['nothing', 'GET /registry/tools?q=zymurgy'],
  ['an unknown category', 'GET /registry/tools?category=finance'],
  ['limit 0', 'GET /registry/tools?limit=0'],
  ['an unknown parameter', 'GET /registry/tools?query=weather'],
]);

const DESCRIPTION: Entry[] = [
  {
    kind: 'request',
    title: 'whole',
    method: 'GET',
    path: '/openapi.json',
    headers: {},
    isWhole: true,
  },
  ...asks([
    ['unchanged', 'GET /openapi.json', { 'if-none-match': '{{etag}}' }],
    ['br', 'GET /openapi.json', { 'accept-encoding': 'gzip, deflate, br' }],
    ['gzip', 'GET /openapi.json', { 'accept-encoding': 'gzip' }],
    ['another origin', 'GET /openapi.json', { origin: 'http://localhost:5173' }],
    ['HEAD', 'HEAD /openapi.json'],
  ]),
];

const DOCS = asks([
  ['without a slash', 'GET /docs'],
  ['the page', 'GET /docs/'],
  ['the script', 'GET /docs/js/scalar.js', { 'accept-encoding': 'br' }],
  ['another script', 'GET /docs/js/scalar.0123456789abcdef.js'],
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
