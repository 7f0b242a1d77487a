import type { DatabaseSync } from 'node:sqlite';
import { type Kysely, sql } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import { inTransaction } from '../../platform/database/sqlite-transaction.ts';
import { toInteger } from '../../platform/database/sqlite-value.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import { cutText } from '../record/fit-column.ts';
import { columnsOf } from './audit-outbox.ts';

/** The most dead letters that are stored; newer ones replace the oldest. */
const MAX_DEAD_LETTERS = 10_000;
/** Per column of a dead letter: as long as the longest column of a current record. */
const MAX_COLUMN_CHARACTERS = 8192;
const MAX_REASON_CHARACTERS = 500;

export type DeadLetters = ReturnType<typeof createDeadLetters>;

/** Rows that PostgreSQL refused, stored in `audit.db` for the operator. */
export function createDeadLetters(writer: DatabaseSync, clock: Clock, maxCount = MAX_DEAD_LETTERS) {
  const trim = writer.prepare(
    'DELETE FROM audit_dead_letters WHERE id <= (SELECT max(id) FROM audit_dead_letters) - ?',
  );
  const select = writer.prepare('SELECT count(*) AS n FROM audit_dead_letters');
  let count = toInteger(select.get()?.['n']);
  let dropped = 0;

  return {
    count: (): number => count,
    /** How many were replaced by newer ones since start. */
    dropped: (): number => dropped,
    /** Moves a waiting row to the dead letters, in one transaction. */
    bury: (rowid: number, reason: string): void => {
      const trimmed = inTransaction(writer, () => {
        const cut = cutText(reason, MAX_REASON_CHARACTERS);
        writer.prepare(copyRow(writer)).run(cut, clock.now(), rowid);
        writer.prepare('DELETE FROM audit_records WHERE rowid = ?').run(rowid);
        return toInteger(trim.run(maxCount).changes);
      });
      count += 1 - trimmed;
      dropped += trimmed;
    },
  };
}

/** Copies the row within SQLite, because JavaScript may not be able to represent its values. */
function copyRow(writer: DatabaseSync): string {
  const members = columnsOf(writer).map(
    (column) => `'${column}', CASE typeof(${column})
      WHEN 'text' THEN substr(${column}, 1, ${MAX_COLUMN_CHARACTERS})
      WHEN 'blob' THEN 'blob of ' || length(${column}) || ' bytes'
      ELSE ${column} END`,
  );
  return `INSERT INTO audit_dead_letters (source, reason, buried_at_ms, row)
    SELECT 'audit_records', ?, ?, json_object(${members.join(', ')}) FROM audit_records WHERE rowid = ?`;
}

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

/** The audit ids of the dead letters. */
export async function readDeadRecords(db: Kysely<Tables>): Promise<ReadonlySet<string>> {
  const letters = await runQuery(() =>
    db
      .selectFrom('audit_dead_letters')
      .select(sql<string>`json_extract(row, '$.audit_id')`.as('audit_id'))
      .where('source', '=', 'audit_records')
      .limit(MAX_DEAD_LETTERS)
      .execute(),
  );
  return new Set(letters.map(({ audit_id }) => audit_id));
}
