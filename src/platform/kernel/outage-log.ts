import type pino from 'pino';
import { isInternal } from './error.ts';
import { atMostOnceAMinute } from './rare-log.ts';

/**
 * Logs a failure at most once a minute, since every call would otherwise report it. Only a short reason is written: a
 * Redis error carries the arguments of its command, including the password of AUTH.
 */
export function createOutageLog(
  logger: Pick<pino.Logger, 'warn'>,
  message: string,
): (error: unknown) => void {
  return atMostOnceAMinute((error) => logger.warn({ reason: shortReason(error) }, message));
}

/** A server's reply may quote what was sent to it, so only its code (`WRONGPASS`, `OOM`) is kept. */
function shortReason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'ReplyError') return error.message.split(' ', 1)[0] ?? '';
  const code = codeOf(error.cause);
  const message = isInternal(error) ? 'a fault of the gateway' : error.message;
  return code === undefined ? message : `${message} (${code})`;
}

/** Of what a database or the system refused, such as SQLSTATE; its text may quote what was sent. */
export const codeOf = (cause: unknown): string | undefined =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string'
    ? cause.code
    : undefined;
