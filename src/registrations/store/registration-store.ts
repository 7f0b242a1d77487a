import type { ExpressionBuilder, Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { slugOf } from '../../tools/catalog-entry.ts';
import type { StoredPatch } from '../request/decode-patch.ts';
import { applyPatch } from './apply-patch.ts';
import { approve, type Rejection, reject } from './approval.ts';
import { findRegistration } from './find-registration.ts';
import { PUBLIC_LAYER } from './layers.ts';
import {
  type RegistrationRecord,
  selectRegistrations,
  toolIdsOf,
  toRegistration,
} from './registration-record.ts';
import { removeRegistration } from './remove-registration.ts';
import { runChange } from './run-change.ts';
import type { StoreDeps } from './store-deps.ts';

/** At most `limit` registrations, those after an id. */
export interface RegistrationPage {
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Registered APIs. Another tenant's is `not_found`. */
export interface RegistrationStore {
  /** A page of a tenant's registrations, oldest first. */
  list(tenantId: string, page: RegistrationPage): Promise<readonly RegistrationRecord[]>;
  /** A page of the registrations of all tenants, oldest first. */
  all(page: RegistrationPage): Promise<readonly RegistrationRecord[]>;
  /** All registrations of a layer. */
  layer(layer: string): Promise<readonly RegistrationRecord[]>;
  find(tenantId: string, id: string): Promise<RegistrationRecord>;
  /** The registration that has the tool with this id. */
  findByTool(tenantId: string, toolId: string): Promise<RegistrationRecord>;
  /** Changes what needs no compilation. */
  patch(
    tenantId: string,
    id: string,
    patch: StoredPatch,
    revision?: number,
  ): Promise<RegistrationRecord>;
  /** Deletes the registration with its documents and its credentials, and resolves with what it was. */
  delete(tenantId: string, id: string): Promise<RegistrationRecord>;
  /** A page of those of all tenants that wait for the operator's approval, oldest first, each with the version that waits. */
  awaiting(page: RegistrationPage): Promise<readonly RegistrationRecord[]>;
  /**
   * Makes a waiting API public, and ends its job as `registered`; or takes its waiting version into use. Rejects with
   * `conflict` if nothing waits, or another revision than the one given.
   */
  approve(id: string, revision?: number): Promise<RegistrationRecord>;
  /**
   * Deletes a waiting API and ends its job as `failed`; one that was private before stays so. A waiting version is
   * deleted, and the earlier one stays in use. The tenant reads the reason. Rejects with `conflict` as `approve` does.
   */
  reject(id: string, rejection?: Rejection): Promise<RegistrationRecord>;
}

export function createRegistrationStore(deps: StoreDeps): RegistrationStore {
  const { db } = deps;
  return {
    list: (tenantId, page) =>
      read(selectPage(db, page).where('registrations.tenant_id', '=', tenantId)),
    all: (page) => read(selectPage(db, page)),
    layer: (layer) => {
      const all = selectRegistrations(db);
      return read(
        layer === PUBLIC_LAYER
          ? all.where('visibility', '=', 'public').where('status', '=', 'registered')
          : all.where('registrations.tenant_id', '=', layer).where(isInUse),
      );
    },
    find: (tenantId, id) => runQuery(() => findRegistration(db, { id, tenantId })),
    findByTool: async (tenantId, toolId) => {
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
    patch: (tenantId, id, patch, revision) =>
      runChange(deps, { id, tenantId, revision }, (transaction, versions) =>
        applyPatch(deps, transaction, versions, { patch }),
      ),
    delete: (tenantId, id) =>
      runChange(deps, { id, tenantId }, async (transaction, { current }) => {
        await removeRegistration(deps, transaction, current);
        return { action: 'registration.deleted', details: { name: current.name } };
      }),
    awaiting: (page) =>
      read(
        selectPage(db, page, 'latest').where(({ or, eb }) =>
          or([eb('status', '=', 'awaiting_approval'), eb('pending_version', 'is not', null)]),
        ),
      ),
    approve: (id, revision) =>
      runChange(deps, { id, revision }, (transaction, versions) =>
        approve(deps, transaction, versions),
      ),
    reject: (id, { revision, reason } = {}) =>
      runChange(deps, { id, revision }, (transaction, versions) =>
        reject(deps, transaction, versions, reason),
      ),
  };
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
  { after = '', limit }: RegistrationPage,
  which: 'current' | 'latest' = 'current',
) => selectRegistrations(db, which).where('registrations.id', '>', after).limit(limit);

async function read(
  query: ReturnType<typeof selectRegistrations>,
): Promise<readonly RegistrationRecord[]> {
  const rows = await runQuery(() => query.orderBy('registrations.id').execute());
  return rows.map(toRegistration);
}
