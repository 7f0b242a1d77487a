import { GatewayError } from '../platform/kernel/error.ts';
import type { PayloadShape, Tool } from '../tools/model.ts';
import { selectRows } from '../upstreams/payload/select-rows.ts';
import type { AnsweredCall } from './call-record.ts';

const ALL_ROWS = { fields: null, limit: null };

/** A good answer without rows, unless there are some and only this page has none. */
export const holdsNoData = (shape: PayloadShape, { answer, isError }: AnsweredCall): boolean =>
  !isError && answer.rows === 0 && !selectRows(answer.json, shape, ALL_ROWS)?.total;

/**
 * Asks for one publication after another before the latest, which held no data, until one does (`x-step-back`).
 * Without any that does, or when the upstream fails meanwhile, the latest stands.
 */
export async function stepBack(
  { stepBack: maxSteps, payload }: Tool,
  latest: AnsweredCall,
  ask: (stepsBack: number) => Promise<AnsweredCall>,
): Promise<AnsweredCall> {
  for (let steps = 1; steps <= maxSteps; steps++) {
    const earlier = await ask(steps).catch(ifUpstreamFailed);
    if (!earlier || earlier.isError) return latest;
    if (!holdsNoData(payload, earlier)) return earlier;
  }
  return latest;
}

function ifUpstreamFailed(error: unknown): undefined {
  const code = error instanceof GatewayError ? error.code : '';
  if (!code.startsWith('upstream_') && code !== 'overloaded') throw error;
}
