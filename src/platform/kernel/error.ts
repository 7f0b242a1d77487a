/**
 * The one error vocabulary of the gateway. Inner parts throw a GatewayError with a code; each dialect
 * prints it in its own words from the table below (docs/contract.md#errors).
 */

/** What the table says of one code. */
interface ErrorRow {
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
  /** The sentence used when the thrower gives none. */
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

const row = (
  httpStatus: number,
  httpName: string,
  rpcCode: number,
  retryable: boolean,
  message: string,
  reason?: FailureReason,
): ErrorRow => ({
  httpStatus,
  httpName,
  rpcCode,
  retryable,
  message,
  ...(reason ? { reason } : {}),
});

/** Every code, grouped by whose fault it is: caller, upstream, ours. docs/errors.md lists the same. */
export const ERROR_TABLE = {
  unreadable_request: row(400, 'Bad Request', -32700, false, 'The request body is not valid JSON.'),
  invalid_request: row(400, 'Bad Request', -32600, false, 'The request is not valid.'),
  invalid_arguments: row(400, 'Bad Request', -32602, false, 'The arguments are not valid.'),
  unauthenticated: row(401, 'Unauthorized', -32600, false, 'A valid API key is required.'),
  forbidden: row(403, 'Forbidden', -32600, false, 'This is not allowed.'),
  tool_not_found: row(404, 'Not Found', -32602, false, 'No tool of this name is available.'),
  method_not_found: row(404, 'Not Found', -32601, false, 'The method is not supported.'),
  not_found: row(404, 'Not Found', -32600, false, 'There is nothing at this address.'),
  method_not_allowed: row(
    405,
    'Method Not Allowed',
    -32600,
    false,
    'The method is not allowed here.',
  ),
  request_timeout: row(408, 'Request Timeout', -32600, true, 'The request did not arrive in time.'),
  conflict: row(409, 'Conflict', -32600, false, 'Conflicts with an existing resource.'),
  too_large: row(413, 'Payload Too Large', -32600, false, 'The request body is too large.'),
  unsupported_media_type: row(
    415,
    'Unsupported Media Type',
    -32600,
    false,
    'Send the body as application/json.',
  ),
  expectation_failed: row(
    417,
    'Expectation Failed',
    -32600,
    false,
    'The only expectation that the gateway meets is 100-continue.',
  ),
  misdirected: row(
    421,
    'Misdirected Request',
    -32600,
    false,
    'The Host header names another host.',
  ),
  rate_limited: row(429, 'Too Many Requests', -32600, true, 'Too many requests; retry later.'),
  headers_too_large: row(
    431,
    'Request Header Fields Too Large',
    -32600,
    false,
    'The headers of the request are too large or too many.',
  ),
  cancelled: row(499, 'Client Closed Request', -32000, true, 'The caller cancelled.', 'internal'),
  not_implemented: row(501, 'Not Implemented', -32601, false, 'This is not available yet.'),

  upstream_timeout: row(
    504,
    'Gateway Timeout',
    -32000,
    true,
    'The upstream did not answer in time.',
    'timeout',
  ),
  upstream_unreachable: row(
    502,
    'Bad Gateway',
    -32000,
    true,
    'The upstream could not be reached.',
    'unreachable',
  ),
  upstream_circuit_open: row(
    503,
    'Service Unavailable',
    -32000,
    true,
    'Requests to this upstream are paused after repeated failures.',
    'circuit_open',
  ),
  upstream_too_large: row(
    502,
    'Bad Gateway',
    -32000,
    false,
    'The upstream answer is larger than the gateway accepts; ask for fewer rows.',
    'too_large',
  ),
  upstream_bad_payload: row(
    502,
    'Bad Gateway',
    -32000,
    true,
    'The upstream answered with something that could not be read.',
    'bad_payload',
  ),
  upstream_blocked: row(
    502,
    'Bad Gateway',
    -32000,
    false,
    'The upstream address is not allowed.',
    'unreachable',
  ),
  missing_secret: row(
    503,
    'Service Unavailable',
    -32000,
    false,
    'The gateway has no credential for this upstream; its operator must configure one.',
    'missing_secret',
  ),

  overloaded: row(
    503,
    'Service Unavailable',
    -32000,
    true,
    'The gateway is busy; retry in a moment.',
    'overloaded',
  ),
  unavailable: row(
    503,
    'Service Unavailable',
    -32000,
    true,
    'A part of the gateway is unavailable; retry in a moment.',
    'overloaded',
  ),
  internal: row(
    500,
    'Internal Server Error',
    -32000,
    true,
    'The gateway failed; quote the request id when you report it.',
    'internal',
  ),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERROR_TABLE;

/** One fault in a caller's arguments, in words a model can act on. `path` is a JSON pointer. */
export interface ArgumentFault {
  readonly path: string;
  readonly message: string;
}

/** What an error may carry to the caller besides its sentence. Never a secret, never foreign text. */
export interface ErrorDetails {
  readonly errors?: readonly ArgumentFault[];
  readonly retryAfterSeconds?: number;
  readonly hint?: string;
}

/** The only error class that crosses a feature's boundary. `cause` is for the log, never for a caller. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(
    code: ErrorCode,
    message?: string,
    options: { details?: ErrorDetails; cause?: unknown } = {},
  ) {
    super(
      message ?? ERROR_TABLE[code].message,
      options.cause === undefined ? {} : { cause: options.cause },
    );
    this.name = 'GatewayError';
    this.code = code;
    this.details = options.details ?? {};
  }

  /** The table's row for this error's code. */
  get row(): ErrorRow {
    return ERROR_TABLE[this.code];
  }
}

/** Whatever was thrown, as a GatewayError: foreign errors become `internal` with the cause kept. */
export function toGatewayError(thrown: unknown): GatewayError {
  return thrown instanceof GatewayError
    ? thrown
    : new GatewayError('internal', undefined, { cause: thrown });
}
