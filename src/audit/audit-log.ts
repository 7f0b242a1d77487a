import type pino from 'pino';
import type { AuditDeps } from './audit.ts';
import { formatAnchor } from './chain-link.ts';

/**
 * The log lines of retention and of the hash chain. Anchors are there so that a copy of them leaves the database; sweeps
 * have a line of the security log.
 */
export function auditLog(
  logger: Pick<pino.Logger, 'info' | 'warn'>,
  onSwept: (deleted: number) => void,
): Pick<AuditDeps, 'onAnchor' | 'onForked' | 'onRetention'> {
  return {
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

const REFUSED =
  'audit records that are too old by the clock are kept, and go by one day a day; if the clock is right, run: tool-gateway audit sweep --yes';
const FORKED =
  'the chain of this audit log was continued elsewhere: DATA_DIR was copied or restored; beginning another';
const CLOCKS_DIFFER =
  'the clocks of the gateway and of the database differ; retention goes by the earlier one';
