import type { UpstreamResponse } from '../upstreams/payload/upstream-response.ts';
import { isEmpty } from './judge-response.ts';
import type { PreparedCall } from './prepare-call.ts';

/** How long an empty response of the latest publication is fresh: its data may arrive at any moment. */
export const MAX_EMPTY_LATEST_SECONDS = 60;

/** When more may be published of what a call asks for, in milliseconds since the epoch; undefined if all of it is. */
export type IncompleteUntil = (
  asked: readonly { readonly expression: string; readonly value: unknown }[],
  nowMs: number,
  args: Readonly<Record<string, unknown>>,
) => number | undefined;

/** How long a response is fresh, in seconds: the tool's time to live, or less if more data will be published before. */
export function lifetimeOf(
  { tool, ready, arguments: args, isLatest }: PreparedCall,
  response: UpstreamResponse,
  incompleteUntil: IncompleteUntil,
): number {
  const ttlSeconds = tool.cacheTtlSeconds;
  if (ready.computed.length === 0) return ttlSeconds;
  if (isLatest)
    return isEmpty(response) ? Math.min(ttlSeconds, MAX_EMPTY_LATEST_SECONDS) : ttlSeconds;
  const asked = ready.computed.map(({ expression, property }) => ({
    expression,
    value: args[property],
  }));
  const untilMs = incompleteUntil(asked, response.fetchedAtMs, args);
  if (untilMs === undefined) return ttlSeconds;
  return Math.min(ttlSeconds, Math.max(1, Math.ceil((untilMs - response.fetchedAtMs) / 1000)));
}
