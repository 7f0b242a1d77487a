import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { appendEntry, type ChangeEntry } from './append-entry.ts';
import { findVersions, type RegistrationKey, type Versions } from './find-registration.ts';
import { PUBLIC_LAYER, raiseVersion, touchLayers } from './layers.ts';
import {
  type RegistrationRecord,
  selectRegistrations,
  toRegistration,
} from './registration-record.ts';
import type { StoreDeps } from './store-deps.ts';

/** Changes a registration in a transaction. Undefined if it changed nothing. */
type Change = (transaction: Kysely<Tables>, versions: Versions) => Promise<ChangeEntry | undefined>;

/**
 * Runs one change in a transaction, with its entry in the trail, and resolves with the registration after it, or before its
 * deletion. Rejects with `not_found`.
 */
export function runChange(
  deps: StoreDeps,
  key: RegistrationKey,
  apply: Change,
): Promise<RegistrationRecord> {
  return runQuery(() =>
    deps.db.transaction().execute(async (transaction) => {
      const layersVersion = await raiseVersion(transaction);
      const versions = await findVersions(transaction, key);
      const { current: before } = versions;
      const entry = await apply(transaction, versions);
      if (!entry) return before;
      await appendEntry(deps, transaction, before, entry);
      const after = await finish(deps, transaction, before);
      const layers = changedLayers(before, after);
      if (layers.length > 0) await touchLayers(transaction, layersVersion, layers);
      return after ?? before;
    }),
  );
}

/** Undefined if the registration was deleted. */
async function finish(
  { clock }: StoreDeps,
  transaction: Kysely<Tables>,
  { id, revision }: RegistrationRecord,
): Promise<RegistrationRecord | undefined> {
  await transaction
    .updateTable('registrations')
    .set({ revision: revision + 1, updated_at_ms: clock.now() })
    .where('id', '=', id)
    .execute();
  const row = await selectRegistrations(transaction)
    .where('registrations.id', '=', id)
    .executeTakeFirst();
  return row && toRegistration(row);
}

/** A version that waits for approval changes no layer. */
function changedLayers(
  before: RegistrationRecord,
  after: RegistrationRecord | undefined,
): readonly string[] {
  if (after && servedParts(before) === servedParts(after)) return [];
  const isShared = [before, after].some((record) => record?.visibility === 'public');
  return [before.tenantId, ...(isShared ? [PUBLIC_LAYER] : [])];
}

/** What the tools of a registration depend on. */
const servedParts = (record: RegistrationRecord): string =>
  JSON.stringify([
    record.version,
    record.credentialVersion,
    record.visibility,
    record.status,
    record.name,
    record.category,
  ]);
