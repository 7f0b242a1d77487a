import type { Cause } from './cause.ts';
import { ERROR_TABLE, type ErrorCode, type ErrorRow } from './error-table.ts';

/**
 * The one error vocabulary of the gateway. Inner parts throw a GatewayError with a code. Each dialect encodes it in its
 * own form, from the table (docs/contract.md#errors).
 */
export { ERROR_TABLE, type ErrorCode } from './error-table.ts';

/** One issue with a caller's arguments, in words that a model can act on. `path` is a JSON pointer. */
export interface ArgumentIssue {
  readonly path: string;
  readonly message: string;
}

/** What an error may carry to the caller besides its message. Never a secret, never text of a foreign error. */
export interface ErrorDetails {
  readonly errors?: readonly ArgumentIssue[];
  readonly retryAfterSeconds?: number;
  /** Who can do something about it, where its code does not say. */
  readonly cause?: Cause;
  /** The quota that is used up. */
  readonly quota?: UsedQuota;
  /** Path of the existing resource that a `conflict` is with. */
  readonly location?: string;
  /** Whether the same call may work later, where its code does not say. */
  readonly retryable?: boolean;
}

/** A provider's quota that is used up. */
export interface UsedQuota {
  /** Whether the quota of the key is used up, or the share that the caller's tenant has in it. */
  readonly scope: 'key' | 'tenant';
  /** Requests a day; null if it is not known. */
  readonly limit: number | null;
  readonly used: number;
  /** ISO 8601, UTC. */
  readonly resetsAt: string;
}

/** The only error class that crosses the boundary of a feature. `cause` is for the log, never for a caller. */
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

  /** The row of the table for this error's code. */
  get row(): ErrorRow {
    return ERROR_TABLE[this.code];
  }
}

/** Whether an error has only the text that tells callers to ask the operator, who learns nothing from it. */
export const isInternal = (error: unknown): error is GatewayError =>
  error instanceof GatewayError && error.message === ERROR_TABLE.internal.message;

/** The text of anything thrown. It may quote what was sent: only for an operator. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

/** Converts anything thrown to a GatewayError. A foreign error becomes `internal`, with the error as its cause. */
export function toGatewayError(thrown: unknown): GatewayError {
  return thrown instanceof GatewayError
    ? thrown
    : new GatewayError('internal', undefined, { cause: thrown });
}

/** Thrown when the gateway cannot start. The process prints the message, which says what to do, and exits with 1. */
export class StartupError extends Error {}

/** Issues that one error lists. */
const MAX_ISSUES = 20;
/** Characters of one path: the name of an argument can be as long as the request. */
const MAX_PATH_LENGTH = 200;
const MAX_MESSAGE_LENGTH = 1000;
/** Characters of the message that lists the issues. */
const MAX_TEXT_LENGTH = 2000;

/** One `invalid_arguments` for all issues of a request, whatever their number and length. Its message starts with `subject`. */
export function invalidArguments(subject: string, issues: readonly ArgumentIssue[]): GatewayError {
  const errors = issues.slice(0, MAX_ISSUES).map(({ path, message }) => ({
    path: cut(path, MAX_PATH_LENGTH),
    message: cut(message, MAX_MESSAGE_LENGTH),
  }));
  return new GatewayError('invalid_arguments', `${subject}: ${summarise(errors, issues.length)}`, {
    details: { errors },
  });
}

/** As many issues as fit, at least one. */
function summarise(errors: readonly ArgumentIssue[], total: number): string {
  let text = '';
  let listed = 0;
  for (const { path, message } of errors) {
    const sentence = path ? `${path} ${message}` : message;
    if (listed > 0 && text.length + sentence.length > MAX_TEXT_LENGTH) break;
    text += listed++ > 0 ? ` ${sentence}` : sentence;
  }
  return listed < total ? `${text} ... and at least ${total - listed} more.` : text;
}

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length)}...` : text;
