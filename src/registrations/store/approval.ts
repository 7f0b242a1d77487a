import { GatewayError } from '../../platform/kernel/error.ts';
import { createSecretStore } from '../../platform/vault/secret-store.ts';
import type { ChangeEntry } from './history.ts';
import type { JobError, JobState } from './job-record.ts';
import { isWaiting, type RegistrationRecord, type Versions } from './registration-record.ts';
import type { StoreDeps } from './store-deps.ts';
import { dropPending, keepVersions, setColumns, useVersion } from './versions.ts';

/** Whether all tenants see the tools of a registration: changes to them need the operator's approval. */
export const isShared = ({ visibility, status }: RegistrationRecord): boolean =>
  visibility === 'public' && status === 'registered';

/** Approves what waits. Throws `conflict` if nothing does. Call it in a transaction, like what follows. */
export async function approve(
  deps: StoreDeps,
  { current, latest }: Versions,
): Promise<ChangeEntry> {
  assertWaiting(current);
  const { id, name } = current;
  if (current.status === 'awaiting_approval') {
    await endAwaiting(deps, id, { state: 'registered' });
    await setColumns(deps.db, id, { status: 'registered' });
  } else await useVersion(deps.db, latest);
  return { action: 'registration.approved', details: { name, version: latest.version } };
}

/** Rejects what waits. Throws `conflict` if nothing does. */
export async function reject(
  deps: StoreDeps,
  { current, latest }: Versions,
  reason?: string,
): Promise<ChangeEntry> {
  assertWaiting(current);
  const { id, name } = current;
  if (current.status === 'registered') await dropPending(deps.db, current);
  else if ((await endAwaiting(deps, id, rejected(reason))) > 0) {
    await removeRegistration(deps, current);
  } else await setColumns(deps.db, id, { visibility: 'private', status: 'registered' });
  const details = { name, version: latest.version, ...(reason !== undefined && { reason }) };
  return { action: 'registration.rejected', details };
}

function assertWaiting(current: RegistrationRecord): void {
  if (isWaiting(current)) return;
  throw new GatewayError('conflict', 'This registration does not wait for approval.');
}

/** Deletes a registration with everything that is stored of it. */
export async function removeRegistration(
  deps: StoreDeps,
  { id, tenantId, name }: RegistrationRecord,
): Promise<ChangeEntry> {
  await endAwaiting(deps, id, DELETED);
  await keepVersions(deps.db, id, []);
  await createSecretStore(deps).delete(tenantId, id);
  await deps.db.deleteFrom('registrations').where('id', '=', id).execute();
  return { action: 'registration.deleted', details: { name } };
}

/** How the job that waits for an approval ends. */
interface AwaitingEnd {
  readonly state: JobState;
  readonly error?: JobError;
}

const DELETED: AwaitingEnd = {
  state: 'failed',
  error: { code: 'cancelled', message: 'The API was deleted before it was approved.' },
};

const rejected = (reason: string | undefined): AwaitingEnd => {
  const given = reason === undefined ? '' : ` The reason: ${reason}`;
  return { state: 'failed', error: { code: 'forbidden', message: `${NOT_APPROVED}${given}` } };
};

const NOT_APPROVED = 'The operator did not approve this API as public. Register it as private.';

/** Ends the job that waits for the approval of a registration, if one does. Returns how many. */
export async function endAwaiting(
  { db, clock }: StoreDeps,
  registrationId: string,
  { state, error }: AwaitingEnd,
): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('registration_jobs')
    .set({ state, error: error ? JSON.stringify(error) : null, updated_at_ms: clock.now() })
    .where('registration_id', '=', registrationId)
    .where('state', '=', 'awaiting_approval')
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
