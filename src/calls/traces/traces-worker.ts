import { parentPort, workerData } from 'node:worker_threads';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { type ReadableSpan, TracerProvider } from '@opentelemetry/sdk-trace';
import type { CallSpan } from './call-span.ts';

/** Where spans are sent, and in whose name: the data of this thread. */
export interface ExportTarget {
  /** With the path `/v1/traces`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly version: string;
  /** How long one export may take, retries included. */
  readonly timeoutMs: number;
}

/** Whether the spans were sent; else the reason for the log, without the address or the headers. */
export type ExportResult = { readonly error: string | null };

/**
 * The names in spans: names of OpenTelemetry's semantic conventions for generative AI and MCP, as of version 1.45.0, and
 * the gateway's own. The conventions may still change; the names here do not follow by themselves.
 */
const ATTRIBUTES = {
  tool: 'gen_ai.tool.name',
  errorType: 'error.type',
  auditId: 'tool_gateway.audit_id',
  dialect: 'tool_gateway.dialect',
  cacheStatus: 'tool_gateway.cache_status',
  cause: 'tool_gateway.cause',
  upstreamStatus: 'tool_gateway.upstream.status_code',
  upstreamMs: 'tool_gateway.upstream.duration_ms',
} as const satisfies Partial<Record<keyof CallSpan, string>>;

const METHOD = 'tools/call';
/** Of every span. */
const SHARED_ATTRIBUTES = { 'mcp.method.name': METHOD, 'gen_ai.operation.name': 'execute_tool' };

const { url, headers, serviceName, version, timeoutMs }: ExportTarget = workerData;
const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: timeoutMs });
let ended: ReadableSpan[] = [];
const done = (): Promise<void> => Promise.resolve();
const collect = {
  onStart: () => undefined,
  onEnd: (span: ReadableSpan) => void ended.push(span),
  forceFlush: done,
  shutdown: done,
};
const provider = new TracerProvider({
  resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }),
  spanProcessors: [collect],
});
const tracer = provider.getTracer('tool-gateway', version);

parentPort?.on('message', (calls: readonly CallSpan[]) => {
  void exportSpans(calls)
    .then(
      (): ExportResult => ({ error: null }),
      (error: unknown): ExportResult => ({ error: reasonOf(error) }),
    )
    .then((result) => parentPort?.postMessage(result));
});

async function exportSpans(calls: readonly CallSpan[]): Promise<void> {
  for (const call of calls) record(call);
  const spans = ended;
  ended = [];
  if (spans.length === 0) return;
  await new Promise<void>((resolve, reject) => {
    exporter.export(spans, ({ code, error }) => {
      if (code === 0) resolve();
      else reject(error ?? new Error('The collector refused the spans.'));
    });
  });
}

function record(call: CallSpan): void {
  const { tool, parent, endMs, durationMs, errorType } = call;
  const span = tracer.startSpan(
    `${METHOD} ${tool}`,
    { kind: SpanKind.SERVER, startTime: endMs - durationMs, attributes: attributesOf(call) },
    // A parent that is not sampled suppresses the span: the sampler of the provider follows its parent.
    parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT,
  );
  if (errorType !== null) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(endMs);
}

function attributesOf(call: CallSpan): Record<string, string | number> {
  const attributes: Record<string, string | number> = { ...SHARED_ATTRIBUTES };
  for (const [member, name] of Object.entries(ATTRIBUTES)) {
    const value = call[member as keyof typeof ATTRIBUTES];
    if (value !== null) attributes[name] = value;
  }
  return attributes;
}

/** A collector's own text may quote what it was sent. */
function reasonOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return `${String(name ?? 'Error')} ${String(code ?? '')}`.trim();
}
