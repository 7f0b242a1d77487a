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
  | 'overloaded'
  | 'internal';

/** Every code, grouped by who is responsible: caller, upstream, gateway. docs/errors.md is generated from it. */
const ROWS = {
  unreadable_request: {
    httpStatus: 400,
    httpName: 'Bad Request',
    rpcCode: -32700,
    retryable: false,
    message: 'The request body is not valid JSON.',
  },
  invalid_request: {
    httpStatus: 400,
    httpName: 'Bad Request',
    rpcCode: -32600,
    retryable: false,
    message: 'The request is not valid.',
  },
  invalid_arguments: {
    httpStatus: 400,
    httpName: 'Bad Request',
    rpcCode: -32602,
    retryable: false,
    message: 'The arguments are not valid.',
  },
  unauthenticated: {
    httpStatus: 401,
    httpName: 'Unauthorized',
    rpcCode: -32600,
    retryable: false,
    message: 'A valid API key is required.',
  },
  forbidden: {
    httpStatus: 403,
    httpName: 'Forbidden',
    rpcCode: -32600,
    retryable: false,
    message: 'This request is not allowed.',
  },
  tool_not_found: {
    httpStatus: 404,
    httpName: 'Not Found',
    rpcCode: -32602,
    retryable: false,
    message: 'No tool with this name is available.',
  },
  method_not_found: {
    httpStatus: 404,
    httpName: 'Not Found',
    rpcCode: -32601,
    retryable: false,
    message: 'The method is not supported.',
  },
  not_found: {
    httpStatus: 404,
    httpName: 'Not Found',
    rpcCode: -32600,
    retryable: false,
    message: 'There is nothing at this address. GET /docs describes all addresses.',
  },
  method_not_allowed: {
    httpStatus: 405,
    httpName: 'Method Not Allowed',
    rpcCode: -32600,
    retryable: false,
    message: 'The method is not allowed here.',
  },
  request_timeout: {
    httpStatus: 408,
    httpName: 'Request Timeout',
    rpcCode: -32600,
    retryable: true,
    message: 'The request did not arrive in time.',
  },
  conflict: {
    httpStatus: 409,
    httpName: 'Conflict',
    rpcCode: -32600,
    retryable: false,
    message: 'The request conflicts with an existing resource.',
  },
  too_large: {
    httpStatus: 413,
    httpName: 'Payload Too Large',
    rpcCode: -32600,
    retryable: false,
    message: 'The request body is too large.',
  },
  unsupported_media_type: {
    httpStatus: 415,
    httpName: 'Unsupported Media Type',
    rpcCode: -32600,
    retryable: false,
    message: 'Send the body as application/json.',
  },
  expectation_failed: {
    httpStatus: 417,
    httpName: 'Expectation Failed',
    rpcCode: -32600,
    retryable: false,
    message: 'The gateway supports only one expectation: 100-continue.',
  },
  misdirected: {
    httpStatus: 421,
    httpName: 'Misdirected Request',
    rpcCode: -32600,
    retryable: false,
    message: 'The Host header names another host.',
  },
  unprocessable: {
    httpStatus: 422,
    httpName: 'Unprocessable Content',
    rpcCode: -32600,
    retryable: false,
    message: 'The request is valid, but it cannot be carried out.',
  },
  rate_limited: {
    httpStatus: 429,
    httpName: 'Too Many Requests',
    rpcCode: -32600,
    retryable: true,
    message: 'Too many requests; retry later.',
  },
  headers_too_large: {
    httpStatus: 431,
    httpName: 'Request Header Fields Too Large',
    rpcCode: -32600,
    retryable: false,
    message: 'The request headers are too large or too many.',
  },
  cancelled: {
    httpStatus: 499,
    httpName: 'Client Closed Request',
    rpcCode: -32000,
    reason: 'internal',
    retryable: true,
    message: 'The caller cancelled.',
  },
  loop_detected: {
    httpStatus: 508,
    httpName: 'Loop Detected',
    rpcCode: -32600,
    retryable: false,
    message:
      'This request comes from the gateway itself: a registered API leads back to it. Call the tool directly.',
  },

  upstream_timeout: {
    httpStatus: 504,
    httpName: 'Gateway Timeout',
    rpcCode: -32000,
    reason: 'timeout',
    retryable: true,
    message: 'The upstream did not answer in time.',
  },
  upstream_unreachable: {
    httpStatus: 502,
    httpName: 'Bad Gateway',
    rpcCode: -32000,
    reason: 'unreachable',
    retryable: true,
    message: 'The upstream could not be reached.',
  },
  upstream_circuit_open: {
    httpStatus: 503,
    httpName: 'Service Unavailable',
    rpcCode: -32000,
    reason: 'circuit_open',
    retryable: true,
    message: 'Requests to this upstream are paused after repeated failures.',
  },
  upstream_too_large: {
    httpStatus: 502,
    httpName: 'Bad Gateway',
    rpcCode: -32000,
    reason: 'too_large',
    retryable: false,
    message: 'The upstream response is larger than the gateway accepts. Request fewer rows.',
  },
  upstream_bad_payload: {
    httpStatus: 502,
    httpName: 'Bad Gateway',
    rpcCode: -32000,
    reason: 'bad_payload',
    retryable: true,
    message: 'The upstream response could not be read.',
  },
  upstream_blocked: {
    httpStatus: 502,
    httpName: 'Bad Gateway',
    rpcCode: -32000,
    reason: 'unreachable',
    retryable: false,
    message: 'The upstream address is not allowed.',
  },
  missing_secret: {
    httpStatus: 503,
    httpName: 'Service Unavailable',
    rpcCode: -32000,
    reason: 'missing_secret',
    retryable: false,
    message: 'The gateway has no credential for this upstream; its operator must configure one.',
  },

  overloaded: {
    httpStatus: 503,
    httpName: 'Service Unavailable',
    rpcCode: -32000,
    reason: 'overloaded',
    retryable: true,
    message: 'The gateway is busy; retry in a moment.',
  },
  unavailable: {
    httpStatus: 503,
    httpName: 'Service Unavailable',
    rpcCode: -32000,
    reason: 'overloaded',
    retryable: true,
    message: 'A part of the gateway is unavailable; retry in a moment.',
  },
  internal: {
    httpStatus: 500,
    httpName: 'Internal Server Error',
    rpcCode: -32000,
    reason: 'internal',
    retryable: true,
    message: 'The gateway failed. If it keeps failing, report this to its operator.',
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ROWS;

export const ERROR_TABLE: Readonly<Record<ErrorCode, ErrorRow>> = ROWS;
