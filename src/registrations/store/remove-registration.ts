import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import type { JobError, JobState } from './job-record.ts';
import type { RegistrationRecord } from './registration-record.ts';
import { type StoreDeps, secretsIn } from './store-deps.ts';
import { keepVersions } from './versions.ts';

const DELETED = {
  state: 'failed',
  error: { code: 'cancelled', message: 'The API was deleted before it was approved.' },
} as const;

/** Deletes a registration with everything that is stored of it. */
export async function removeRegistration(
  deps: StoreDeps,
  transaction: Kysely<Tables>,
  { id, tenantId }: RegistrationRecord,
): Promise<void> {
  await endAwaiting(deps, transaction, id, DELETED);
  await keepVersions(transaction, id, []);
  await secretsIn(transaction, deps).delete(tenantId, id);
  await transaction.deleteFrom('registrations').where('id', '=', id).execute();
}

/** Ends the job that waits for the approval of a registration, if one does. Returns how many. */
export async function endAwaiting(
  { clock }: Pick<StoreDeps, 'clock'>,
  transaction: Kysely<Tables>,
  registrationId: string,
  { state, error }: { readonly state: JobState; readonly error?: JobError },
): Promise<number> {
  const { numUpdatedRows } = await transaction
    .updateTable('registration_jobs')
    .set({ state, error: error ? JSON.stringify(error) : null, updated_at_ms: clock.now() })
    .where('registration_id', '=', registrationId)
    .where('state', '=', 'awaiting_approval')
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
