import { appendEntry, type ChangeEntry } from './history.ts';
import { PUBLIC_LAYER, raiseVersion, touchLayers } from './layers.ts';
import {
  findVersions,
  type RegistrationKey,
  type RegistrationRecord,
  selectRegistrations,
  toRegistration,
  type Versions,
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
  apply: (inside: Deps, versions: Versions) => Promise<ChangeEntry | undefined>,
): Promise<RegistrationRecord> =>
  inTransaction(deps, async (inside) => {
    const layersVersion = await raiseVersion(inside.db);
    const versions = await findVersions(inside.db, key);
    const { current: before } = versions;
    const entry = await apply(inside, versions);
    if (!entry) return before;
    await appendEntry(inside, before, entry);
    const after = await finish(inside, before);
    const layers = changedLayers(before, after);
    if (layers.length > 0) await touchLayers(inside.db, layersVersion, layers);
    return after ?? before;
  });

/** Undefined if the registration was deleted. */
async function finish({ db, clock }: StoreDeps, { id, revision }: RegistrationRecord) {
  await setColumns(db, id, { revision: revision + 1, updated_at_ms: clock.now() });
  const row = await selectRegistrations(db).where('registrations.id', '=', id).executeTakeFirst();
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
