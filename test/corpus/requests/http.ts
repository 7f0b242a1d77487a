import { INITIALIZED } from '../../support/rpc-requests.ts';
import type { Entry } from '../corpus-request.ts';
import { asks, CALL, KEY, keyedAsks, posts, toPost, under } from './build.ts';

const METHODS = keyedAsks([
  ['GET /mcp', 'GET /mcp'],
  ['DELETE /mcp', 'DELETE /mcp'],
  ['HEAD /mcp', 'HEAD /mcp'],
  ['DELETE /openapi.json', 'DELETE /openapi.json'],
  ['PROPFIND /health', 'PROPFIND /health'],
]);

const PATHS = asks([
  ['nowhere', 'GET /nowhere'],
  ['a NUL', 'GET /%00'],
  ['a well-known one', 'GET /.well-known/oauth-protected-resource/mcp'],
  ['a well-known one for people', 'GET /.well-known/openid-configuration', { accept: 'text/html' }],
]);

const WRONG_KEY = `tg_live_${'A'.repeat(43)}`;

const KEYS = asks([
  ['none', 'GET /api/v1/tools?limit=1'],
  ['an unknown one', 'GET /api/v1/tools?limit=1', { 'x-api-key': WRONG_KEY }],
  ['bearer in small letters', 'GET /api/v1/tools?q=zymurgy', { authorization: 'bearer {{key}}' }],
  ['two that differ', 'GET /api/v1/tools', { ...KEY, authorization: 'Bearer {{otherKey}}' }],
]);

const KEYS_OF_POSTS = posts([
  ['none', CALL, { 'x-api-key': undefined }],
  ['none, without JSON', '{', { 'x-api-key': undefined }],
]);

const TYPES = posts([
  ['text', CALL, { 'content-type': 'text/plain' }],
  ['no type, and nothing', '', { 'content-type': undefined }],
  ['an Accept of nothing that there is', CALL, { accept: 'image/png' }],
]);

const SIZES = posts([['too large', JSON.stringify(INITIALIZED).padEnd(1024 * 1024 + 1)]]);

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
  bytes('an expectation', [GET, 'host: a', 'expect: the-best']),
  bytes('a length and chunks', [GET, 'host: a', 'content-length: 1', 'transfer-encoding: chunked']),
  bytes('HTTP/1.0', ['GET /health HTTP/1.0']),
  bytes('no HTTP', ['\u0016\u0003\u0001\u0002']),
  bytes('an address for a path', [
    'GET http://elsewhere.example/health HTTP/1.1',
    'host: a',
    CLOSE,
  ]),
];

const CONNECTIONS = [
  bytes('two requests', [GET, 'host: a', '', GET, 'host: a', CLOSE]),
  bytes(
    '100-continue',
    [...POST, 'x-api-key: {{key}}', 'expect: 100-continue', CLOSE, LENGTH],
    message,
  ),
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
