import type pino from 'pino';
import { commandLine, createOutageLog } from '../platform/kernel/log-lines.ts';
import type { AuditDeps } from './audit.ts';
import { formatAnchor } from './seals/seal.ts';

/** The log lines of the ledger and of seals, of which the log is the copy outside the database. */
export function auditLogLines(
  logger: Pick<pino.Logger, 'info' | 'warn' | 'error'>,
): Pick<AuditDeps, 'onAnchor' | 'onDegraded'> {
  return {
    onDegraded: (reason) =>
      reason === null
        ? logger.warn('the audit log can be written again; calls are accepted')
        : logger.error({ reason }, 'the audit log cannot be written; calls are refused'),
    onAnchor: (newest) =>
      logger.info(
        { anchor: formatAnchor(newest) },
        `the audit log is anchored; to check it later, run: ${commandLine('audit verify --anchor <anchor>')}`,
      ),
  };
}

/** Log lines about records that do not reach PostgreSQL, each at most once a minute. */
export function shippingLog(
  logger: Pick<pino.Logger, 'info' | 'warn'>,
): Pick<AuditDeps, 'onWaiting' | 'onBuried'> {
  const late = createOutageLog(
    logger,
    'audit records have been waiting for PostgreSQL for over a minute; readiness is degraded',
  );
  const buried = createOutageLog(
    logger,
    `PostgreSQL refused audit records; to see them, run: ${commandLine('audit dead-letters')}`,
  );
  const dropped = createOutageLog(logger, 'the oldest dead letters of the audit log were dropped');
  return {
    onWaiting: (seconds) => late(new Error(`the oldest record has been waiting for ${seconds} s`)),
    // The server's reason is not logged: it may quote the record.
    onBuried: (_reason, { deadLetters, deadLettersDropped }) => {
      buried(new Error(`${deadLetters} dead letters so far`));
      if (deadLettersDropped > 0) dropped(new Error(`${deadLettersDropped} since start`));
    },
  };
}
