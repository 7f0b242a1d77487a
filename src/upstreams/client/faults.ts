import { type ErrorCode, GatewayError } from '../../platform/kernel/error.ts';

/** What became of a request that failed, as far as it decides whether it may be sent again. */
type Fate =
  /** It never left the gateway. */
  | 'unsent'
  /** The connection ended; if it had been idle, the upstream closed it before it saw the request. */
  | 'cut'
  | 'unknown';

interface Fault {
  readonly code: ErrorCode;
  readonly message?: string;
  readonly fate: Fate;
}

const fault = (code: ErrorCode, message?: string, fate: Fate = 'unknown'): Fault => ({
  code,
  fate,
  ...(message === undefined ? {} : { message }),
});

export const STOPPING = 'The gateway is stopping; retry in a moment.';

const BROKE_OFF = 'The upstream broke off in the middle of its answer.';
const cut = fault('upstream_unreachable', 'The upstream closed the connection.', 'cut');
const noRoute = fault('upstream_unreachable', 'There is no route to the upstream.');
const insecure = fault(
  'upstream_unreachable',
  'No secure connection to the upstream could be made.',
);
const malformed = fault('upstream_bad_payload', 'The upstream answer does not follow HTTP/1.1.');
const stopping = fault('overloaded', STOPPING);
const noSockets = fault('overloaded', 'The gateway has no free connections; retry in a moment.');
const ours = fault('internal');

/** Every code that undici, the network and the parser report, and what it means here. */
const FAULTS: Readonly<Record<string, Fault>> = {
  // No connection
  ECONNREFUSED: fault('upstream_unreachable', 'The upstream refused the connection.', 'unsent'),
  ENOTFOUND: fault('upstream_unreachable', 'The host name of the upstream is unknown.', 'unsent'),
  EAI_AGAIN: fault(
    'upstream_unreachable',
    'The host name of the upstream could not be looked up.',
    'unsent',
  ),
  UND_ERR_CONNECT_TIMEOUT: fault(
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

  // A connection that ended
  ECONNRESET: cut,
  ECONNABORTED: cut,
  EPIPE: cut,
  UND_ERR_SOCKET: cut,
  UND_ERR_INFO: cut,
  ETIMEDOUT: fault('upstream_unreachable', 'The connection to the upstream was lost.'),
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: fault('upstream_unreachable', BROKE_OFF),
  HPE_INVALID_EOF_STATE: fault('upstream_unreachable', BROKE_OFF),
  HPE_UNEXPECTED_EOF: fault('upstream_unreachable', BROKE_OFF),

  // An answer that is too slow, too large or malformed. Other HPE_ codes are `malformed`.
  UND_ERR_HEADERS_TIMEOUT: fault('upstream_timeout'),
  UND_ERR_BODY_TIMEOUT: fault('upstream_timeout'),
  UND_ERR_RES_EXCEEDED_MAX_SIZE: fault('upstream_too_large'),
  UND_ERR_HEADERS_OVERFLOW: fault(
    'upstream_bad_payload',
    'The upstream answered with more headers than the gateway accepts.',
  ),

  // Our own stop
  UND_ERR_CLOSED: stopping,
  UND_ERR_DESTROYED: stopping,

  // A request that cannot be sent as it is, or a part of undici that is not used here
  UND_ERR: ours,
  UND_ERR_ABORT: ours,
  UND_ERR_ABORTED: ours,
  UND_ERR_INVALID_ARG: ours,
  UND_ERR_INVALID_RETURN_VALUE: ours,
  UND_ERR_NOT_SUPPORTED: ours,
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: ours,
  UND_ERR_REQ_RETRY: ours,
  UND_ERR_RESPONSE: ours,
  UND_ERR_REDIRECT_MAX: ours,
  UND_ERR_MAX_ORIGINS_REACHED: ours,
  UND_ERR_BPL_MISSING_UPSTREAM: ours,
  UND_ERR_PRX_CONN: ours,
  UND_ERR_PRX_TLS: ours,
  UND_ERR_SOCKS5: ours,
  UND_ERR_WS_MESSAGE_SIZE_EXCEEDED: ours,
  ERR_WEBASSEMBLY_NOT_SUPPORTED: ours,
};

/** OpenSSL and Node name the many faults of certificates and handshakes one by one. */
const TLS_FAULT =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|ERROR_IN_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_)/;

export interface Failure {
  readonly error: GatewayError;
  readonly fate: Fate;
}

/** A foreign error in our words; its own text stays behind as the cause. `answerBegan`: bytes had arrived. */
export function toFailure(thrown: Error, answerBegan: boolean): Failure {
  if (thrown instanceof GatewayError) return { error: thrown, fate: 'unknown' };
  const { code, message, fate } = lookUp(thrown);
  const brokeOff = fate === 'cut' && answerBegan;
  return {
    error: new GatewayError(code, brokeOff ? BROKE_OFF : message, { cause: thrown }),
    fate: brokeOff ? 'unknown' : fate,
  };
}

function lookUp(thrown: Error): Fault {
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
  const known = Object.hasOwn(FAULTS, code) ? FAULTS[code] : undefined;
  if (known) return known;
  if (code.startsWith('HPE_') || thrown.name === 'HTTPParserError') return malformed;
  return TLS_FAULT.test(code) ? insecure : fault('upstream_unreachable');
}
