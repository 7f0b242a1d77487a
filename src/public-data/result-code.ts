import type { Cause } from '../platform/kernel/cause.ts';
import type { PublicDataStatus } from '../upstreams/payload/upstream-response.ts';

/** Services with three-digit codes send `030` for `30`. */
export const portalCode = (code: string): string => (/^0\d\d$/.test(code) ? code.slice(1) : code);

/** "No data": an empty success, not a failure (docs/contract.md#public-data-middleware). */
export const isNoData = (code: string): boolean => portalCode(code) === '03';

/** The table in docs/contract.md#public-data-middleware, without its generic message for all other codes. */
const MESSAGES: ReadonlyMap<string, string> = new Map([
  ['00', 'OK'],
  ['30', 'Unregistered service key'],
  ['31', 'Expired service key'],
  ['32', 'Unregistered IP'],
]);

const TRANSIENT = new Set(['01', '02', '04', '05']);

/** Failures of the service itself: 01 application, 02 database, 04 HTTP, 05 timeout. */
export const isTransient = (code: string): boolean => TRANSIENT.has(code);

/** The readable message for a canonical result code (docs/contract.md#public-data-middleware). */
export const publicDataMessage = (code: string): string =>
  MESSAGES.get(portalCode(code)) ?? `Unknown public-data error (${code})`;

/** Who can do something about each result code of the portal. */
const CAUSES: ReadonlyMap<string, Cause> = new Map([
  ...['01', '02', '04', '05', '12', '99'].map((code) => [code, 'upstream'] as const),
  ['03', 'no_data'],
  ['10', 'arguments'],
  ['11', 'arguments'],
  ['20', 'not_approved'],
  ['22', 'quota'],
  ['23', 'rate'],
  ...['21', '29', '30', '31', '32', '33'].map((code) => [code, 'operator_key'] as const),
  // The whole body, in place of a payload.
  ['Unauthorized', 'not_approved'],
  ['Forbidden', 'not_approved'],
]);

/** The cause of a canonical result code, or of a plain text; undefined if the portal gives it no meaning. */
export const causeOf = (code: string): Cause | undefined =>
  CAUSES.get(portalCode(code)) ?? CAUSES.get(codeOfRefusal(code) ?? '');

/** The portal's gateway answers 401 or 403 until the dataset is granted, and 404 for an operation that it has withdrawn. */
export function causeOfStatus(status: number): Cause | undefined {
  if (status === 401 || status === 403) return 'not_approved';
  return status === 404 ? 'upstream' : undefined;
}

/** What the names of successes start with. */
const SUCCESSES: readonly (readonly [start: string, code: string])[] = [
  ['NORMAL', '00'],
  ['NO_DATA', '03'],
  ['NODATA', '03'],
];

/** What the names of refusals contain; "_ERROR", and for some the name of a parameter, follow. The first that fits counts. */
const REFUSALS: readonly (readonly [name: RegExp, code: string])[] = [
  [/INVALID_REQUEST_PARAMETER/, '10'],
  [/NO_MANDATORY_REQUEST_PARAMETERS/, '11'],
  [/NO_OPENAPI_SERVICE/, '12'],
  [/SERVICE_ACCESS_DENIED/, '20'],
  [/TEMPORARILY_DISABLE_THE_SERVICE_?KEY/, '21'],
  [/LIMITED_NUMBER_OF_SERVICE_REQUESTS.*PER_SECOND|API_RATE_LIMIT_EXCEEDED/, '23'],
  [/LIMITED_NUMBER_OF_SERVICE_REQUESTS|API_TOKEN_QUOTA_EXCEEDED/, '22'],
  [/SERVICE_?KEY_IS_NOT_REGISTERED|REGISTERED_SERVICE_?KEY_IS_NOT|UNREGISTERED_SERVICE_?KEY/, '30'],
  [/DEADLINE_HAS_EXPIRED/, '31'],
  [/UNREGISTERED_IP/, '32'],
  [/UNSIGNED_CALL/, '33'],
  // The same in Korean, as services behind the portal say it.
  [
    /(등록되지|유효하지|올바르지)_않은_(인증_?키|서비스_?키)|(인증_?키|서비스_?키)가?_(등록되지|유효하지|올바르지)_않|(인증|인증_?키|서비스_?키)(에|가)?_?(실패|오류|에러)/,
    '30',
  ],
  [/(트래픽|호출_?횟수|요청_?횟수)(을|를|가|이)?_?초과/, '22'],
];

