/**
 * Every field, path, code and event that the specification promises, as data. Tests cite the ids through `verifies`;
 * `coverage.test.ts` fails on an id that no test cites and on a citation of an unknown id.
 */
export const REQUIREMENTS = {
  // Resources: preset server
  'server.id': 'servers[].id has the form <category>/<name>',
  'server.name': 'servers[].name is readable',
  'server.filePath': 'servers[].filePath is the absolute path of the definition file',
  'server.baseUrl': 'servers[].baseUrl is the base address of the upstream',
  'server.isPublicData': 'servers[].isPublicData tells whether the middleware applies',
  'server.tools': 'servers[].tools lists the tools of the server',
  // Resources: tool as listed by the registry
  'registryTool.name': 'tool name, lower case',
  'registryTool.description': 'readable description',
  'registryTool.inputSchema': 'JSON Schema of type object with properties',
  'registryTool.method': 'upstream method',
  'registryTool.path': 'upstream path relative to the base address',
  // Resources: tool as listed by tools/list
  'listedTool.name': 'tool name',
  'listedTool.description': 'description',
  'listedTool.inputSchema': 'input schema',
  'listedTool.readOnlyHint': 'annotations.readOnlyHint',
  'listedTool.destructiveHint': 'annotations.destructiveHint',
  'listedTool.openWorldHint': 'annotations.openWorldHint',
  // Resources: tool call result
  'result.tool': 'name of the tool called',
  'result.upstream.method': 'upstream method used',
  'result.upstream.url': 'final upstream address, after injection',
  'result.upstream.status': 'upstream status',
  'result.data': 'upstream body, after XML to JSON normalisation',
  'result.cacheStatus': 'HIT and MISS',
  'result.auditId': 'id of the audit record of the call',
  // Resources: health report
  'health.status': 'status',
  'health.service': 'service is mcp-gateway',
  'health.timestamp': 'ISO 8601 time',
  'health.checks.database': 'checks.database {status, latencyMs}',
  'health.checks.redis': 'checks.redis {status, latencyMs}',
  // Resources: SSE client
  'sse.clientId': 'clientId begins with sse_',
  // States
  'state.healthy': 'readiness is healthy with 200 while all dependencies answer',
  'state.degraded': 'readiness is degraded with 503 while any dependency fails',
  'state.recovers': 'readiness returns to healthy with 200',
  // Endpoints
  'GET /health': 'liveness without a key, always healthy',
  'GET /health/ready': 'readiness without a key',
  'GET /health/detailed': 'needs a key; per-dependency status and latency',
  'GET /registry/servers': 'without a key: { servers }',
  'GET /registry/tools': 'without a key: { tools }, server groups expanded',
  'GET /api/v1/tools': 'needs a key; lists tools',
  'GET /api/v1/tools/:toolId': 'needs a key; one tool',
  'POST /api/v1/register': 'needs a key; announced as coming soon',
  'GET /api/v1/register/:id/status': 'needs a key; announced as coming soon',
  'GET /mcp/sse': 'needs a key; event stream',
  'POST /mcp': 'needs a key; JSON-RPC 2.0',
  'registry.categories': 'the catalog can be filtered by id prefix',
  'registry.same-as-list': '/registry/tools holds the same tools as tools/list',
  'content-type.json': 'answers are application/json',
  'content-type.sse': 'the stream is text/event-stream',
  // JSON-RPC
  'rpc.id-echoed': 'the id is echoed',
  'rpc.list': 'tools/list takes no params and returns every tool',
  'rpc.call.name': 'params.name names the tool',
  'rpc.call.name-missing': 'a missing name is -32602',
  'rpc.call.arguments': 'keys of params.arguments are upstream parameter names',
  'rpc.only-way': 'tools run through JSON-RPC only',
  // Public-data middleware
  'publicData.key': 'the service key is injected',
  'publicData.grid': 'lat and lon become nx and ny',
  'publicData.xml': 'XML and JSON are normalised to JSON',
  'publicData.00': '00: OK',
  'publicData.30': '30: Unregistered service key',
  'publicData.31': '31: Expired service key',
  'publicData.32': '32: Unregistered IP',
  'publicData.other': 'any other: Unknown public-data error (<code>)',
  // Authentication
  'auth.x-api-key': 'x-api-key is accepted',
  'auth.bearer': 'Authorization: Bearer is accepted',
  'auth.protected': 'protected addresses refuse a request without a valid key',
  'auth.public': 'public addresses need no key',
  'auth.tenant': 'a key belongs to a tenant, and tenants are separated',
  // Events
  'event.ready': 'ready comes once, first, with ok and clientId',
  'event.keepalive': 'a keepalive comment comes periodically',
  'event.message': 'gateway/toolResult follows a finished call',
  'event.message.tool': 'params.tool',
  'event.message.upstream': 'params.upstream {method, url, status}',
  'event.tenant': 'events never reach another tenant',
  'event.clientId': '_clientId targets one client',
  // Errors
  'error.http-body': 'REST errors have error and message',
  'error.unauthorized': 'Unauthorized, and that a valid API key is required',
  'error.-32600': 'invalid JSON-RPC request',
  'error.-32601': 'method other than tools/list and tools/call',
  'error.-32602': 'invalid params',
  'error.-32000': 'gateway error',
  // Versioning
  'version.prefix': 'management addresses carry /api/v1',
  'version.jsonrpc': 'answers carry jsonrpc 2.0',

  // The contract's decisions beyond the specification
  'contract.401': '401 with WWW-Authenticate: Bearer, alike for every bad key',
  'contract.401-two-keys': 'both headers with different keys: 401',
  'contract.query-key': 'a key in a query string is never read',
  'contract.tenant-headers': 'x-tenant-id and x-user-id are ignored',
  'contract.404': '404 Not Found',
  'contract.405': '405 with Allow',
  'contract.409': 'deleting a preset tool: 409',
  'contract.413': 'a body too large: 413',
  'contract.415': 'a body that is not application/json: 415',
  'contract.429': '429 with Retry-After and RateLimit',
  'contract.501': 'registration answers 501',
  'contract.request-id': 'every answer carries x-request-id',
  'contract.ready-backends': 'checks name the embedded and memory backends',
  'contract.detailed':
    'the detailed report has version, uptime, memory, catalog, streams, audit, cache, upstreams',
  'contract.etag': 'the registry answers with ETag and honours If-None-Match',
  'contract.tool-record': 'the tool record has all its members',
  'contract.tool-filters': 'tools filter by category, source and text, and page by cursor',
  'contract.tool-search':
    'tools/list, the registry and /api/v1/tools narrow by category, words and number, best first',
  'contract.audit-list': 'audit records list, filter and page, own tenant only',
  'contract.audit-record': 'the audit record has all its members',
  'contract.openapi': '/openapi.json describes every address',
  'contract.docs': '/docs shows it',
  'contract.rpc-200': 'every JSON-RPC answer has status 200, errors too',
  'contract.-32700': 'a body that is not JSON: 400 with -32700',
  'contract.notification': 'a notification: 202 without a body',
  'contract.batch': 'a batch is answered as JSON-RPC says, at most 50 entries',
  'contract.argument-errors': 'error.data.errors lists every fault',
  'contract.-32000-data': 'error.data has auditId, tool, reason and retryable',
  'contract.upstream-error-is-result':
    'an upstream that answered gives a result, whatever it answered',
  'contract.redacted-url': 'secrets in upstream.url read REDACTED',
  'contract.bypass': 'a tool with a time to live of 0 is BYPASS',
  'contract.stale': 'an older good answer stands in for a failed upstream',
  'contract.coalesced': 'calls join one under way',
  'contract.clientId-places': '_clientId is read in three places and taken out',
  'contract.audit-before-answer': 'the record exists when the answer arrives',
  'contract.audit-of-failures': 'failed calls are recorded too',
  'contract.sse-endpoint': 'endpoint follows ready',
  'contract.sse-headers': 'the stream may be neither cached nor buffered',
  'contract.revoked-stream': 'a revoked key’s streams are closed',
  'contract.allow-list': 'a key’s allow-list rules listing and calling alike',
  'contract.grid-faults': 'half a place, or one off the grid, is -32602',
  'contract.service-key-forms': 'the encoded and the decoded service key both work',
} as const;

export type RequirementId = keyof typeof REQUIREMENTS;

/** A test title that cites the requirements the test shows to hold. */
export const verifies = (...ids: RequirementId[]): string =>
  // Vitest reads % in a title as a place for a value of the row.
  ids
    .map((id) => `[${id}] ${REQUIREMENTS[id]}`)
    .join('; ')
    .replaceAll('%', '%%');
