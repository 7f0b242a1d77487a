import { GatewayError } from '../../platform/kernel/error.ts';
import type { FinishedCall } from '../call-tool.ts';
import { causeOfError } from '../judge-response.ts';

/** The span that a caller names as the parent of its call. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

/** What a span tells about a call: nothing of its arguments or its result. Plain data, because a thread receives it. */
export interface CallSpan {
  readonly tool: string;
  readonly endMs: number;
  readonly durationMs: number;
  readonly auditId: string;
  readonly dialect: string;
  readonly parent: TraceParent | undefined;
  readonly cacheStatus: string | null;
  readonly errorType: string | null;
  readonly cause: string | null;
  readonly upstreamStatus: number | null;
  readonly upstreamMs: number | null;
}

/** The value of `error.type` for a response of the upstream that is a failure. */
const UPSTREAM_ERROR = 'upstream_error';

/** Later versions of the format may be longer than the 55 characters of the first. */
const MAX_TRACEPARENT_LENGTH = 200;

/** The parent that a call names, in `_meta` or else in a header; undefined without a usable one. */
export function parentOf({ call, context }: Pick<FinishedCall, 'call' | 'context'>) {
  const text = call.traceparent ?? context.traceparent;
  const isUsable = text !== undefined && text.length <= MAX_TRACEPARENT_LENGTH;
  return isUsable ? readTraceParent(text) : undefined;
}

const FORM = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** Reads a `traceparent` (W3C Trace Context, section 3.2); undefined if it is not valid. */
export function readTraceParent(text: string): TraceParent | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = FORM.exec(text) ?? [];
  if (version === undefined || version === 'ff') return undefined;
  if (version === '00' && more !== undefined) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  // Of the flags, only `sampled` concerns the span.
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1 };
}

export function callSpanOf(
  { entry, context, auditId, result, sent, durationMs }: FinishedCall,
  parent: TraceParent | undefined,
  endMs: number,
): CallSpan {
  const failed = result instanceof GatewayError;
  return {
    tool: entry.tool.name,
    endMs,
    durationMs,
    auditId,
    dialect: context.dialect,
    parent,
    cacheStatus: failed ? null : result.cacheStatus,
    errorType: failed ? result.code : result.isError ? UPSTREAM_ERROR : null,
    cause: failed ? causeOfError(result) : result.cause,
    upstreamStatus: sent?.status ?? null,
    upstreamMs: sent?.upstreamMs ?? null,
  };
}
