import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { type ReadableSpan, TracerProvider } from '@opentelemetry/sdk-trace';
import type { CallSpan } from './call-span.ts';
import { ATTRIBUTES, METHOD, OPERATION } from './conventions.ts';
import { readTraceParent } from './trace-parent.ts';

/** Where spans are sent, and in whose name. */
export interface ExportTarget {
  /** With the path `/v1/traces`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly version: string;
  /** How long one export may take, retries included. */
  readonly timeoutMs: number;
}

/** Creates the function that sends the spans of calls to a collector. It rejects if that fails. */
export function createSpanExport(
  target: ExportTarget,
): (calls: readonly CallSpan[]) => Promise<void> {
  const { url, headers, serviceName, version, timeoutMs } = target;
  const exporter = new OTLPTraceExporter({
    url,
    headers: { ...headers },
    timeoutMillis: timeoutMs,
  });
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

  function record(call: CallSpan): void {
    const span = tracer.startSpan(
      `${METHOD} ${call.tool}`,
      {
        kind: SpanKind.SERVER,
        startTime: call.endMs - call.durationMs,
        attributes: attributesOf(call),
      },
      parentOf(call),
    );
    if (call.errorType !== null) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(call.endMs);
  }

  return async (calls) => {
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
  };
}

/** A parent that is not sampled suppresses the span: the sampler of the provider follows its parent. */
function parentOf({ traceparent }: CallSpan): Context {
  const parent = traceparent === undefined ? undefined : readTraceParent(traceparent);
  return parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT;
}

function attributesOf(call: CallSpan): Record<string, string | number> {
  const { tool, auditId, dialect, cacheStatus, errorType, cause, upstreamStatus, upstreamMs } =
    call;
  const known = {
    tool,
    auditId,
    dialect,
    cacheStatus,
    errorType,
    cause,
    upstreamStatus,
    upstreamMs,
  };
  const attributes: Record<string, string | number> = {
    [ATTRIBUTES.method]: METHOD,
    [ATTRIBUTES.operation]: OPERATION,
  };
  for (const [name, value] of Object.entries(known)) {
    if (value !== null) attributes[ATTRIBUTES[name as keyof typeof known]] = value;
  }
  return attributes;
}
