import type { LimitDecision } from '../../access/limits/limit-decision.ts';
import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import type { Caller } from '../../platform/kernel/caller.ts';
import { GatewayError, invalidArguments } from '../../platform/kernel/error.ts';
import { MAX_REQUESTS } from './read-over.ts';

/** Counts requests in the limits of a caller, all or none; of 0 requests, tells only what is left. */
export type CountRequests = (caller: Caller, requests: number) => Awaitable<LimitDecision>;

/** What a range costs, and what there is room for. */
export interface Cost {
  readonly units: number;
  /** At least: a unit may have several pages. */
  readonly requests: number;
  /** Units whose first page is in the cache. The provider counts no request for them. */
  readonly cached: number;
  readonly left: {
    /** Of the key's daily limit; null without one. */
    readonly day: number | null;
    /** Of what the provider still takes of the tenant today; null if nothing says it. */
    readonly quota: number | null;
  };
}

/** Why there is no room for a range; null if there is. */
function shortage({ requests, cached, left: { day, quota } }: Cost): string | null {
  if (requests > MAX_REQUESTS) return `One call makes at most ${MAX_REQUESTS} requests.`;
  if (day !== null && requests > day)
    return `The daily limit of this API key leaves ${day} requests.`;
  if (quota !== null && requests - cached > quota)
    return `The quota of the provider leaves ${quota} requests today.`;
  return null;
}

/** A cost as `_dry_run` answers it. */
export const costReport = (cost: Cost) => ({
  ...cost,
  maxRequests: MAX_REQUESTS,
  fits: shortage(cost) === null,
});

const costInWords = ({ units, requests, cached }: Cost): string => {
  const known = cached > 0 ? `, ${cached} of them in the cache` : '';
  return `This range has ${units.toLocaleString('en')} units and needs at least ${requests.toLocaleString('en')} requests${known}.`;
};

/** Throws before anything starts, if there is no room: `invalid_arguments`, `rate_limited` or `quota_exhausted`. */
export function checkRoom(tool: string, cost: Cost, secondsOfDay: number): void {
  const short = shortage(cost);
  if (short === null) return;
  const message = `${costInWords(cost)} ${short} Nothing was started. Ask for fewer values.`;
  if (cost.requests > MAX_REQUESTS) throw invalidArguments(tool, [{ path: '/_over', message }]);
  const { day } = cost.left;
  const isDay = day !== null && cost.requests > day;
  throw new GatewayError(isDay ? 'rate_limited' : 'quota_exhausted', message, {
    details: { retryAfterSeconds: secondsOfDay },
  });
}
