import type { CacheStatus } from '../cache/response-cache.ts';
import { type GatewayError, toGatewayError } from '../platform/kernel/error.ts';
import { CallFailure, type CallOutcome } from './tool-call.ts';

const FRESHNESS: Readonly<Record<CacheStatus, string>> = {
  HIT: 'from the cache',
  MISS: 'fetched now',
  COALESCED: 'fetched now, together with an identical call',
  STALE: 'an older response, because the source is failing',
  BYPASS: 'fetched now',
};

/** Summarises an outcome in one line: rows, source, freshness; for a failure, what to do. */
export function summariseOutcome(outcome: CallOutcome): string {
  const { entry, response } = outcome;
  const source = `${entry.server.name} at ${hostOf(response.url)}`;
  return outcome.isError
    ? `${entry.tool.name} failed: ${source} ${refusalOf(outcome)}`
    : `${entry.tool.name}: ${amountOf(outcome)} from ${source}, ${FRESHNESS[outcome.cacheStatus]}.`;
}

/** Summarises a failed call in one line: what is wrong, and whether a retry may help. */
export function summariseFailure(tool: string, thrown: unknown): string {
  const error = toGatewayError(thrown instanceof CallFailure ? thrown.error : thrown);
  const message = error.message.startsWith(`${tool}: `)
    ? error.message.slice(tool.length + 2)
    : error.message;
  return `${tool} failed: ${message} ${adviceOn(error)}`.trim();
}

/** How to get the rows that are not shown; empty if all are. */
export const describeOmitted = ({ rows }: CallOutcome): string => rows?.hint ?? '';

function amountOf({ rows, kind }: CallOutcome): string {
  if (kind === 'no_data') return 'no rows: nothing was found';
  if (rows === undefined) return 'a response';
  const all = rows.total ?? rows.returned + rows.omitted;
  if (rows.returned < all) return `${rows.returned} of ${all} rows`;
  return rows.returned === 1 ? '1 row' : `${rows.returned} rows`;
}

function refusalOf({ response }: CallOutcome): string {
  const { publicData, status } = response;
  if (status >= 400 || !publicData) {
    const advice =
      status >= 500 || status === 429
        ? 'The same call may work later.'
        : 'Check the arguments; its response follows.';
    return `responded with HTTP ${status}. ${advice}`;
  }
  const { code, message, hint } = publicData;
  return `refused with code ${code}: ${withPeriod(message)}${hint ? ` ${withPeriod(hint)}` : ''}`;
}

const withPeriod = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

function adviceOn({ code, row }: GatewayError): string {
  if (code === 'invalid_arguments') return 'Correct the arguments and call again.';
  if (code === 'rate_limited' || code === 'cancelled') return '';
  return row.retryable ? 'The same call may work later.' : '';
}

/** Upstream addresses are absolute, so the host is between the second slash and the third. */
const hostOf = (url: string): string => url.split('/', 3)[2] ?? url;
