import { ADVICE, type Cause } from '../../platform/kernel/cause.ts';
import { type GatewayError, toGatewayError } from '../../platform/kernel/error.ts';
import type { UpstreamResponse } from '../../upstreams/payload/upstream-response.ts';
import { CallFailure, type CallOutcome } from '../tool-call.ts';

/** Says in one line what the upstream refused, and who must do what. */
export function refusalText(outcome: CallOutcome): string {
  const { entry, response, provenance, cause } = outcome;
  const { publicData, status } = response;
  const who = provenance.source.publisher ?? entry.server.name;
  const code = publicData?.code ?? response.code;
  const refused = code === undefined ? 'reports a failure' : `refused with code ${code}`;
  const what = status >= 400 ? `responded with HTTP ${status}` : refused;
  // What the portal calls an unregistered key may be a key that is not approved for this dataset.
  const said = cause === 'not_approved' ? undefined : saidBy(response);
  const why = said ? `: ${withPeriod(said)}` : '.';
  return `${entry.tool.name} failed: ${who} ${what}${why} ${adviceOf(outcome, cause)}${waitIn(response)}`;
}

const waitIn = ({ retryAfterSeconds: seconds }: UpstreamResponse): string =>
  seconds === undefined ? '' : ` The provider asks to wait ${seconds} seconds.`;

/** In the words of the result code, else in the provider's own. */
const saidBy = ({ status, publicData, message }: UpstreamResponse): string | undefined =>
  (status < 400 ? publicData?.message : undefined) ?? message;

/** What the result code says about the way out, else what the cause does. */
function adviceOf({ response, provenance }: CallOutcome, cause: Cause | null): string {
  const hint = response.publicData?.hint;
  const { docUrl } = provenance.source;
  if (hint) return docUrl && hint.endsWith(docUrl) ? hint : withPeriod(hint);
  const advice = adviceOnCause(cause ?? 'upstream', response);
  return cause === 'not_approved' && docUrl ? `${advice} (${docUrl})` : advice;
}

const adviceOnCause = (cause: Cause, { status }: UpstreamResponse): string =>
  cause === 'upstream' && (status === 401 || status === 403) ? REFUSED : ADVICE[cause];

const REFUSED = 'The provider refuses this request; ask for less, or call again later.';

/** Says in one line why a call has no response, and whether a retry may help. */
export function failureText(tool: string, thrown: unknown): string {
  const error = toGatewayError(thrown instanceof CallFailure ? thrown.error : thrown);
  const message = error.message.startsWith(`${tool}: `)
    ? error.message.slice(tool.length + 2)
    : error.message;
  return `${tool} failed: ${message} ${adviceOn(error)}`.trim();
}

function adviceOn({ code, row, details }: GatewayError): string {
  if (code === 'invalid_arguments') return 'Correct the arguments and call again.';
  if (code === 'rate_limited' || code === 'cancelled') return '';
  return (details.retryable ?? row.retryable) ? 'The same call may work later.' : '';
}

const withPeriod = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
