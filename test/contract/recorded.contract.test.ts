import { expect, test } from 'vitest';
import { AREAS } from '../corpus/requests.ts';
import { verifies } from './requirements.ts';

const TITLES = AREAS.flatMap(({ name, entries }) =>
  entries.map(({ title }) => `${name}: ${title}`),
);

/** Requirements that a response of the corpus states in full: test/corpus compares every byte of it. */
test.each([
  [
    'plain: tools/list: all tools',
    verifies(
      'POST /mcp',
      'rpc.list',
      'rpc.id-echoed',
      'version.jsonrpc',
      'listedTool.name',
      'listedTool.description',
      'listedTool.inputSchema',
      'listedTool.readOnlyHint',
      'listedTool.destructiveHint',
      'listedTool.openWorldHint',
    ),
  ],
  [
    'plain: call: the second time',
    verifies(
      'rpc.call.name',
      'rpc.call.arguments',
      'result.tool',
      'result.upstream.method',
      'result.upstream.url',
      'result.upstream.status',
      'result.data',
      'result.cacheStatus',
      'result.auditId',
    ),
  ],
  ['plain: bad tools/list: several faults', verifies('contract.argument-errors')],
  ['plain: unreadable: Latin-1', verifies('contract.utf8')],
  ['arguments: schema: several faults', verifies('contract.argument-errors')],
  ['upstreams: answer: 404', verifies('contract.upstream-error-is-result')],
  ['upstreams: answer: half', verifies('error.-32000', 'contract.-32000-data')],
  ['bounds: upstream: too late, Streamable HTTP', verifies('mcp.error.no-answer')],
  [
    'health: alive',
    verifies(
      'GET /health',
      'health.status',
      'health.service',
      'health.timestamp',
      'content-type.json',
    ),
  ],
  ['health: in detail', verifies('GET /health/detailed', 'contract.detailed')],
  [
    'rest: registry: servers',
    verifies(
      'GET /registry/servers',
      'server.id',
      'server.name',
      'server.filePath',
      'server.baseUrl',
      'server.isPublicData',
      'server.tools',
    ),
  ],
  [
    'rest: registry: tools',
    verifies(
      'GET /registry/tools',
      'registryTool.name',
      'registryTool.description',
      'registryTool.inputSchema',
      'registryTool.method',
      'registryTool.path',
    ),
  ],
  ['rest: registry: tools, unchanged', verifies('contract.etag')],
  ['rest: tools: a page', verifies('GET /api/v1/tools', 'contract.tool-record', 'version.prefix')],
  ['rest: tool: by its name', verifies('GET /api/v1/tools/:toolId')],
  ['rest: tool: an unknown one', verifies('contract.404', 'error.http-body')],
  ['rest: docs: the page', verifies('contract.docs')],
  ['http: key: two that differ', verifies('contract.401-two-keys')],
  ['audit: the record of a refused call', verifies('contract.audit-of-failures')],
  ['audit: the record of a 404', verifies('contract.audit-of-failures')],
  ['public-data: code: 00', verifies('publicData.key', 'publicData.00')],
  ['public-data: form: public-xml', verifies('publicData.xml')],
  ['public-data: grid: a place', verifies('publicData.grid')],
  ['public-data: grid: lat alone', verifies('contract.grid-faults')],
  ['public-data: grid: neither', verifies('contract.grid-faults')],
  ['public-data: fault: quota', verifies('publicData.other')],
  [
    'streamable-http: initialize: "2025-11-25"',
    verifies(
      'mcp.initialize',
      'mcp.initialize.result',
      'mcp.list-changed',
      'mcp.codes.capabilities',
    ),
  ],
  ['streamable-http: initialize: "latest"', verifies('mcp.initialize')],
  ['streamable-http: message: ping', verifies('mcp.ping')],
  ['streamable-http: message: a notification', verifies('mcp.accepted')],
  ['streamable-http: message: an unknown method', verifies('mcp.unknown-method')],
  ['streamable-http: tools/list: all', verifies('mcp.list.entry')],
  [
    'streamable-http: tools/call: cached',
    verifies('mcp.result.plain-members', 'mcp.result.content', 'mcp.result.meta'),
  ],
  ['streamable-http: tools/call: a progress token', verifies('contract.bypass')],
  ['streamable-http: tools/call: an unknown tool', verifies('mcp.unknown-tool')],
  ['streamable-http: tools/call: arguments that do not fit', verifies('mcp.error.arguments')],
  ['streamable-http: tools/call: png', verifies('mcp.result.media')],
  ['streamable-http: tools/call: mp3', verifies('mcp.result.media')],
  ['streamable-http: tools/call: 404', verifies('mcp.error.upstream')],
  ['streamable-http: tools/call: a public refusal', verifies('mcp.error.public-data')],
  ['streamable-http: tools/call: content of its own', verifies('mcp.result.own-content')],
  [
    'stateless: method: server/discover',
    verifies('mcp.discover', 'mcp.stateless.marks', 'mcp.list-changed'),
  ],
  ['stateless: method: initialize', verifies('mcp.stateless.404')],
  ['stateless: method: ping', verifies('mcp.stateless.404')],
  ['stateless: message: a response', verifies('mcp.stateless.refused')],
  ['stateless: message: a batch', verifies('mcp.stateless.refused')],
  [
    'http-sse: initialize of every revision',
    verifies(
      'GET /mcp/sse',
      'event.ready',
      'sse.clientId',
      'content-type.sse',
      'contract.sse-endpoint',
      'contract.sse-headers',
      'mcp.sse.posted',
    ),
  ],
  ['http-sse: messages', verifies('mcp.sse.fallback', 'mcp.accepted')],
  ['http-sse: what cannot be read', verifies('mcp.sse.unreadable')],
])('%s is recorded: %s', (title) => {
  expect(TITLES).toContain(title);
});
