import type pino from 'pino';
import { createOutageLog } from '../platform/kernel/outage-log.ts';
import type { AuditDeps } from './audit.ts';
import { formatAnchor } from './chain/chain-link.ts';

/**
 * The log lines of retention and of the hash chain. Anchors are there so that a copy of them leaves the database; sweeps
 * have a line of the security log.
 */
export function auditLog(
  logger: Pick<pino.Logger, 'info' | 'warn' | 'error'>,
  onSwept: (deleted: number) => void,
): Pick<AuditDeps, 'onAnchor' | 'onDegraded' | 'onForked' | 'onRetention'> {
  return {
    onDegraded: (reason) =>
      reason === null
        ? logger.warn('the audit log can be written again; calls go on')
        : logger.error({ reason }, 'the audit log cannot be written; calls are refused'),
    onAnchor: (anchor) =>
      logger.info(
        { anchor: formatAnchor(anchor), records: anchor.recordsTotal },
        'the audit log is anchored; audit verify --anchor takes this',
      ),
    onForked: (origin) => logger.warn({ origin }, FORKED),
    onRetention: ({ kind, ...facts }) => {
      if ('records' in facts) onSwept(facts.records);
      else logger.warn(facts, kind === 'refused' ? REFUSED : CLOCKS_DIFFER);
    },
  };
}

/** Log lines of at most one a minute about records that do not get to PostgreSQL. */
export function shippingLog(
  logger: Pick<pino.Logger, 'info' | 'warn'>,
): Pick<AuditDeps, 'onWaiting' | 'onBuried'> {
  const late = createOutageLog(
    logger,
    'audit records have been waiting for PostgreSQL for over a minute; readiness is degraded',
  );
  const buried = createOutageLog(
    logger,
    'PostgreSQL refused audit records; `tool-gateway audit dead-letters` shows them',
  );
  const dropped = createOutageLog(logger, 'the oldest dead letters of the audit log were dropped');
  return {
    onWaiting: (seconds) => late(new Error(`the oldest has been waiting for ${seconds} s`)),
    // Not the server's reason, which may quote the record.
    onBuried: (_reason, { deadLetters, deadLettersDropped }) => {
      buried(new Error(`${deadLetters} dead letters by now`));
      if (deadLettersDropped > 0) dropped(new Error(`${deadLettersDropped} since start`));
    },
  };
}

const REFUSED =
  'audit records that are too old by the clock are kept, and go by one day a day; if the clock is right, run: tool-gateway audit sweep --yes';
const FORKED =
  'the chain of this audit log was continued elsewhere: DATA_DIR was copied or restored; beginning another';
const CLOCKS_DIFFER =
  'the clocks of the gateway and of the database differ; retention goes by the earlier one';
