/** `0`, `000` and `0000` are code `00`; any other code stays as sent (docs/contract.md#public-data-middleware). */
export const canonicalCode = (code: string): string => (/^0{1,4}$/.test(code) ? '00' : code);

/** Services that number with three digits send `030` for `30`. */
const portalCode = (code: string): string => (/^0\d\d$/.test(code) ? code.slice(1) : code);

/** "No data": an empty success, not a failure (docs/contract.md#public-data-middleware). */
export const isNoData = (code: string): boolean => portalCode(code) === '03';

/** The table of docs/contract.md#public-data-middleware; it has another message for every code that is not here. */
const MESSAGES: ReadonlyMap<string, string> = new Map([
  ['00', 'OK'],
  ['30', 'Unregistered service key'],
  ['31', 'Expired service key'],
  ['32', 'Unregistered IP'],
]);

/** The readable message for a canonical result code (docs/contract.md#public-data-middleware). */
export const publicDataMessage = (code: string): string =>
  MESSAGES.get(portalCode(code)) ?? `Unknown public-data error (${code})`;

const UPSTREAM_FAULT = 'The data provider has a fault of its own; retry in a few minutes.';

/** Who must act, and how. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ['01', UPSTREAM_FAULT],
  ['02', UPSTREAM_FAULT],
  ['03', 'Nothing matches these arguments; widen the search or choose another date or place.'],
  ['04', UPSTREAM_FAULT],
  ['05', 'The data provider took too long; retry, or ask for fewer rows.'],
  ['10', 'An argument has a value that the data provider refuses; correct it and call again.'],
  ['11', 'The data provider misses an argument it requires; add it and call again.'],
  [
    '12',
    'The data provider has withdrawn or renamed this operation; the operator must update the preset.',
  ],
  [
    '20',
    'Access to this dataset is denied (also sent with HTTP 403); the operator must apply for it on data.go.kr.',
  ],
  ['21', 'The service key is suspended for now; the operator must ask data.go.kr about it.'],
  [
    '22',
    "The service key's quota for today is used up; wait until midnight in Korea, or the operator must ask data.go.kr for more.",
  ],
  [
    '23',
    'Too many requests in one second (also sent with HTTP 429); wait a moment and call again.',
  ],
  [
    '30',
    'The portal does not know the service key; the operator must check PUBLIC_DATA_SERVICE_KEY and apply for this dataset on data.go.kr.',
  ],
  ['31', 'The service key has expired; the operator must renew it on data.go.kr.'],
  [
    '32',
    "The gateway's address is not registered for the service key; the operator must register it on data.go.kr.",
  ],
  ['33', 'The portal wanted a signed call; the operator must check how this dataset is granted.'],
  ['99', UPSTREAM_FAULT],
]);

/** Who must do what about a result code, or undefined where nothing more is known. */
export const publicDataHint = (code: string): string | undefined => HINTS.get(portalCode(code));
