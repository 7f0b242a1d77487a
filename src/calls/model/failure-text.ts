import { ADVICE, type Cause } from '../../platform/kernel/cause.ts';
import { type GatewayError, toGatewayError } from '../../platform/kernel/error.ts';
import { CallFailure, type CallOutcome } from '../tool-call.ts';

/** Says in one line what the upstream refused, and who must do what. */
export function refusalText(outcome: CallOutcome): string {
  const { entry, response, provenance, cause } = outcome;
  const { publicData, status } = response;
  const who = provenance.source.publisher ?? entry.server.name;
  const code = publicData?.code ?? response.code;
  const refused = code === undefined ? 'reports a failure' : `refused with code ${code}`;
  const what = status >= 400 ? `responded with HTTP ${status}` : refused;
  const said = (status < 400 ? publicData?.message : undefined) ?? response.message;
  const why = said ? `: ${withPeriod(said)}` : '.';
  return `${entry.tool.name} failed: ${who} ${what}${why} ${adviceOf(outcome, cause)}`;
}

/** What the result code says about the way out, else what the cause does. */
function adviceOf({ response, provenance }: CallOutcome, cause: Cause | null): string {
  const hint = response.status < 400 ? response.publicData?.hint : undefined;
  const advice = hint ? withPeriod(hint) : ADVICE[cause ?? 'upstream'];
  const { docUrl } = provenance.source;
  return cause === 'not_approved' && docUrl ? `${advice} (${docUrl})` : advice;
}

/** Says in one line why a call has no response, and whether a retry may help. */
export function failureText(tool: string, thrown: unknown): string {
  const error = toGatewayError(thrown instanceof CallFailure ? thrown.error : thrown);
  const message = error.message.startsWith(`${tool}: `)
    ? error.message.slice(tool.length + 2)
    : error.message;
  return `${tool} failed: ${message} ${adviceOn(error)}`.trim();
}

function adviceOn({ code, row }: GatewayError): string {
  if (code === 'invalid_arguments') return 'Correct the arguments and call again.';
  if (code === 'rate_limited' || code === 'cancelled') return '';
  return row.retryable ? 'The same call may work later.' : '';
}

const withPeriod = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
