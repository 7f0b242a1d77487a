import type { DatabaseSync } from 'node:sqlite';
import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import { inTransaction, toInteger } from '../../platform/database/sqlite.ts';
import type { AuditRecordsTable, Tables } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import { cutText } from '../record/fit-column.ts';

/** The most dead letters that are stored; newer ones replace the oldest. */
const MAX_DEAD_LETTERS = 10_000;
/** Per column of a dead letter: as long as the longest column of a current record. */
const MAX_COLUMN_CHARACTERS = 8192;
const MAX_REASON_CHARACTERS = 500;

/** A record that PostgreSQL will never accept in this form. */
export interface RefusedRecord {
  readonly row: AuditRecordsTable;
  readonly reason: string;
}

export type DeadLetters = ReturnType<typeof createDeadLetters>;

/** Rows that PostgreSQL refused, stored in `audit.db` for the operator. */
export function createDeadLetters(writer: DatabaseSync, clock: Clock, maxCount = MAX_DEAD_LETTERS) {
  const trim = writer.prepare(
    'DELETE FROM audit_dead_letters WHERE id <= (SELECT max(id) FROM audit_dead_letters) - ?',
  );
  const select = writer.prepare('SELECT count(*) AS n FROM audit_dead_letters');
  const insert = writer.prepare(
    `INSERT INTO audit_dead_letters (source, reason, buried_at_ms, row)
     VALUES ('audit_records', ?, ?, ?)`,
  );
  let count = toInteger(select.get()?.['n']);
  let dropped = 0;

  return {
    count: (): number => count,
    /** How many were replaced by newer ones since start. */
    dropped: (): number => dropped,
    /** Adds records, and takes them out of the outbox in the same transaction. */
    bury: (refused: readonly RefusedRecord[], takeOut: () => void): void => {
      const trimmed = inTransaction(writer, () => {
        for (const { row, reason } of refused) {
          const json = JSON.stringify(row, cutValue);
          insert.run(cutText(reason, MAX_REASON_CHARACTERS), clock.now(), json);
        }
        takeOut();
        return toInteger(trim.run(maxCount).changes);
      });
      count += refused.length - trimmed;
      dropped += trimmed;
    },
  };
}

const cutValue = (_name: string, value: unknown): unknown =>
  typeof value === 'string' ? cutText(value, MAX_COLUMN_CHARACTERS) : value;

const PAGE_SIZE = 100;

/** All dead letters as lines of JSON, oldest first: `{id, at, source, reason, row}`. */
export async function* deadLetterLines(db: Kysely<Tables>): AsyncGenerator<string, void, void> {
  for (let afterId = 0; ; ) {
    const letters = await runQuery(() =>
      db
        .selectFrom('audit_dead_letters')
        .selectAll()
        .where('id', '>', afterId)
        .orderBy('id')
        .limit(PAGE_SIZE)
        .execute(),
    );
    for (const { id, buried_at_ms, source, reason, row } of letters) {
      const at = new Date(buried_at_ms).toISOString();
      yield `${JSON.stringify({ id, at, source, reason, row: JSON.parse(row) })}\n`;
    }
    const last = letters.at(-1);
    if (!last) return;
    afterId = last.id;
  }
}
