import { GatewayError } from '../../platform/kernel/error.ts';
import type { FinishedCall } from '../call-tool.ts';
import { causeOfError } from '../judge-response.ts';
import { UPSTREAM_ERROR } from './conventions.ts';

/** What a span tells about a call: nothing of its arguments or its result. Plain data, because a thread receives it. */
export interface CallSpan {
  readonly tool: string;
  readonly endMs: number;
  readonly durationMs: number;
  readonly auditId: string;
  readonly dialect: string;
  /** As the caller sent it. */
  readonly traceparent: string | undefined;
  readonly cacheStatus: string | null;
  readonly errorType: string | null;
  readonly cause: string | null;
  readonly upstreamStatus: number | null;
  readonly upstreamMs: number | null;
}

/** Later versions of the format may be longer than the 55 characters of the first. */
const MAX_TRACEPARENT_LENGTH = 200;

/** The parent that a call names, in `_meta` or else in a header; undefined without a usable one. */
export function traceparentOf({ call, context }: Pick<FinishedCall, 'call' | 'context'>) {
  const text = call.traceparent ?? context.traceparent;
  return text !== undefined && text.length <= MAX_TRACEPARENT_LENGTH ? text : undefined;
}

/** The span of a finished call. */
export function callSpanOf(finished: FinishedCall, endMs: number): CallSpan {
  const { entry, context, auditId, result, sent, durationMs } = finished;
  const failed = result instanceof GatewayError;
  return {
    tool: entry.tool.name,
    endMs,
    durationMs,
    auditId,
    dialect: context.dialect,
    traceparent: traceparentOf(finished),
    cacheStatus: failed ? null : result.cacheStatus,
    errorType: failed ? result.code : result.isError ? UPSTREAM_ERROR : null,
    cause: failed ? causeOfError(result) : result.cause,
    upstreamStatus: sent?.status ?? null,
    upstreamMs: sent?.upstreamMs ?? null,
  };
}
