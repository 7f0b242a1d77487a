import type { CallContext } from '../../calls/tool-call.ts';
import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import type { Caller } from '../../platform/kernel/caller.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { RouteResult } from '../route.ts';
import { ACCEPTED, type McpDialect } from './dialect.ts';
import type { RequestState } from './methods.ts';
import { type Encoded, joinArray } from './splice.ts';

/** Entries of one batch (docs/contract.md#messages). */
const MAX_BATCH = 50;

/** Deducts further requests from the limits of a caller. Throws `rate_limited`. */
export type Charge = (caller: Caller, requests: number) => Awaitable<void>;

/** How a dialect processes a batch. */
export interface BatchHandler extends Pick<McpDialect, 'refuse'> {
  readonly charge: Charge;
  /** Responds to one entry; null for a notification. Never throws or rejects. */
  readonly respondToEntry: (
    entry: unknown,
    context: CallContext,
    request: RequestState,
  ) => Awaitable<Encoded | null>;
}

/** Runs all entries of a batch and joins their responses. Rejects with `rate_limited`. */
export async function respondToBatch(
  { refuse, charge, respondToEntry }: BatchHandler,
  batch: readonly unknown[],
  context: CallContext,
  request: RequestState,
): Promise<RouteResult> {
  if (batch.length === 0 || batch.length > MAX_BATCH) {
    const message = `A batch must have 1 to ${MAX_BATCH} entries.`;
    return refuse(new GatewayError('invalid_request', message));
  }
  if (!request.limited) await charge(context.caller, batch.length - 1);
  const responding = batch.map((entry) => respondToEntry(entry, context, request));
  const responses = await Promise.all(responding);
  const present = responses.filter((response) => response !== null);
  return present.length === 0 ? ACCEPTED : joinArray(present);
}
