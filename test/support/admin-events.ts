import type { Kysely } from 'kysely';
import { listTrail } from '../../src/access/trail/admin-trail.ts';
import type { Tables } from '../../src/platform/database/tables.ts';

/** Entries of the trail, newest first: those of one tenant and of the whole gateway, or all. */
export const listAdminEvents = async (
  db: Kysely<Tables>,
  { limit, tenantId }: { readonly limit: number; readonly tenantId?: string | undefined },
) => (await listTrail(db, { tenantId, gateway: true }, { limit })).entries;
