import { runQuery } from '../../platform/database/database-error.ts';
import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import { dropDescriptions, selectOldTrials } from './dry-run-descriptions.ts';
import type { JobError, JobRecord } from './job-record.ts';
import { type Attempt, updateAttempt } from './job-store.ts';
import { type StoreDeps, secretsIn } from './store-deps.ts';

/** The columns of a job that has ended: no process takes it again. */
export const ENDED_COLUMNS = { due_at_ms: null, place_ms: null, deadline_at_ms: null } as const;

/** How a job ends that registers nothing. */
export interface Ending {
  readonly state: 'failed' | 'confirmation_required' | 'checked';
  readonly error?: JobError;
  readonly origins?: readonly string[];
  readonly report?: JsonObject;
}

/**
 * Ends a job that registers nothing, and deletes its credentials. Its description is deleted, too, unless the job was a dry
 * run, whose tools may be tried for a while. Undefined if another process has taken it since, or it has ended.
 */
export function endJob(
  deps: StoreDeps,
  attempt: Attempt,
  { state, ...texts }: Ending,
): Promise<JobRecord | undefined> {
  return runQuery(() =>
    deps.db.transaction().execute(async (db) => {
      const values = { state, ...columnsOf(texts), updated_at_ms: deps.clock.now() };
      const job = await updateAttempt(db, attempt, { ...ENDED_COLUMNS, ...values });
      if (!job) return undefined;
      await secretsIn(db, deps).delete(job.tenantId, job.id);
      const dropped = state === 'checked' ? await selectOldTrials(db, job.tenantId) : [job];
      await dropDescriptions(db, dropped);
      return state === 'checked' ? job : { ...job, documentId: null };
    }),
  );
}

const columnsOf = ({ error, origins, report }: Omit<Ending, 'state'>) => ({
  error: error ? JSON.stringify(error) : null,
  origins: origins ? JSON.stringify(origins) : null,
  report: report ? JSON.stringify(report) : null,
});
