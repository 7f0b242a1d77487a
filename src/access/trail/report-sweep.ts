import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import { appendAdminEntry } from './admin-trail.ts';
import type { SecurityLog } from './security-log.ts';

export interface SweepReportDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  readonly securityLog: Pick<SecurityLog, 'record'>;
}

/** The result of one sweep. */
export interface Sweep {
  /** Audit records of all tenants. */
  readonly deleted: number;
}

/** Records a sweep in the security log, then in the trail. Rejects while the database is away. */
export async function reportSweep(deps: SweepReportDeps, sweep: Sweep): Promise<void> {
  deps.securityLog.record('retention_swept', { ...sweep });
  await appendAdminEntry(deps.db, {
    timestampMs: deps.clock.now(),
    tenantId: null,
    actor: 'retention',
    action: 'retention.swept',
    subjectId: 'audit_records',
    details: { ...sweep },
  });
}
