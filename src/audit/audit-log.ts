import type pino from 'pino';
import { commandLine } from '../platform/kernel/command-line.ts';
import { createOutageLog } from '../platform/kernel/outage-log.ts';
import type { AuditDeps } from './audit.ts';
import { formatAnchor } from './chain/chain-link.ts';

/**
 * The log lines of retention and of the hash chain. Anchors are logged to have a copy outside the database. Sweeps are
 * logged in the security log.
 */
export function auditLog(
  logger: Pick<pino.Logger, 'info' | 'warn' | 'error'>,
  onSwept: (deleted: number) => void,
): Pick<AuditDeps, 'onAnchor' | 'onDegraded' | 'onForeign' | 'onForked' | 'onRetention'> {
  return {
    onDegraded: (reason) =>
      reason === null
        ? logger.warn('the audit log can be written again; calls are accepted')
        : logger.error({ reason }, 'the audit log cannot be written; calls are refused'),
    onAnchor: (anchor) =>
      logger.info(
        { anchor: formatAnchor(anchor), records: anchor.recordsTotal },
        `the audit log is anchored; to check it later, run: ${commandLine('audit verify --anchor <anchor>')}`,
      ),
    onForeign: (last) => logger.error({ anchor: formatAnchor(last) }, FOREIGN),
    onForked: (origin) => logger.warn({ origin }, FORKED),
    onRetention: ({ kind, ...facts }) => {
      if ('records' in facts) onSwept(facts.records);
      else logger.warn(facts, kind === 'refused' ? REFUSED : CLOCKS_DIFFER);
    },
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

const REFUSED = `more audit records are too old than one sweep may delete: the clock may be wrong, so only one day of records is deleted each day; if the clock is right, run: ${commandLine('audit sweep --yes')}`;
const FOREIGN = `the hash chain of the audit log does not end where this gateway left it: someone changed the database; starting a new chain; to see what was changed, run: ${commandLine('audit verify --anchor <anchor>')}`;
const FORKED =
  'another gateway has continued the hash chain of this audit log: DATA_DIR was copied or restored; starting a new chain';
const CLOCKS_DIFFER =
  'the clocks of the gateway and of the database differ; retention uses the earlier one';
