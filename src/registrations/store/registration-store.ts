import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { createSecretStore } from '../../platform/vault/secret-store.ts';
import { slugOf } from '../../tools/catalog-entry.ts';
import type { StoredPatch } from '../request/registration-request.ts';
import { applyPatch } from './apply-patch.ts';
import { deleteDocuments } from './documents.ts';
import {
  findRegistration,
  type RegistrationRecord,
  selectRegistrations,
  toolIdsOf,
  toRegistration,
} from './registration-record.ts';
import { type ChangeEntry, runChange } from './run-change.ts';
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
    list: ({ tenantId, after = '', limit }: RegistrationPage) =>
      read(
        (tenantId === undefined ? selectRegistrations(db) : ofTenant(db, tenantId))
          .where('registrations.id', '>', after)
          .limit(limit),
      ),
    /** All registrations of a tenant. */
    layer: (tenantId: string) => read(ofTenant(db, tenantId)),
    find: (tenantId: string, id: string) => runQuery(() => findRegistration(db, { id, tenantId })),
    /** The registration that has the tool with this id. */
    findByTool: async (tenantId: string, toolId: string) => {
      const sameSlug = ofTenant(db, tenantId).where(
        'registrations.slug',
        '=',
        slugOf({ id: toolId }),
      );
      // The slug may meanwhile belong to another API.
      const found = (await read(sameSlug)).find((record) => toolIdsOf(record).includes(toolId));
      if (found) return found;
      throw new GatewayError('not_found', 'There is no registration with this tool.');
    },
    /** Changes what needs no compilation. */
    patch: (tenantId: string, id: string, patch: StoredPatch, revision?: number) =>
      runChange(deps, { id, tenantId, revision }, (inside, current) =>
        applyPatch(inside, current, patch),
      ),
    /** Deletes the registration with its document and its credentials, and resolves with what it was. */
    delete: (tenantId: string, id: string) => runChange(deps, { id, tenantId }, remove),
  };
}

async function remove(
  deps: StoreDeps,
  { id, tenantId, name, documentId }: RegistrationRecord,
): Promise<ChangeEntry> {
  await createSecretStore(deps).delete(tenantId, id);
  await deps.db.deleteFrom('registrations').where('id', '=', id).execute();
  await deleteDocuments(deps.db, [documentId]);
  return { action: 'registration.deleted', details: { name } };
}

const ofTenant = (db: Kysely<Tables>, tenantId: string) =>
  selectRegistrations(db).where('tenant_id', '=', tenantId);

async function read(
  query: ReturnType<typeof selectRegistrations>,
): Promise<readonly RegistrationRecord[]> {
  const rows = await runQuery(() => query.orderBy('registrations.id').execute());
  return rows.map(toRegistration);
}
