import type { CacheResult } from '../cache/response-cache.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import type { PayloadShape } from '../tools/model.ts';
import { selectRows } from '../upstreams/payload/select-rows.ts';
import { isFailure } from '../upstreams/payload/upstream-response.ts';
import type { LookUp } from './look-up.ts';
import type { PreparedCall } from './prepare-call.ts';

const ALL_ROWS = { fields: null, limit: null };

/**
 * Requests earlier publications, one after another, until one holds data (`x-step-back`). Returns the latest if none
 * does, or if the upstream fails meanwhile.
 */
export async function stepBack(
  call: PreparedCall,
  latest: CacheResult,
  find: LookUp,
): Promise<CacheResult> {
  const { stepBack: maxSteps, payload } = call.tool;
  if (!isEmpty(payload, latest)) return latest;
  for (let steps = 1; steps <= maxSteps; steps++) {
    const earlier = await findEarlier(call.earlier(steps), find);
    if (!earlier || isFailure(earlier.response)) return latest;
    if (!isEmpty(payload, earlier)) return earlier;
  }
  return latest;
}

/** Whether a good response has no rows at all, not just none on this page. */
const isEmpty = (shape: PayloadShape, { response }: CacheResult): boolean =>
  !isFailure(response) && response.rows === 0 && !selectRows(response.json, shape, ALL_ROWS)?.total;

async function findEarlier(call: PreparedCall, find: LookUp): Promise<CacheResult | undefined> {
  try {
    return await find(call);
  } catch (error) {
    const code = error instanceof GatewayError ? error.code : '';
    if (!code.startsWith('upstream_') && code !== 'overloaded') throw error;
    return undefined;
  }
}
