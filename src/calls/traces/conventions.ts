/**
 * The names in spans: those of OpenTelemetry's semantic conventions for generative AI and MCP, as of version 1.45.0, and
 * the gateway's own. The conventions may still change; the names here do not follow by themselves.
 */
export const ATTRIBUTES = {
  method: 'mcp.method.name',
  operation: 'gen_ai.operation.name',
  tool: 'gen_ai.tool.name',
  errorType: 'error.type',
  auditId: 'tool_gateway.audit_id',
  dialect: 'tool_gateway.dialect',
  cacheStatus: 'tool_gateway.cache_status',
  cause: 'tool_gateway.cause',
  upstreamStatus: 'tool_gateway.upstream.status_code',
  upstreamMs: 'tool_gateway.upstream.duration_ms',
} as const;

export const METHOD = 'tools/call';
export const OPERATION = 'execute_tool';
/** The value of `error.type` for a response of the upstream that is a failure. */
export const UPSTREAM_ERROR = 'upstream_error';
