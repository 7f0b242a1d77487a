import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import { type ApiKeyRecord, findById, keyStateOf, listGrants } from '../keys/api-key-record.ts';
import { changeKeys } from '../keys/api-key-store.ts';
import { type KeyUsageSource, type UsedKey, withUsage } from '../keys/key-hygiene.ts';

/** A person's active grants. A further one ends the oldest. */
export const MAX_GRANTS = 100;

export interface AppsDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  readonly usage: KeyUsageSource;
  readonly onChanged: () => Promise<void>;
}

/** What a person has connected: the grants that work, newest first, with when they were last used. */
export async function listApps(
  { db, clock, usage }: AppsDeps,
  personId: string,
): Promise<readonly UsedKey[]> {
  const grants = await runQuery(() => listGrants(db, personId, MAX_GRANTS));
  const living = grants.filter((key) => keyStateOf(key, clock.now()) === 'active');
  const used = await Promise.all(
    [...Map.groupBy(living, ({ tenantId }) => tenantId)].map(([tenantId, keys]) =>
      withUsage(usage, tenantId, keys),
    ),
  );
  return used.flat().sort((a, b) => b.key.createdAtMs - a.key.createdAtMs);
}

/** Ends what a person has connected. Rejects with `not_found` for anything else. */
export async function disconnectApp(
  { db, clock, onChanged }: AppsDeps,
  personId: string,
  id: string,
): Promise<void> {
  await changeKeys({ db, clock, actor: personId }, async (change) => {
    const key = await findById(change.db, id);
    if (!isGrantOf(key, personId)) {
      throw new GatewayError('not_found', 'This app is not connected.');
    }
    await change.revoke(key, 'app.disconnected');
  });
  await onChanged();
}

const isGrantOf = (key: ApiKeyRecord | undefined, personId: string): key is ApiKeyRecord =>
  key !== undefined && key.kind !== null && key.owner === personId;
