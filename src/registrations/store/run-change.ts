import { appendEntry, type ChangeEntry } from './history.ts';
import { raiseVersion, touchLayer } from './layers.ts';
import {
  findRegistration,
  type RegistrationKey,
  type RegistrationRecord,
  selectRegistrations,
  toRegistration,
} from './registration-record.ts';
import { inTransaction, type StoreDeps } from './store-deps.ts';
import { setColumns } from './versions.ts';

/**
 * Runs one change in a transaction, with its entry in the trail, and resolves with the registration after it, or before its
 * deletion. `apply` returns undefined if it changed nothing. Rejects with `not_found`.
 */
export const runChange = <Deps extends StoreDeps>(
  deps: Deps,
  key: RegistrationKey,
  apply: (inside: Deps, current: RegistrationRecord) => Promise<ChangeEntry | undefined>,
): Promise<RegistrationRecord> =>
  inTransaction(deps, async (inside) => {
    const layersVersion = await raiseVersion(inside.db);
    const before = await findRegistration(inside.db, key);
    const entry = await apply(inside, before);
    if (!entry) return before;
    await appendEntry(inside, before, entry);
    await touchLayer(inside.db, layersVersion, before.tenantId);
    return (await raiseRevision(inside, before)) ?? before;
  });

/** Undefined if the registration was deleted. */
async function raiseRevision({ db, clock }: StoreDeps, { id, revision }: RegistrationRecord) {
  await setColumns(db, id, { revision: revision + 1, updated_at_ms: clock.now() });
  const row = await selectRegistrations(db).where('registrations.id', '=', id).executeTakeFirst();
  return row && toRegistration(row);
}
