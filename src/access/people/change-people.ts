import type { Kysely, Transaction } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import { type AdminEntry, appendAdminEntry } from '../trail/admin-trail.ts';

export interface PeopleDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  /** Called after every change, so that this process forgets what it knows of people. */
  readonly onChanged?: (() => void) | undefined;
}

/** A transaction that may append to the trail. */
export interface PeopleChange {
  readonly db: Transaction<Tables>;
  readonly nowMs: number;
  append(entry: Omit<AdminEntry, 'timestampMs'>): Promise<void>;
}

/**
 * Runs a change of people in a transaction. The row that it locks orders all such changes, in whichever process, so that
 * what one has counted or read is still true when it commits: that another administrator remains, or that the bound is not reached.
 */
export async function changePeople<T>(
  deps: PeopleDeps,
  change: (change: PeopleChange) => Promise<T>,
): Promise<T> {
  const { db, clock, onChanged } = deps;
  const result = await runQuery(() =>
    db.transaction().execute(async (transaction) => {
      await transaction
        .updateTable('changes')
        .set(({ eb }) => ({ version: eb('version', '+', 1) }))
        .where('topic', '=', 'people')
        .execute();
      const nowMs = clock.now();
      const append: PeopleChange['append'] = (entry) =>
        appendAdminEntry(transaction, { timestampMs: nowMs, ...entry });
      return change({ db: transaction, nowMs, append });
    }),
  );
  onChanged?.();
  return result;
}
