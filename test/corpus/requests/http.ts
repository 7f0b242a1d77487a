import { INITIALIZED } from '../../support/rpc-requests.ts';
import type { Entry } from '../corpus-request.ts';
import { asks, CALL, KEY, keyedAsks, posts, toPost, under } from './build.ts';

const METHODS = keyedAsks([
  ['GET /mcp', 'GET /mcp'],
  ['GET /mcp for events', 'GET /mcp', { accept: 'text/event-stream' }],
  ['DELETE /mcp', 'DELETE /mcp'],
  ['PUT /mcp', 'PUT /mcp'],
  ['HEAD /mcp', 'HEAD /mcp'],
  ['DELETE /mcp/sse', 'DELETE /mcp/sse'],
  ['DELETE /health', 'DELETE /health'],
  ['PATCH /registry/servers', 'PATCH /registry/servers'],
  ['PUT /registry/tools', 'PUT /registry/tools'],
  ['PUT /api/v1/tools', 'PUT /api/v1/tools'],
  ['PUT /api/v1/tools/x', 'PUT /api/v1/tools/x'],
  ['DELETE /api/v1/audit', 'DELETE /api/v1/audit'],
  ['GET /api/v1/register', 'GET /api/v1/register'],
  ['DELETE /openapi.json', 'DELETE /openapi.json'],
  ['TRACE /health', 'TRACE /health'],
  ['PROPFIND /health', 'PROPFIND /health'],
]);

const PATHS = asks([
  ['nowhere', 'GET /nowhere'],
  ['the root', 'GET /'],
  ['a slash too many', 'GET /health/'],
  ['capitals', 'GET /Health'],
  ['a NUL', 'GET /%00'],
  ['a percent sign', 'GET /%zz'],
  ['dots', 'GET /health/../etc/passwd'],
  ['2,000 characters', `GET /${'a'.repeat(2000)}`],
  ['another version', 'GET /api/v2/tools'],
  ['a well-known one', 'GET /.well-known/oauth-protected-resource/mcp'],
  ['a well-known one for people', 'GET /.well-known/openid-configuration', { accept: 'text/html' }],
]);

const WRONG_KEY = `tg_live_${'A'.repeat(43)}`;

const KEYS = asks([
  ['none', 'GET /api/v1/tools?limit=1'],
  ['an empty one', 'GET /api/v1/tools?limit=1', { 'x-api-key': '' }],
  ['one of another form', 'GET /api/v1/tools?limit=1', { 'x-api-key': 'wrong' }],
  ['an unknown one', 'GET /api/v1/tools?limit=1', { 'x-api-key': WRONG_KEY }],
  ['an expired one', 'GET /api/v1/tools?limit=1', { 'x-api-key': '{{expiredKey}}' }],
  ['a revoked one', 'GET /api/v1/tools?limit=1', { 'x-api-key': '{{revokedKey}}' }],
  ['Basic', 'GET /api/v1/tools?limit=1', { authorization: 'Basic dTpw' }],
  ['Bearer of nothing', 'GET /api/v1/tools?limit=1', { authorization: 'Bearer' }],
  ['bearer in small letters', 'GET /api/v1/tools?q=zymurgy', { authorization: 'bearer {{key}}' }],
  ['two that agree', 'GET /api/v1/tools?q=zymurgy', { ...KEY, authorization: 'Bearer {{key}}' }],
  ['two that differ', 'GET /api/v1/tools', { ...KEY, authorization: 'Bearer {{otherKey}}' }],
  ['in the address', 'GET /api/v1/tools?api_key={{key}}'],
  ['none for DELETE', 'DELETE /api/v1/tools/x'],
  ['none for the audit log', 'GET /api/v1/audit'],
  ['none for an address that takes none', 'GET /nowhere', { 'x-api-key': 'wrong' }],
]);

const KEYS_OF_POSTS = posts([
  ['none', CALL, { 'x-api-key': undefined }],
  ['an unknown one', CALL, { 'x-api-key': WRONG_KEY }],
  ['none, for Streamable HTTP', CALL, { 'x-api-key': undefined, accept: 'text/event-stream' }],
  ['none, without JSON', '{', { 'x-api-key': undefined }],
]);

