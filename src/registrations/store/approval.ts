import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { ChangeEntry } from './append-entry.ts';
import type { Versions } from './find-registration.ts';
import { dropPending, setColumns, useVersion } from './place-version.ts';
import type { RegistrationRecord } from './registration-record.ts';
import { endAwaiting, removeRegistration } from './remove-registration.ts';
import type { StoreDeps } from './store-deps.ts';

/** Whether all tenants see the tools of a registration: changes to them need the operator's approval. */
export const isShared = ({ visibility, status }: RegistrationRecord): boolean =>
  visibility === 'public' && status === 'registered';

/** Approves what waits. Throws `conflict` if nothing does. */
export async function approve(
  deps: StoreDeps,
  transaction: Kysely<Tables>,
  { current, latest }: Versions,
): Promise<ChangeEntry> {
  assertWaiting(current);
  const { id, name } = current;
  if (current.status === 'awaiting_approval') {
    await endAwaiting(deps, transaction, id, { state: 'registered' });
    await setColumns(transaction, id, { status: 'registered' });
  } else await useVersion(transaction, id, latest);
  return { action: 'registration.approved', details: { name, version: latest.version } };
}

/** Why an operator does not approve what waits. */
export interface Rejection {
  /** The revision that the operator reviewed; any if absent. */
  readonly revision?: number | undefined;
  readonly reason?: string | undefined;
}

/** Rejects what waits. Throws `conflict` if nothing does. */
export async function reject(
  deps: StoreDeps,
  transaction: Kysely<Tables>,
  { current, latest }: Versions,
  reason?: string,
): Promise<ChangeEntry> {
  assertWaiting(current);
  const { id, name } = current;
  if (current.status === 'registered') await dropPending(transaction, current);
  else if ((await endAwaiting(deps, transaction, id, rejected(reason))) > 0) {
    await removeRegistration(deps, transaction, current);
  } else await setColumns(transaction, id, { visibility: 'private', status: 'registered' });
  const details = { name, version: latest.version, ...(reason !== undefined && { reason }) };
  return { action: 'registration.rejected', details };
}

const rejected = (reason: string | undefined) => {
  const given = reason === undefined ? '' : ` The reason: ${reason}`;
  return {
    state: 'failed',
    error: { code: 'forbidden', message: `${NOT_APPROVED}${given}` },
  } as const;
};

const NOT_APPROVED = 'The operator did not approve this API as public. Register it as private.';

function assertWaiting({ status, pendingVersion }: RegistrationRecord): void {
  if (status === 'awaiting_approval' || pendingVersion !== null) return;
  throw new GatewayError('conflict', 'This registration does not wait for approval.');
}
