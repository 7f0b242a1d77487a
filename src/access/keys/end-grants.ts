import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import { type Change, nextVersion } from '../trail/change-version.ts';

/** Grants of these people that work, in any tenant or in one. */
const grantsOf = (
  db: Kysely<Tables>,
  personIds: readonly string[],
  tenantId: string | undefined,
) => {
  const grants = db
    .selectFrom('api_keys')
    .select('id')
    .where('owner', 'in', personIds)
    .where('kind', 'is not', null)
    .where('revoked_at_ms', 'is', null);
  return tenantId === undefined ? grants : grants.where('tenant_id', '=', tenantId);
};

/**
 * Ends what people let hosts do, in the transaction that takes their role from them. Locks the counter of keys first: a grant
 * that is being created has committed by then, or finds that the person is no member.
 */
export async function endGrants(
  { db, nowMs, append }: Change,
  { personIds, tenantId }: { personIds: readonly string[]; tenantId?: string },
  actor: string,
): Promise<void> {
  if (personIds.length === 0) return;
  const version = await nextVersion(db, 'api_keys');
  const { numUpdatedRows } = await db
    .updateTable('api_keys')
    .set((row) => ({
      revoked_at_ms: nowMs,
      changed_version: version,
      revision: row('revision', '+', 1),
    }))
    .where('id', 'in', grantsOf(db, personIds, tenantId))
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  const details = { ended: Number(numUpdatedRows) };
  for (const personId of personIds) {
    await append(actor, 'app.disconnected', personId, { tenantId: tenantId ?? null, details });
  }
}
