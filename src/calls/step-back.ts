import type { CacheResult } from '../cache/response-cache.ts';
import type { Awaitable } from '../platform/kernel/awaitable.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { isFailure } from '../upstreams/payload/upstream-response.ts';
import { isEmpty } from './judge-response.ts';
import type { PreparedCall } from './prepare-call.ts';

/** A call with the response that answers it. */
export interface AnsweredCall {
  readonly prepared: PreparedCall;
  readonly result: CacheResult;
  /** How many publications it lies before the latest; null = none. */
  readonly steppedBack: number | null;
}

/** Looks up the response to a call for one publication. */
export type LookUp = (prepared: PreparedCall) => Awaitable<CacheResult>;

/**
 * Requests earlier publications, one after another, until one holds data (`x-step-back`). Returns the latest if none
 * does, or if the upstream fails meanwhile.
 */
export async function stepBack(latest: AnsweredCall, find: LookUp): Promise<AnsweredCall> {
  const { prepared } = latest;
  if (!isEmpty(latest.result.response)) return latest;
  for (let steps = 1; steps <= prepared.tool.stepBack; steps++) {
    const earlier = prepared.earlier(steps);
    const result = await findAnother(earlier, find);
    if (!result || isFailure(result.response)) return latest;
    if (!isEmpty(result.response)) return { prepared: earlier, result, steppedBack: steps };
  }
  return latest;
}

/** Looks up what is asked for beside the response that the call already has; undefined if the upstream fails. */
export async function findAnother(
  call: PreparedCall,
  find: LookUp,
): Promise<CacheResult | undefined> {
  try {
    return await find(call);
  } catch (error) {
    const code = error instanceof GatewayError ? error.code : '';
    if (!code.startsWith('upstream_') && code !== 'overloaded' && code !== 'quota_exhausted')
      throw error;
    return undefined;
  }
}
