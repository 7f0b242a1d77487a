import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import {
  type RegistrationRecord,
  selectRegistrations,
  toRegistration,
} from './registration-record.ts';

/** A registration; of any tenant if none is given. */
export interface RegistrationKey {
  readonly id: string;
  readonly tenantId?: string | undefined;
  /** The revision that the person who changes it has seen; another one is a conflict. */
  readonly revision?: number | undefined;
}

/** A registration with its current version, and with its latest one: the same unless one waits for approval. */
export interface Versions {
  readonly current: RegistrationRecord;
  readonly latest: RegistrationRecord;
}

/** The registration with its current version. Rejects with `not_found`. */
export async function findRegistration(
  db: Kysely<Tables>,
  key: RegistrationKey,
): Promise<RegistrationRecord> {
  const record = await select(db, key, 'current');
  if (record) return record;
  throw new GatewayError('not_found', 'There is no registration with this id.');
}

/**
 * Rejects with `not_found`, or with `conflict` for another revision than the key's. Outside a transaction, the two may be of
 * different revisions.
 */
export async function findVersions(db: Kysely<Tables>, key: RegistrationKey): Promise<Versions> {
  const current = await findRegistration(db, key);
  if (key.revision !== undefined && key.revision !== current.revision) throw changedSince();
  if (current.pendingVersion === null) return { current, latest: current };
  return { current, latest: (await select(db, key, 'latest')) ?? current };
}

const changedSince = (): GatewayError =>
  new GatewayError(
    'conflict',
    'The registration was changed since you opened it. Reload it, and make your change again.',
  );

async function select(
  db: Kysely<Tables>,
  { id, tenantId }: RegistrationKey,
  which: 'current' | 'latest',
): Promise<RegistrationRecord | undefined> {
  const row = await selectRegistrations(db, which)
    .where('registrations.id', '=', id)
    .$if(tenantId !== undefined, (query) =>
      query.where('registrations.tenant_id', '=', tenantId ?? ''),
    )
    .executeTakeFirst();
  return row && toRegistration(row);
}
