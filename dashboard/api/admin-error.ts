/** Longest waits and busy states are worth another attempt; everything else stays as it is. */
const RETRYABLE: readonly number[] = [0, 408, 429, 502, 503, 504];

/** What the gateway answered in place of a result, or that it did not answer at all. */
export class AdminError extends Error {
  /** HTTP status; 0 if the gateway could not be reached. */
  readonly status: number;
  /** The code of docs/errors.md, else the status; `unreachable` for status 0. */
  readonly code: string;
  /** For a report to the operator; it is also in the gateway's log. */
  readonly requestId: string | null;

  constructor(message: string, facts: { status: number; code: string; requestId?: string | null }) {
    super(message);
    this.name = 'AdminError';
    this.status = facts.status;
    this.code = facts.code;
    this.requestId = facts.requestId ?? null;
  }

  get isRetryable(): boolean {
    return RETRYABLE.includes(this.status);
  }
}

/** The gateway could not be reached. */
export const unreachable = (): AdminError =>
  new AdminError('The gateway does not answer.', { status: 0, code: 'unreachable' });

/** Reads a refusal. One of a proxy before the gateway has neither a code nor a message. */
export function decodeRefusal(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: unknown,
): AdminError {
  const { message } = asObject(body);
  return new AdminError(
    typeof message === 'string' ? message : `The gateway answered with status ${status}.`,
    {
      status,
      code: headers.get('x-error-code') ?? String(status),
      requestId: headers.get('x-request-id'),
    },
  );
}

const asObject = (value: unknown): { readonly message?: unknown } =>
  typeof value === 'object' && value !== null ? value : {};

export const isStatus = (error: Error | null, status: number): boolean =>
  error instanceof AdminError && error.status === status;
