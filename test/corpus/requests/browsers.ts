import { INITIALIZED, rpc } from '../../support/rpc-requests.ts';
import type { Entry } from '../corpus-request.ts';
import { asks, KEY, posts, under } from './build.ts';

/** The host names under which clients reach the gateway, and the pages that may call it. */
export const BROWSERS_ENV = {
  BASE_URL: 'https://tools.example.com/gateway',
  ADMIN_URL: 'http://admin.example.com:8443/console',
  ALLOWED_ORIGINS: 'https://app.example.org',
};

const HOSTS = asks([
  ['its own', 'GET /health', { host: 'tools.example.com' }],
  ['another', 'GET /api/v1/tools', { host: 'evil.example' }],
  ['its own with another port', 'GET /registry/tools', { host: 'tools.example.com:8080' }],
  ['another, of a probe', 'GET /health/ready', { host: '10.1.2.3:8080' }],
]);

const ORIGINS = posts([
  ['its own', INITIALIZED, { origin: 'https://tools.example.com' }],
  ['one that is allowed', rpc('ping'), { origin: 'https://app.example.org' }],
  [
    'this machine, without a key',
    rpc('ping'),
    { origin: 'http://[::1]:1', 'x-api-key': undefined },
  ],
  [
    'this machine, for events',
    rpc('ping'),
    { origin: 'http://127.0.0.1', accept: 'text/event-stream' },
  ],
  ['another', rpc('ping'), { origin: 'https://evil.example' }],
]);

const preflight = { 'access-control-request-method': 'POST' };

const PREFLIGHTS = asks([
  ['of its own', 'OPTIONS /mcp', { origin: 'https://tools.example.com', ...preflight }],
  ['of this machine', 'OPTIONS /mcp/sse', { origin: 'http://localhost:6274', ...preflight }],
  ['of another', 'OPTIONS /mcp', { origin: 'https://evil.example', ...preflight }],
  ['of nowhere', 'OPTIONS /nowhere', { origin: 'http://localhost', ...preflight }],
]);

const SECURITY = asks([
  ['a list', 'GET /registry/tools?limit=1'],
  ['nowhere', 'GET /nowhere'],
  ['a refusal', 'GET /api/v1/tools', { origin: 'http://localhost' }],
  ['events', 'GET /mcp/sse', { origin: 'https://evil.example', ...KEY }],
]);

/** What a gateway with a BASE_URL sends to browsers. */
export const BROWSERS: readonly Entry[] = [
  ...under('host', HOSTS),
  ...under('origin', ORIGINS),
  ...under('preflight', PREFLIGHTS),
  ...under('https', SECURITY),
  {
    kind: 'request',
    title: 'openapi.json',
    method: 'GET',
    path: '/openapi.json',
    headers: { origin: 'https://app.example.org' },
  },
];
