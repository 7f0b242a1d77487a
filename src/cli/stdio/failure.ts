import { isObject } from '../../dialects/json-rpc/json-rpc.ts';
import { ERROR_TABLE, type ErrorCode } from '../../platform/kernel/error.ts';

/** The error of a JSON-RPC response. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Why a request gets no answer of the gateway, as the error that answers it instead. */
export class ExchangeFailure extends Error {
  readonly error: RpcError;

  constructor(error: RpcError) {
    super(error.message);
    this.error = error;
  }
}

/** An error of the vocabulary that all dialects share (docs/errors.md). */
export function rpcErrorOf(code: ErrorCode, message?: string): RpcError {
  const row = ERROR_TABLE[code];
  return {
    code: row.rpcCode,
    message: message ?? row.message,
    ...('reason' in row ? { data: { reason: row.reason } } : {}),
  };
}

interface Refusal {
  readonly code: ErrorCode;
  readonly advice: string;
}

const CHECK_ADDRESS = 'Check that --url is the address of a Tool Gateway.';

const TOO_LARGE: Refusal = {
  code: 'too_large',
  advice: 'Send a smaller message, or raise MAX_BODY_BYTES of the gateway.',
};

const REFUSALS: Readonly<Record<number, Refusal>> = {
  401: {
    code: 'unauthenticated',
    advice:
      'Check the key in --key or TOOL_GATEWAY_API_KEY; "npm run -s cli -- keys create --tenant default" makes a new one.',
  },
  403: {
    code: 'forbidden',
    advice: 'Ask who runs the gateway, or a proxy before it, to let this machine in.',
  },
  404: { code: 'not_found', advice: CHECK_ADDRESS },
  413: TOO_LARGE,
  429: { code: 'rate_limited', advice: 'Send fewer requests, or raise the limit of the key.' },
};

const BUSY: Refusal = {
  code: 'unavailable',
  advice: 'Retry in a moment; when it stays so, look into the log of the gateway.',
};

const refusalOf = (status: number): Refusal =>
  REFUSALS[status] ?? (status >= 500 ? BUSY : { code: 'invalid_request', advice: CHECK_ADDRESS });

/** An answer with another status than 200: what the gateway says in JSON-RPC, else its reason and what to do. */
export function refusedBy(status: number, body: string): ExchangeFailure {
  const said = parseOrNull(body);
  const error = isObject(said) ? said['error'] : undefined;
  if (isRpcError(error)) return new ExchangeFailure(error);
  const { code, advice } = refusalOf(status);
  const reason =
    isObject(said) && typeof said['message'] === 'string' ? `: ${said['message']}` : '.';
  return new ExchangeFailure(
    rpcErrorOf(code, `The gateway answered with status ${status}${reason} ${advice}`),
  );
}

const isRpcError = (error: unknown): error is RpcError =>
  isObject(error) && typeof error['code'] === 'number' && typeof error['message'] === 'string';

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** An answer that is no JSON-RPC: something else than a gateway, such as the login page of a proxy, gave it. */
export const notTheGateway = (address: string): ExchangeFailure =>
  new ExchangeFailure(
    rpcErrorOf(
      'invalid_request',
      `What answers at ${address} does not speak JSON-RPC. ${CHECK_ADDRESS}`,
    ),
  );

/** Errors of a connection that has served already, or at least begun to. */
const CUT = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'UND_ERR_CLOSED']);

/** A gateway that will not read a message to its end closes the connection, so that its 413 can get lost. */
const LARGE_BYTES = 1024 * 1024;

/** No answer to a message of this size, or not all of it. */
export function unanswered(address: string, bytes: number, cause?: unknown): ExchangeFailure {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : null;
  const wasCut = code === null || CUT.has(code);
  const advice = bytes > LARGE_BYTES ? `It may be too large. ${TOO_LARGE.advice}` : 'Try again.';
  const message = wasCut
    ? `The connection to the gateway at ${address} broke before the message was answered. ${advice}`
    : `No gateway answers at ${address} (${code}). Start it with "npm start", or give its address with --url.`;
  return new ExchangeFailure(rpcErrorOf('upstream_unreachable', message));
}
