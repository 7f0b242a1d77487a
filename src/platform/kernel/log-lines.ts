import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type pino from 'pino';
import { isInternal } from './error.ts';
import { PACKAGE_ROOT } from './shipped-files.ts';

const QUIET_MS = 60_000;

/** Forwards at most one call per minute, for log lines that many events would otherwise repeat. */
export function atMostOnceAMinute<Args extends unknown[]>(
  log: (...args: Args) => void,
): (...args: Args) => void {
  let quietUntilMs = Number.NEGATIVE_INFINITY;
  return (...args) => {
    const nowMs = performance.now();
    if (nowMs < quietUntilMs) return;
    quietUntilMs = nowMs + QUIET_MS;
    log(...args);
  };
}

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

/** Whether this is the source, and not a packed release. */
export const IS_CHECKOUT = existsSync(join(PACKAGE_ROOT, 'src/main.ts'));

/** A command as it is typed here: a checkout runs it with npm, a release has the program itself. */
export const commandLine = (command: string): string =>
  `${IS_CHECKOUT ? 'npm run -s cli --' : 'tool-gateway'} ${command}`;

/** The command that starts the gateway, as it is typed here. */
export function startLine(option?: string): string {
  if (option === undefined) return IS_CHECKOUT ? 'npm start' : 'tool-gateway start';
  return `${IS_CHECKOUT ? 'npm start --' : 'tool-gateway start'} ${option}`;
}
