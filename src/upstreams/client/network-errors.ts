import { type ErrorCode, GatewayError } from '../../platform/kernel/error.ts';

/** How far a failed request got, which decides whether it may be sent again. */
type Delivery =
  /** It never left the gateway. */
  | 'unsent'
  /** The connection closed. If it had been idle, the upstream closed it before the request arrived. */
  | 'cut'
  | 'unknown';

export const STOPPING = 'The gateway is shutting down. Retry in a moment.';

const INCOMPLETE = 'The upstream closed the connection before its response was complete.';
/** An operator who tries the gateway out may have no network at all; the sandbox simulates the upstreams of presets only. */
const WITHOUT_NETWORK =
  ' Started with --sandbox, the gateway answers with made-up data and needs no network.';
const NO_NETWORK =
  /^(ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ENETDOWN|EHOSTDOWN|EADDRNOTAVAIL)$/;

type Mapping = readonly [codes: RegExp, code: ErrorCode, message?: string, delivery?: Delivery];

/** What the error codes of undici, the network, OpenSSL and the HTTP parser become; the first match counts. */
const MAPPINGS: readonly Mapping[] = [
  // No connection
  [/^ECONNREFUSED$/, 'upstream_unreachable', 'The upstream refused the connection.', 'unsent'],
  [
    /^ENOTFOUND$/,
    'upstream_unreachable',
    'The host name of the upstream is unknown. Check the name and the network of the gateway.',
    'unsent',
  ],
  [
    /^EAI_AGAIN$/,
    'upstream_unreachable',
    'The host name of the upstream could not be resolved. Check the network of the gateway.',
    'unsent',
  ],
  [
    /^UND_ERR_CONNECT_TIMEOUT$/,
    'upstream_unreachable',
    'The upstream did not accept a connection in time.',
    'unsent',
  ],
  [
    /^(ENETUNREACH|EHOSTUNREACH|ENETDOWN|EHOSTDOWN|EADDRNOTAVAIL)$/,
    'upstream_unreachable',
    'There is no route to the upstream. Check the network of the gateway.',
  ],
  [/^E[MN]FILE$/, 'overloaded', 'The gateway has no free connections. Retry in a moment.'],
  [
    // Each of the many certificate and handshake errors has a code.
    /^(EPROTO$|HOSTNAME_MISMATCH$|ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|ERROR_IN_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_)/,
    'upstream_unreachable',
    'A secure connection to the upstream could not be established.',
  ],

  // A connection that closed
  [
    /^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET|UND_ERR_INFO)$/,
    'upstream_unreachable',
    'The upstream closed the connection.',
    'cut',
  ],
  [/^ETIMEDOUT$/, 'upstream_unreachable', 'The connection to the upstream was lost.'],
  [
    /^(UND_ERR_RES_CONTENT_LENGTH_MISMATCH|HPE_INVALID_EOF_STATE|HPE_UNEXPECTED_EOF)$/,
    'upstream_unreachable',
    INCOMPLETE,
  ],

  // A response that is too slow, too large or malformed
  [/^UND_ERR_(HEADERS|BODY)_TIMEOUT$/, 'upstream_timeout'],
  [/^UND_ERR_RES_EXCEEDED_MAX_SIZE$/, 'upstream_too_large'],
  [
    /^UND_ERR_HEADERS_OVERFLOW$/,
    'upstream_bad_payload',
    'The upstream sent more headers than the gateway accepts.',
  ],
  [
    /^(HPE_|HTTPParserError$)/,
    'upstream_bad_payload',
    'The upstream response is not valid HTTP/1.1.',
  ],

  // Shutdown of the gateway
  [/^UND_ERR_(CLOSED|DESTROYED)$/, 'overloaded', STOPPING],

  // A request that cannot be sent, or a part of undici that the gateway does not use
  [/^UND_ERR|^ERR_WEBASSEMBLY_NOT_SUPPORTED$/, 'internal'],
];

export interface Failure {
  readonly error: GatewayError;
  readonly delivery: Delivery;
  /** Of a response that could not be read completely. */
  readonly status?: number;
}

export interface Circumstances {
  /** Bytes of the response had arrived. */
  readonly responseStarted: boolean;
  /** The upstream is one that a tenant chose. */
  readonly isOfTenant: boolean;
}

/** Maps a foreign error to a GatewayError with a message of the gateway; the original becomes its cause. */
export function toFailure(thrown: Error, { responseStarted, isOfTenant }: Circumstances): Failure {
  if (thrown instanceof GatewayError) return { error: thrown, delivery: 'unknown' };
  const name = ('code' in thrown && thrown.code) || thrown.name;
  const mapping = MAPPINGS.find(([codes]) => codes.test(String(name)));
  const hint = !isOfTenant && NO_NETWORK.test(String(name)) ? WITHOUT_NETWORK : '';
  const [, code, message, delivery = 'unknown'] = mapping ?? [/./, 'upstream_unreachable'];
  const isIncomplete = delivery === 'cut' && responseStarted;
  return {
    error: new GatewayError(code, isIncomplete ? INCOMPLETE : message && message + hint, {
      cause: thrown,
    }),
    delivery: isIncomplete ? 'unknown' : delivery,
  };
}
