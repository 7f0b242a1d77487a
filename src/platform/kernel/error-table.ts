/** How the dialects present an error with one code. */
export interface ErrorRow {
  /** HTTP status on REST addresses. */
  readonly httpStatus: number;
  /** Short name in the `error` field of a REST body. */
  readonly httpName: string;
  /** JSON-RPC error number on `POST /mcp`. */
  readonly rpcCode: number;
  /** `error.data.reason` of a `-32000`; absent for every other number. */
  readonly reason?: FailureReason;
  /** Whether the same call may succeed later without being changed. */
  readonly retryable: boolean;
  /** The default sentence. A thrower may give a more specific one. */
  readonly message: string;
}

/** The closed list of `error.data.reason` (docs/contract.md#errors). */
export type FailureReason =
  | 'timeout'
  | 'unreachable'
  | 'circuit_open'
  | 'too_large'
  | 'bad_payload'
  | 'missing_secret'
  | 'quota'
  | 'overloaded'
  | 'internal';

const HTTP_NAMES = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  417: 'Expectation Failed',
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  499: 'Client Closed Request',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  508: 'Loop Detected',
};

type HttpStatus = keyof typeof HTTP_NAMES;

/** A request that the gateway does not carry out, until the caller changes it unless `retryable`. */
const refusal = (
  httpStatus: HttpStatus,
  message: string,
  { rpcCode = -32600, retryable = false } = {},
): ErrorRow => ({ httpStatus, httpName: HTTP_NAMES[httpStatus], rpcCode, retryable, message });

/** A call that was carried out and failed. */
const failure = (
  httpStatus: HttpStatus,
  reason: FailureReason,
  message: string,
  { retryable = true } = {},
): ErrorRow => ({ ...refusal(httpStatus, message, { rpcCode: -32000, retryable }), reason });

/** Every code, grouped by who is responsible: caller, upstream, gateway. docs/errors.md is generated from it. */
const ROWS = {
  unreadable_request: refusal(400, 'The request body is not valid JSON.', { rpcCode: -32700 }),
  invalid_request: refusal(400, 'The request is not valid.'),
  invalid_arguments: refusal(400, 'The arguments are not valid.', { rpcCode: -32602 }),
  unauthenticated: refusal(
    401,
    'A valid API key is required. Send it in the header x-api-key, or in Authorization as a bearer token.',
  ),
  forbidden: refusal(403, 'This request is not allowed.'),
  tool_not_found: refusal(404, 'No tool with this name is available.', { rpcCode: -32602 }),
  method_not_found: refusal(404, 'The method is not supported.', { rpcCode: -32601 }),
  not_found: refusal(404, 'There is nothing at this address. GET /docs describes all addresses.'),
  method_not_allowed: refusal(405, 'The method is not allowed here.'),
  request_timeout: refusal(408, 'The request did not arrive in time.', { retryable: true }),
  conflict: refusal(409, 'The request conflicts with an existing resource.'),
  gone: refusal(410, 'This is no longer kept. Call the tool again.'),
  too_large: refusal(413, 'The request body is too large.'),
  unsupported_media_type: refusal(415, 'Send the body as application/json.'),
  expectation_failed: refusal(417, 'The gateway supports only one expectation: 100-continue.'),
  misdirected: refusal(421, 'The Host header names another host.'),
  unprocessable: refusal(422, 'The request is valid, but it cannot be carried out.'),
  rate_limited: refusal(429, 'Too many requests; retry later.', { retryable: true }),
  headers_too_large: refusal(431, 'The request headers are too large or too many.'),
  cancelled: failure(499, 'internal', 'The caller cancelled.'),
  loop_detected: refusal(
    508,
    'This request comes from the gateway itself: a registered API leads back to it. Call the tool directly.',
  ),

  upstream_timeout: failure(504, 'timeout', 'The upstream did not answer in time.'),
  upstream_unreachable: failure(502, 'unreachable', 'The upstream could not be reached.'),
  upstream_circuit_open: failure(
    503,
    'circuit_open',
    'Requests to this upstream are paused after repeated failures.',
  ),
  upstream_too_large: failure(
    502,
    'too_large',
    'The upstream response is larger than the gateway accepts. Request fewer rows.',
    { retryable: false },
  ),
  upstream_bad_payload: failure(502, 'bad_payload', 'The upstream response could not be read.'),
  upstream_blocked: failure(502, 'unreachable', 'The upstream address is not allowed.', {
    retryable: false,
  }),
  missing_secret: failure(
    503,
    'missing_secret',
    'The gateway has no credential for this upstream; its operator must configure one.',
    { retryable: false },
  ),
  quota_exhausted: failure(
    503,
    'quota',
    "The day's quota of this provider is used up; no request was sent.",
  ),

  overloaded: failure(503, 'overloaded', 'The gateway is busy; retry in a moment.'),
  unavailable: failure(
    503,
    'overloaded',
    'A part of the gateway is unavailable; retry in a moment.',
  ),
  internal: failure(
    500,
    'internal',
    'The gateway failed. If it keeps failing, report this to its operator.',
  ),
} satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ROWS;

export const ERROR_TABLE: Readonly<Record<ErrorCode, ErrorRow>> = ROWS;
