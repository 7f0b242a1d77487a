import type { Kysely } from 'kysely';
import { appendAdminEntry, type RegistrationAction } from '../../access/trail/admin-trail.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { StoreDeps } from './store-deps.ts';

/** What the administrative trail says about a change. Never a credential, nor an address, which may contain one. */
export interface ChangeEntry {
  readonly action: RegistrationAction;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Appends an entry about a registration. Call it in the transaction of the change. */
export const appendEntry = (
  { clock, actor = 'unknown' }: Pick<StoreDeps, 'clock' | 'actor'>,
  transaction: Kysely<Tables>,
  { id, tenantId }: { readonly id: string; readonly tenantId: string },
  { action, details }: ChangeEntry,
): Promise<void> =>
  appendAdminEntry(transaction, {
    timestampMs: clock.now(),
    tenantId,
    actor,
    action,
    subjectId: id,
    details,
  });
