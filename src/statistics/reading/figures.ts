import type { Figures, Points } from '../statistics.ts';
import { quantiles } from '../tally/latencies.ts';
import type { Sum } from './sum.ts';

const SHARES = [0.5, 0.95, 0.99];

export function figuresOf(tally: Sum): Figures {
  const [p50Ms = null, p95Ms = null, p99Ms = null] = quantiles(tally.latencies, SHARES);
  return {
    calls: tally.calls,
    failures: {
      caller: tally.caller_failures,
      upstream: tally.upstream_failures,
      gateway: tally.gateway_failures,
    },
    cache: {
      hit: tally.hits,
      stale: tally.stale,
      coalesced: tally.coalesced,
      miss: tally.misses,
      bypass: tally.bypassed,
    },
    cacheRatio: cacheRatio(tally),
    upstreamRequests: tally.requests,
    responseBytes: tally.response_bytes,
    p50Ms,
    p95Ms,
    p99Ms,
    lastCallMs: tally.calls > 0 ? tally.last_ms : null,
  };
}

function cacheRatio({ hits, stale, coalesced, misses }: Sum): number | null {
  const fromCache = hits + stale + coalesced;
  const possible = fromCache + misses;
  return possible === 0 ? null : fromCache / possible;
}

/** The values at each point in time. */
export function pointsOf(tallies: readonly Sum[]): Points {
  const figures = tallies.map(figuresOf);
  return {
    calls: figures.map(({ calls }) => calls),
    callerFailures: figures.map(({ failures }) => failures.caller),
    upstreamFailures: figures.map(({ failures }) => failures.upstream),
    gatewayFailures: figures.map(({ failures }) => failures.gateway),
    cacheRatio: figures.map((each) => each.cacheRatio),
    responseBytes: figures.map(({ responseBytes }) => responseBytes),
    p50Ms: figures.map(({ p50Ms }) => p50Ms),
    p95Ms: figures.map(({ p95Ms }) => p95Ms),
    p99Ms: figures.map(({ p99Ms }) => p99Ms),
  };
}
