import { ADVICE, type Cause } from '../../platform/kernel/cause.ts';
import { type GatewayError, toGatewayError } from '../../platform/kernel/error.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import { describeAge } from '../../platform/kernel/time.ts';
import type { UpstreamResponse } from '../../upstreams/payload/upstream-response.ts';
import type { Provenance } from '../provenance.ts';
import { CallFailure, type CallOutcome } from '../tool-call.ts';

/** Characters of the arguments that a headline repeats. */
const MAX_ASKED_LENGTH = 300;

/** The headline of a response and the notes on it, one line each. */
export const headOf = (outcome: CallOutcome): string =>
  [headlineOf(outcome), ...notesOn(outcome)].join('\n');

/** Describes a response in one line: the tool, the amount, the arguments, the time of the data, their source and age. */
function headlineOf(outcome: CallOutcome): string {
  const mark = outcome.provenance.isSample ? SAMPLE : '';
  if (outcome.isError) return mark + refusalText(outcome);
  const { entry, provenance } = outcome;
  const { asOf } = provenance;
  const source = provenance.source.attribution ?? entry.server.name;
  const time = asOf === null || asOf === provenance.fetchedAt ? '' : ` Data of ${asOf}.`;
  return `${mark}${entry.tool.name}: ${amountOf(outcome)}${unitsIn(outcome)}${askedIn(provenance)}${filterIn(outcome)}.${time} Source: ${source}. ${freshness(outcome)}.`;
}

const SAMPLE = 'SAMPLE, made up by the sandbox, not real data. ';

function amountOf({ rows, kind }: CallOutcome): string {
  if (kind === 'no_data') return 'no rows: nothing was found';
  if (rows === undefined) return 'a response';
  const all = rows.total ?? rows.returned + rows.omitted;
  if (rows.returned < all) return `${rows.returned} of ${all} rows`;
  return rows.returned === 1 ? '1 row' : `${rows.returned} rows`;
}

function unitsIn({ range }: CallOutcome): string {
  if (!range) return '';
  const { done, total } = range.units;
  return range.complete ? ` from all ${total} units` : ` from ${done} of ${total} units`;
}

function askedIn({ asked }: Provenance): string {
  const pairs = Object.entries(asked).filter(([, value]) => value !== null && value !== undefined);
  return pairs.length === 0 ? '' : ` for ${listOf(pairs)}`;
}

/** Without it, a response that `_where` left empty would read as if there were no such data. */
function filterIn({ where }: CallOutcome): string {
  const pairs = Object.entries(isObject(where) ? where : {});
  return pairs.length === 0 ? '' : ` where ${listOf(pairs)}`;
}

function listOf(pairs: readonly (readonly [string, unknown])[]): string {
  const text = pairs.map(([name, value]) => `${name}=${inWords(value)}`).join(', ');
  return text.length > MAX_ASKED_LENGTH ? `${text.slice(0, MAX_ASKED_LENGTH)}…` : text;
}

/** On one line. */
const inWords = (value: unknown): string =>
  typeof value === 'string' ? value.replaceAll(/\s+/g, ' ') : JSON.stringify(value);

function freshness({ cacheStatus, provenance }: CallOutcome): string {
  const { ageSeconds } = provenance;
  if (cacheStatus === 'HIT' || cacheStatus === 'STALE')
    return ageSeconds < 1 ? 'From the cache' : `Fetched ${describeAge(ageSeconds)} ago`;
  return 'Fetched now';
}

/** In place of a failing source. */
const WHY_STALE: Partial<Record<Cause, string>> = {
  quota: "The quota of the source's key is used up, or nearly",
  operator_key: "The source refuses the gateway's key",
  not_approved: "The gateway's key is not approved for this source",
  rate: 'The source takes no more requests for now',
  network: 'The source cannot be reached',
};

/** What one must know to read an answer rightly, one line each: how to get more, which issue it is, how old it is. */
function notesOn(outcome: CallOutcome): string[] {
  const { rows, unreduced, table, cacheStatus, provenance, kind, response } = outcome;
  const { steppedBack, ageSeconds, nextPublication } = provenance;
  const notes: string[] = [];
  if (rows?.hint) notes.push(rows.hint);
  if (rows?.link) notes.push(`The whole answer: ${rows.link.csv}`);
  if (unreduced) notes.push(unreduced);
  if (table?.beside) notes.push(`The response says beside the rows: ${table.beside}`);
  if (steppedBack !== null) {
    const back = steppedBack === 1 ? 'the one before it' : `the one ${steppedBack} before it`;
    notes.push(`The latest publication has no data yet; this is ${back}.`);
  }
  if (cacheStatus === 'STALE') {
    const why = WHY_STALE[provenance.stale?.cause ?? 'upstream'] ?? 'The source is failing';
    notes.push(`${why}; this is an older answer, of ${describeAge(ageSeconds)} ago.`);
  }
  if (nextPublication !== null && (steppedBack !== null || kind === 'no_data')) {
    notes.push(`The next publication is due at ${nextPublication}.`);
  }
  const { location, operation, next } = response.links ?? {};
  if (location) notes.push(`The response names this address (Location): ${location}`);
  if (operation) notes.push(`The status of the operation is at ${operation}`);
  if (next) notes.push(`The next page is at ${next}`);
  return notes.map((note) => `Note: ${note}`);
}

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
