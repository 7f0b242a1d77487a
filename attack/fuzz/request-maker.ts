import { mutate, type Random } from './random.ts';

export interface MadeRequest {
  readonly bytes: Buffer;
  /** Whether no further request can be sent on the same connection. */
  readonly endsConnection: boolean;
}

const PATHS = [
  '/',
  '/health',
  '/health/ready',
  '/health/detailed',
  '/registry/servers',
  '/registry/servers?prefix=weather/',
  '/registry/tools',
  '/api/v1/tools',
  '/api/v1/tools?limit=1',
  '/api/v1/tools?q=%EB%AF%B8%EC%84%B8&category=weather',
  '/api/v1/tools/fuzz_public_0',
  '/api/v1/audit?limit=2',
  '/api/v1/audit?from=2026-01-01T00:00:00Z&to=2026-12-31T23:59:60Z',
  '/api/v1/audit?cursor=abc',
  '/api/v1/audit/aud_01',
  '/api/v1/register/x/status',
  '/openapi.json',
  '/docs',
  '/mcp',
  '/mcp?sessionId=sse_1',
  '/mcp?category=weather&tools=kma_*',
  '/%',
  '/../../etc/passwd',
  '/api/v1/tools/%00',
];

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'BREW'];

const RPC_METHODS = [
  'tools/list',
  'tools/call',
  'initialize',
  'ping',
  'server/discover',
  'notifications/cancelled',
  'resources/list',
  '',
];

const VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53 + 2,
  '',
  'x',
  '서울',
  '\ud800',
  'x'.repeat(3000),
  [],
  {},
  [[[]]],
  { a: { b: [1, 2] } },
  ['fuzz_public_0'],
  { __proto__: 1 },
];

const TOOLS = ['fuzz_public_0', 'fuzz_plain_0', 'frankfurter_rates', 'nobody', '', '__proto__'];
const ARGUMENTS = ['n', 'lat', 'lon', 'base', '_limit', '_fields', '_clientId', 'constructor', 'x'];

/** Headers that select a dialect, and some that do not. */
const HEADER_SETS: readonly Readonly<Record<string, string>>[] = [
  {},
  {},
  { accept: 'application/json, text/event-stream' },
  { 'mcp-protocol-version': '2025-06-18', accept: 'application/json, text/event-stream' },
  { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'fuzz_plain_0' },
  { 'mcp-session-id': 'abc' },
  { 'mcp-protocol-version': 'x'.repeat(300) },
  { origin: 'https://evil.example' },
  { origin: 'http://localhost:3000' },
  { 'x-forwarded-for': '1.2.3.4, nonsense' },
  { 'accept-encoding': 'br;q=1, gzip, *;q=0' },
  { 'if-none-match': '*' },
  { range: 'bytes=0-5' },
  { cookie: 'a=b; a=b' },
];

/** Makes one request to any address in any dialect, valid or malformed in any known way. */
export function makeRequest(random: Random, keys: readonly string[]): MadeRequest {
  const isCall = random.chance(0.7);
  const method = isCall ? 'POST' : random.pick(METHODS);
  const path = isCall && random.chance(0.9) ? '/mcp' : random.pick(PATHS);
  const body = method === 'GET' || method === 'HEAD' ? Buffer.alloc(0) : makeBody(random);
  const headers = headersFor(random, keys, body);
  const head = `${method} ${path} HTTP/1.1\r\n${headers}\r\n`;
  const bytes = Buffer.concat([Buffer.from(head, 'latin1'), body]);
  if (random.chance(0.97)) return { bytes, endsConnection: false };
  return { bytes: mutate(bytes, random), endsConnection: true };
}

function headersFor(random: Random, keys: readonly string[], body: Buffer): string {
  const headers: Record<string, string> = { host: '127.0.0.1', ...random.pick(HEADER_SETS) };
  if (random.chance(0.95)) headers['x-api-key'] = random.pick(keys);
  if (random.chance(0.1)) headers['authorization'] = `Bearer ${random.pick(keys)}`;
  if (body.length > 0 || random.chance(0.3)) headers['content-length'] = String(body.length);
  headers['content-type'] = random.chance(0.97) ? 'application/json' : 'text/plain; charset=euc-kr';
  if (random.chance(0.01)) headers['content-encoding'] = 'gzip';
  if (random.chance(0.01)) headers['expect'] = '100-continue';
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}

function makeBody(random: Random): Buffer {
  const value = random.chance(0.1)
    ? Array.from({ length: random.below(4) }, () => makeMessage(random))
    : makeMessage(random);
  const json = Buffer.from(JSON.stringify(value));
  return random.chance(0.25) ? mutate(json, random) : json;
}

function makeMessage(random: Random): unknown {
  if (random.chance(0.03)) return random.pick(VALUES);
  const message: Record<string, unknown> = {
    jsonrpc: random.chance(0.97) ? '2.0' : random.pick(VALUES),
    method: random.chance(0.97) ? random.pick(RPC_METHODS) : random.pick(VALUES),
  };
  if (random.chance(0.9)) message['id'] = random.chance(0.8) ? 1 : random.pick(VALUES);
  if (random.chance(0.9)) message['params'] = makeParams(random);
  return message;
}

function makeParams(random: Random): unknown {
  if (random.chance(0.05)) return random.pick(VALUES);
  const args: Record<string, unknown> = {};
  for (let n = random.below(4); n > 0; n--) args[random.pick(ARGUMENTS)] = random.pick(VALUES);
  if (random.chance(0.5)) args['n'] = random.below(50);
  const params: Record<string, unknown> = {
    name: random.chance(0.95) ? random.pick(TOOLS) : random.pick(VALUES),
    arguments: random.chance(0.95) ? args : random.pick(VALUES),
  };
  if (random.chance(0.2)) params['_meta'] = makeMeta(random);
  if (random.chance(0.1)) params['cursor'] = random.pick(VALUES);
  if (random.chance(0.1)) params['query'] = random.pick(VALUES);
  if (random.chance(0.1)) params['protocolVersion'] = '2025-06-18';
  return params;
}

const makeMeta = (random: Random): unknown =>
  random.pick<unknown>([
    { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' },
    {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'fuzz'.repeat(50) },
    },
    { progressToken: 1 },
    { _clientId: 'sse_1' },
    null,
    'x',
  ]);
