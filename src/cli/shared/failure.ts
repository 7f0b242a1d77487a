import { ERROR_TABLE, type ErrorCode } from '../../platform/kernel/error.ts';
import { commandLine, startLine } from '../../platform/kernel/log-lines.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import { CHECK_ADDRESS, parseOrNull } from './gateway-request.ts';

/** The error of a JSON-RPC response. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Why a request has no response from the gateway, as the error that the host receives instead. */
export class ExchangeFailure extends Error {
  readonly error: RpcError;

  constructor(error: RpcError) {
    super(error.message);
    this.error = error;
  }
}

/** An error of the codes that all dialects share (docs/errors.md). */
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

const TOO_LARGE: Refusal = {
  code: 'too_large',
  advice: 'Send a smaller message, or raise MAX_BODY_BYTES on the gateway.',
};

const REFUSALS: Readonly<Record<number, Refusal>> = {
  401: {
    code: 'unauthenticated',
    advice: `Check the key in --key or TOOL_GATEWAY_API_KEY. To create a new one, run: ${commandLine('keys create --tenant default')}`,
  },
  403: {
    code: 'forbidden',
    advice: 'Ask the operator of the gateway, or of a proxy in front of it, to allow this machine.',
  },
  404: { code: 'not_found', advice: CHECK_ADDRESS },
  413: TOO_LARGE,
  429: { code: 'rate_limited', advice: 'Send fewer requests, or have the limit raised.' },
};

const BUSY: Refusal = {
  code: 'unavailable',
  advice: 'Retry shortly. If the error persists, check the log of the gateway.',
};

const refusalOf = (status: number): Refusal =>
  REFUSALS[status] ?? (status >= 500 ? BUSY : { code: 'invalid_request', advice: CHECK_ADDRESS });

/** The error of a response with a status other than 200: its JSON-RPC error, else its message and what to do. */
export function refusedBy(status: number, body: string): ExchangeFailure {
  const parsed = parseOrNull(body);
  const error = isObject(parsed) ? parsed['error'] : undefined;
  if (isRpcError(error)) return new ExchangeFailure(error);
  const { code, advice } = refusalOf(status);
  const reason =
    isObject(parsed) && typeof parsed['message'] === 'string' ? `: ${parsed['message']}` : '.';
  return new ExchangeFailure(
    rpcErrorOf(code, `The gateway responded with status ${status}${reason} ${advice}`),
  );
}

const isRpcError = (error: unknown): error is RpcError =>
  isObject(error) && typeof error['code'] === 'number' && typeof error['message'] === 'string';

/** The error of a response that is not JSON-RPC. It comes from something else, such as the login page of a proxy. */
export const notTheGateway = (address: string): ExchangeFailure =>
  new ExchangeFailure(
    rpcErrorOf(
      'invalid_request',
      `The server at ${address} does not speak JSON-RPC. ${CHECK_ADDRESS}`,
    ),
  );

/** Errors of a connection that was established. */
const BROKEN = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'UND_ERR_CLOSED']);

/** A gateway that refuses to read a whole message closes the connection, so its 413 can get lost. */
const LARGE_BYTES = 1024 * 1024;

/** The error of a message of this size whose response is missing or incomplete. */
export function unanswered(address: string, bytes: number, cause?: unknown): ExchangeFailure {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : null;
  const wasConnected = code === null || BROKEN.has(code);
  const advice = bytes > LARGE_BYTES ? `It may be too large. ${TOO_LARGE.advice}` : 'Try again.';
  const message = wasConnected
    ? `The connection to the gateway at ${address} broke before the response was complete. ${advice}`
    : `No gateway responds at ${address} (${code}). Start it with "${startLine()}", or give its address with --url.`;
  return new ExchangeFailure(rpcErrorOf('upstream_unreachable', message));
}