const nameIn = (text: string): string =>
  text
    .slice(0, 100)
    .trim()
    .toUpperCase()
    .replace(/[\s_-]+/g, '_');

/** The result code of a refusal that a text names, such as `DEADLINE_HAS_EXPIRED_ERROR`. */
function codeOfRefusal(text: string): string | undefined {
  const name = nameIn(text);
  return REFUSALS.find(([pattern]) => pattern.test(name))?.[1];
}

/** The result code of a response that says its name only. */
export function codeOfText(text: string): string | undefined {
  const name = nameIn(text);
  return SUCCESSES.find(([start]) => name.startsWith(start))?.[1] ?? codeOfRefusal(text);
}

/** Codes of failures of the service itself, with which some services send the name of a refusal. */
const VAGUE = new Set(['01', '02', '04', '05', '99']);

/** The code that a response means: its text may say more, such as "too many in a second" beside the code of the quota. */
export function meantCode(code: string, text: string): string {
  const portal = portalCode(code);
  if (!VAGUE.has(portal) && portal !== '22') return code;
  const named = codeOfRefusal(text);
  if (named === undefined) return code;
  return VAGUE.has(portal) || named === '23' ? named : code;
}

const INTERNAL_FAILURE = 'The data provider has an internal error; retry in a few minutes.';

/** What to do about each result code, and who must do it. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ...['01', '02', '04', '99'].map((code) => [code, INTERNAL_FAILURE] as const),
  ['03', 'Nothing matches these arguments; widen the search or choose another date or place.'],
  ['05', 'The data provider timed out; retry, or request fewer rows.'],
  ['10', 'The data provider rejects the value of an argument; correct it and call again.'],
  ['11', 'An argument that the data provider requires is missing; add it and call again.'],
  [
    '12',
    'The data provider has withdrawn or renamed this operation; the operator must update the preset.',
  ],
  [
    '20',
    "The gateway's key is not approved for this dataset (also sent with HTTP 403); the operator must apply for it on data.go.kr.",
  ],
  ['21', 'The service key is temporarily suspended; the operator must contact data.go.kr.'],
  [
    '22',
    "The service key's daily quota is used up; wait until midnight in Korea, or have the operator request a higher quota from data.go.kr.",
  ],
  [
    '23',
    'Too many requests in one second (also sent with HTTP 429); wait a moment and call again.',
  ],
  [
    '30',
    'The portal does not know the service key; the operator must check PUBLIC_DATA_SERVICE_KEY and apply for this dataset on data.go.kr.',
  ],
  ['29', 'The service key is blocked; the operator must contact data.go.kr.'],
  [
    '31',
    'The period for which this dataset was approved has ended; the operator must extend it on data.go.kr.',
  ],
  [
    '32',
    "The gateway's address is not registered for the service key; the operator must register it on data.go.kr.",
  ],
  [
    '33',
    'The portal requires a signed call; the operator must check how access to this dataset is granted.',
  ],
]);

/** What to do about a result code, and who must do it; undefined for a code without advice. */
export const publicDataHint = (code: string): string | undefined => HINTS.get(portalCode(code));

/** What to do about a state of a key, and where; undefined where no page is known: the hint of the code says as much. */
export function readinessHint(
  state: 'not_applied' | 'propagating' | 'expired',
  page: string | null,
): string | undefined {
  if (page === null) return undefined;
  switch (state) {
    case 'not_applied':
      return `The gateway's key is not approved for this dataset; the operator must apply for it at ${page}`;
    case 'propagating':
      return `This dataset has been applied for, and the provider has not activated the approval yet, which may take 72 hours; its page is ${page}`;
    case 'expired':
      return `The period for which this dataset was approved has ended; the operator must extend it at ${page}`;
  }
}

/** A canonical result code with its message and hint; `isSuccess` if the preset counts the code as success. */
export function describeCode(code: string, isSuccess: boolean): PublicDataStatus {
  const message = publicDataMessage(isSuccess ? '00' : code);
  const hint = publicDataHint(code);
  return { code, message, ...(hint === undefined ? {} : { hint }) };
}
