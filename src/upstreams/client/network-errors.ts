import { type ErrorCode, GatewayError } from '../../platform/kernel/error.ts';

/** How far a failed request got, which decides whether it may be sent again. */
type Delivery =
  /** It never left the gateway. */
  | 'unsent'
  /** The connection closed. If it had been idle, the upstream closed it before the request arrived. */
  | 'cut'
  | 'unknown';

interface ErrorMapping {
  readonly code: ErrorCode;
  readonly message?: string;
  readonly delivery: Delivery;
}

const mapTo = (
  code: ErrorCode,
  message?: string,
  delivery: Delivery = 'unknown',
): ErrorMapping => ({
  code,
  delivery,
  ...(message === undefined ? {} : { message }),
});

export const STOPPING = 'The gateway is shutting down. Retry in a moment.';

const INCOMPLETE = 'The upstream closed the connection before its response was complete.';
const cut = mapTo('upstream_unreachable', 'The upstream closed the connection.', 'cut');
/** An operator who tries the gateway out may have no network at all. */
const NETWORK =
  'the network of the gateway; started with --sandbox, it answers with made-up data and needs none.';
const noRoute = mapTo(
  'upstream_unreachable',
  `There is no route to the upstream. Check ${NETWORK}`,
);
const insecure = mapTo(
  'upstream_unreachable',
  'A secure connection to the upstream could not be established.',
);
const malformed = mapTo('upstream_bad_payload', 'The upstream response is not valid HTTP/1.1.');
const stopping = mapTo('overloaded', STOPPING);
const noSockets = mapTo('overloaded', 'The gateway has no free connections. Retry in a moment.');
const internal = mapTo('internal');

/** Every error code of undici, the network and the HTTP parser, and the error that it becomes. */
const MAPPINGS: Readonly<Record<string, ErrorMapping>> = {
  // No connection
  ECONNREFUSED: mapTo('upstream_unreachable', 'The upstream refused the connection.', 'unsent'),
  ENOTFOUND: mapTo(
    'upstream_unreachable',
    `The host name of the upstream is unknown. Check the name and ${NETWORK}`,
    'unsent',
  ),
  EAI_AGAIN: mapTo(
    'upstream_unreachable',
    `The host name of the upstream could not be resolved. Check ${NETWORK}`,
    'unsent',
  ),
  UND_ERR_CONNECT_TIMEOUT: mapTo(
    'upstream_unreachable',
    'The upstream did not accept a connection in time.',
    'unsent',
  ),
  ENETUNREACH: noRoute,
  EHOSTUNREACH: noRoute,
  ENETDOWN: noRoute,
  EHOSTDOWN: noRoute,
  EADDRNOTAVAIL: noRoute,
  EMFILE: noSockets,
  ENFILE: noSockets,
  EPROTO: insecure,
  HOSTNAME_MISMATCH: insecure,

  // A connection that closed
  ECONNRESET: cut,
  ECONNABORTED: cut,
  EPIPE: cut,
  UND_ERR_SOCKET: cut,
  UND_ERR_INFO: cut,
  ETIMEDOUT: mapTo('upstream_unreachable', 'The connection to the upstream was lost.'),
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: mapTo('upstream_unreachable', INCOMPLETE),
  HPE_INVALID_EOF_STATE: mapTo('upstream_unreachable', INCOMPLETE),
  HPE_UNEXPECTED_EOF: mapTo('upstream_unreachable', INCOMPLETE),

  // A response that is too slow, too large or malformed. Other HPE_ codes are `malformed`.
  UND_ERR_HEADERS_TIMEOUT: mapTo('upstream_timeout'),
  UND_ERR_BODY_TIMEOUT: mapTo('upstream_timeout'),
  UND_ERR_RES_EXCEEDED_MAX_SIZE: mapTo('upstream_too_large'),
  UND_ERR_HEADERS_OVERFLOW: mapTo(
    'upstream_bad_payload',
    'The upstream sent more headers than the gateway accepts.',
  ),

  // Shutdown of the gateway
  UND_ERR_CLOSED: stopping,
  UND_ERR_DESTROYED: stopping,

  // A request that cannot be sent, or a part of undici that the gateway does not use
  UND_ERR: internal,
  UND_ERR_ABORT: internal,
  UND_ERR_ABORTED: internal,
  UND_ERR_INVALID_ARG: internal,
  UND_ERR_INVALID_RETURN_VALUE: internal,
  UND_ERR_NOT_SUPPORTED: internal,
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: internal,
  UND_ERR_REQ_RETRY: internal,
  UND_ERR_RESPONSE: internal,
  UND_ERR_REDIRECT_MAX: internal,
  UND_ERR_MAX_ORIGINS_REACHED: internal,
  UND_ERR_BPL_MISSING_UPSTREAM: internal,
  UND_ERR_PRX_CONN: internal,
  UND_ERR_PRX_TLS: internal,
  UND_ERR_SOCKS5: internal,
  UND_ERR_WS_MESSAGE_SIZE_EXCEEDED: internal,
  ERR_WEBASSEMBLY_NOT_SUPPORTED: internal,
};

/** OpenSSL and Node have a separate code for each of the many certificate and handshake errors. */
const TLS_ERROR =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|ERROR_IN_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_)/;

export interface Failure {
  readonly error: GatewayError;
  readonly delivery: Delivery;
  /** Of a response that could not be read completely. */
  readonly status?: number;
}

/**
 * Maps a foreign error to a GatewayError with a message of the gateway; the original becomes its cause.
 * `responseStarted`: bytes of the response had arrived.
 */
export function toFailure(thrown: Error, responseStarted: boolean): Failure {
  if (thrown instanceof GatewayError) return { error: thrown, delivery: 'unknown' };
  const { code, message, delivery } = mappingOf(thrown);
  const isIncomplete = delivery === 'cut' && responseStarted;
  return {
    error: new GatewayError(code, isIncomplete ? INCOMPLETE : message, { cause: thrown }),
    delivery: isIncomplete ? 'unknown' : delivery,
  };
}

function mappingOf(thrown: Error): ErrorMapping {
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
  const known = Object.hasOwn(MAPPINGS, code) ? MAPPINGS[code] : undefined;
  if (known) return known;
  if (code.startsWith('HPE_') || thrown.name === 'HTTPParserError') return malformed;
  return TLS_ERROR.test(code) ? insecure : mapTo('upstream_unreachable');
}
