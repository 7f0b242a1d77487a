import type pino from 'pino';
import { atMostOnceAMinute } from './rare-log.ts';

/**
 * A log line that repeats at most once a minute, for failures that every call would otherwise report. Only a short
 * reason is written: a Redis error object carries the arguments of its command, the password of AUTH among them.
 */
export function createOutageLog(
  logger: Pick<pino.Logger, 'warn'>,
  message: string,
): (error: unknown) => void {
  return atMostOnceAMinute((error) => logger.warn({ reason: shortReason(error) }, message));
}

/** A server's reply may quote what was sent to it, so only its code word (`WRONGPASS`, `OOM`) is kept. */
function shortReason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return error.name === 'ReplyError' ? (error.message.split(' ', 1)[0] ?? '') : error.message;
}
