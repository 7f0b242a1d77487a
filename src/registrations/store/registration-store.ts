import type { ExpressionBuilder, Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { slugOf } from '../../tools/catalog-entry.ts';
import type { StoredPatch } from '../request/registration-request.ts';
import { applyPatch } from './apply-patch.ts';
import { approve, reject, removeRegistration } from './approval.ts';
import { PUBLIC_LAYER } from './layers.ts';
import {
  findRegistration,
  type RegistrationRecord,
  selectRegistrations,
  toolIdsOf,
  toRegistration,
} from './registration-record.ts';
import { runChange } from './run-change.ts';
import type { StoreDeps } from './store-deps.ts';

/** At most `limit` registrations, those after an id; of one tenant, or of all. */
export interface RegistrationPage {
  readonly tenantId?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

export type RegistrationStore = ReturnType<typeof createRegistrationStore>;

/** Registered APIs. Another tenant's is `not_found`. */
export function createRegistrationStore(deps: StoreDeps) {
  const { db } = deps;
  return {
    /** A page of registrations, oldest first. */
    list: (page: RegistrationPage) => read(selectPage(db, page)),
    /** All registrations of a layer. */
    layer: (layer: string) => {
      const all = selectRegistrations(db);
      return read(
        layer === PUBLIC_LAYER
          ? all.where('visibility', '=', 'public').where('status', '=', 'registered')
          : all.where('registrations.tenant_id', '=', layer).where(isInUse),
      );
    },
    find: (tenantId: string, id: string) => runQuery(() => findRegistration(db, { id, tenantId })),
    /** The registration that has the tool with this id. */
    findByTool: async (tenantId: string, toolId: string) => {
      const sameSlug = await read(
        selectRegistrations(db)
          .where('registrations.tenant_id', '=', tenantId)
          .where('registrations.slug', '=', slugOf({ id: toolId })),
      );
      // The slug may meanwhile belong to another API.
      const found = sameSlug.find((record) => toolIdsOf(record).includes(toolId));
      if (found) return found;
      throw new GatewayError('not_found', 'There is no registration with this tool.');
    },
    /** Changes what needs no compilation. */
    patch: (tenantId: string, id: string, patch: StoredPatch, revision?: number) =>
      runChange(deps, { id, tenantId, revision }, (inside, versions) =>
        applyPatch(inside, versions, patch),
      ),
    /** Deletes the registration with its documents and its credentials, and resolves with what it was. */
    delete: (tenantId: string, id: string) =>
      runChange(deps, { id, tenantId }, (inside, { current }) =>
        removeRegistration(inside, current),
      ),
    /** A page of those that wait for the operator's approval, oldest first, each with the version that waits. */
    awaiting: (page: RegistrationPage) =>
      read(
        selectPage(db, page, 'latest').where(({ or, eb }) =>
          or([eb('status', '=', 'awaiting_approval'), eb('pending_version', 'is not', null)]),
        ),
      ),
    /**
     * Makes a waiting API public, and ends its job as `registered`; or takes its waiting version into use. Rejects with
     * `conflict` if nothing waits, or another revision than the one given.
     */
    approve: (id: string, revision?: number) => runChange(deps, { id, revision }, approve),
    /**
     * Deletes a waiting API and ends its job as `failed`; one that was private before stays so. A waiting version is
     * deleted, and the earlier one stays in use. The tenant reads the reason. Rejects with `conflict` as `approve` does.
     */
    reject: (id: string, { revision, reason }: Rejection = {}) =>
      runChange(deps, { id, revision }, (inside, versions) => reject(inside, versions, reason)),
  };
}

/** Why an operator does not approve what waits. */
interface Rejection {
  /** The revision that the operator reviewed; any if absent. */
  readonly revision?: number | undefined;
  readonly reason?: string | undefined;
}

/** An API that waits for its first approval is not; one that was private before stays in use. */
const isInUse = (eb: ExpressionBuilder<Tables, 'registrations'>) =>
  eb.or([
    eb('registrations.status', '=', 'registered'),
    eb.not(
      eb.exists(
        eb
          .selectFrom('registration_jobs')
          .select('registration_jobs.id')
          .whereRef('registration_jobs.registration_id', '=', 'registrations.id')
          .where('registration_jobs.state', '=', 'awaiting_approval'),
      ),
    ),
  ]);

const selectPage = (
  db: Kysely<Tables>,
  { tenantId, after = '', limit }: RegistrationPage,
  which: 'current' | 'latest' = 'current',
) =>
  selectRegistrations(db, which)
    .where('registrations.id', '>', after)
    .$if(tenantId !== undefined, (query) =>
      query.where('registrations.tenant_id', '=', tenantId ?? ''),
    )
    .limit(limit);

async function read(
  query: ReturnType<typeof selectRegistrations>,
): Promise<readonly RegistrationRecord[]> {
  const rows = await runQuery(() => query.orderBy('registrations.id').execute());
  return rows.map(toRegistration);
}
