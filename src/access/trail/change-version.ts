import type { Kysely, Transaction } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import { type AdminEntry, appendAdminEntry } from './admin-trail.ts';

/** What is changed under one counter, which running processes follow. */
type Topic = 'api_keys' | 'people' | 'provider_keys' | 'key_datasets';

/** A transaction that changes a topic, and may append to the trail. */
export interface Change {
  readonly db: Transaction<Tables>;
  readonly nowMs: number;
  /** The counter of the topic once this is committed. */
  readonly version: number;
  /** By default, the entry is of no tenant and has no details. */
  append(
    actor: string,
    action: AdminEntry['action'],
    subjectId: string,
    more?: Partial<Pick<AdminEntry, 'tenantId' | 'details'>>,
  ): Promise<void>;
}

/**
 * Runs a change of a topic in a transaction. The row of its counter, which this locks first, orders all changes of the topic
 * in whichever process: what one has read is still true when it commits, and a reader that has seen one has seen all
 * before it.
 */
export const changeTopic = <T>(
  { db, clock }: { readonly db: Kysely<Tables>; readonly clock: Clock },
  topic: Topic,
  work: (change: Change) => Promise<T>,
): Promise<T> =>
  runQuery(() =>
    db.transaction().execute(async (transaction) => {
      const version = await nextVersion(transaction, topic);
      const timestampMs = clock.now();
      const append: Change['append'] = (actor, action, subjectId, more) => {
        const entry = { timestampMs, tenantId: null, actor, action, subjectId, details: {} };
        return appendAdminEntry(transaction, { ...entry, ...more });
      };
      return work({ db: transaction, nowMs: timestampMs, version, append });
    }),
  );

/** Increments the counter of a topic. Its row stays locked until the transaction ends. */
export async function nextVersion(db: Transaction<Tables>, topic: Topic): Promise<number> {
  const { version } = await db
    .updateTable('changes')
    .set((row) => ({ version: row('version', '+', 1) }))
    .where('topic', '=', topic)
    .returning('version')
    .executeTakeFirstOrThrow();
  return version;
}

export async function readVersion(db: Kysely<Tables>, topic: Topic): Promise<number> {
  const { version } = await db
    .selectFrom('changes')
    .select('version')
    .where('topic', '=', topic)
    .executeTakeFirstOrThrow();
  return version;
}