const TYPES = posts([
  ['text', CALL, { 'content-type': 'text/plain' }],
  ['a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['parts', CALL, { 'content-type': 'multipart/form-data; boundary=x' }],
  ['no type', CALL, { 'content-type': undefined }],
  ['no type, and nothing', '', { 'content-type': undefined }],
  ['no type that there is', CALL, { 'content-type': 'json' }],
  [
    'text, for Streamable HTTP',
    CALL,
    { 'content-type': 'text/plain', accept: 'text/event-stream' },
  ],
  ['packed', CALL, { 'content-encoding': 'gzip' }],
  ['identity', INITIALIZED, { 'content-encoding': 'Identity' }],
  ['an Accept of nothing that there is', CALL, { accept: 'image/png' }],
]);

const SIZES = posts([
  ['as large as may be', JSON.stringify(INITIALIZED).padEnd(1024 * 1024)],
  ['too large', JSON.stringify(INITIALIZED).padEnd(1024 * 1024 + 1)],
]);

/** Header lines, sent unchanged. */
const bytes = (title: string, lines: readonly string[], body = ''): Entry => ({
  kind: 'bytes',
  title,
  text: `${lines.join('\r\n')}\r\n\r\n${body}`,
});

const GET = 'GET /health HTTP/1.1';
const CLOSE = 'connection: close';
const message = String(toPost(INITIALIZED).body);
const POST = ['POST /mcp HTTP/1.1', 'host: a', 'content-type: application/json'];
const LENGTH = `content-length: ${message.length}`;

const HEADS = [
  bytes('no Host', [GET]),
  bytes('two Hosts', [GET, 'host: a', 'host: b']),
  bytes('101 headers', [GET, 'host: a', ...Array.from({ length: 100 }, () => 'x-a: b')]),
  bytes('17,000 bytes', [GET, 'host: a', `x-a: ${'b'.repeat(17_000)}`]),
  bytes('an expectation', [GET, 'host: a', 'expect: the-best']),
  bytes('a length that is none', [GET, 'host: a', 'content-length: x']),
  bytes('a length and chunks', [GET, 'host: a', 'content-length: 1', 'transfer-encoding: chunked']),
  bytes('HTTP/0.9', ['GET /health HTTP/0.9']),
  bytes('HTTP/2.0', ['GET /health HTTP/2.0']),
  bytes('HTTP/1.0', ['GET /health HTTP/1.0']),
  bytes('HTTP/1.0 with chunks', ['GET /health HTTP/1.0', 'transfer-encoding: chunked']),
  bytes('no HTTP', ['\u0016\u0003\u0001\u0002']),
  bytes('a key twice', [
    'GET /api/v1/tools HTTP/1.1',
    'host: a',
    CLOSE,
    'x-api-key: {{key}}',
    'x-api-key: {{key}}',
  ]),
  bytes('an address for a path', [
    'GET http://elsewhere.example/health HTTP/1.1',
    'host: a',
    CLOSE,
  ]),
];

const CONNECTIONS = [
  bytes('two requests', [GET, 'host: a', '', GET, 'host: a', CLOSE]),
  bytes('a request and none', [GET, 'host: a', '', 'nonsense']),
  bytes(
    '100-continue',
    [...POST, 'x-api-key: {{key}}', 'expect: 100-continue', CLOSE, LENGTH],
    message,
  ),
  bytes('100-continue without a key', [...POST, 'expect: 100-continue', 'content-length: 10']),
  bytes('100-continue, too large', [
    ...POST,
    'x-api-key: {{key}}',
    'expect: 100-continue',
    'content-length: 2000000',
  ]),
  bytes(
    'a body in chunks',
    [...POST, 'x-api-key: {{key}}', CLOSE, 'transfer-encoding: chunked'],
    `${message.length.toString(16)}\r\n${message}\r\n0\r\n\r\n`,
  ),
];

/** Requests that HTTP itself defines or forbids. */
export const HTTP: readonly Entry[] = [
  ...under('method', METHODS),
  ...under('path', PATHS),
  ...under('key', KEYS),
  ...under('key of a post', KEYS_OF_POSTS),
  ...under('type', TYPES),
  ...under('size', SIZES),
  ...under('head', HEADS),
  ...under('connection', CONNECTIONS),
];
