import type { DatabaseSync } from 'node:sqlite';
import { type Kysely, sql } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import { cutText } from '../record/fit-column.ts';
import { columnsOf, integer, type WaitingTable } from './waiting-table.ts';

/** Dead letters that are kept; the oldest give way to newer ones. */
const MAX_DEAD_LETTERS = 10_000;
/** Of each column of a dead letter: as much as any column of a record of today holds. */
const MAX_COLUMN_CHARACTERS = 8192;
const MAX_REASON_CHARACTERS = 500;

/** Rows that PostgreSQL refuses, kept in `audit.db` for the operator. */
export interface DeadLetters {
  count(): number;
  /** How many gave way to newer ones since start. */
  dropped(): number;
  /** Moves a waiting row here, in one transaction. */
  bury(table: WaitingTable, rowid: number, reason: string): void;
}

export function createDeadLetters(deps: {
  readonly writer: DatabaseSync;
  readonly clock: Clock;
  readonly maxLetters?: number;
}): DeadLetters {
  const { writer, clock, maxLetters = MAX_DEAD_LETTERS } = deps;
  const trim = writer.prepare(
    'DELETE FROM audit_dead_letters WHERE id <= (SELECT max(id) FROM audit_dead_letters) - ?',
  );
  const select = writer.prepare('SELECT count(*) AS n FROM audit_dead_letters');
  let count = integer(select.get()?.['n']);
  let dropped = 0;

  const move = (table: WaitingTable, rowid: number, reason: string): number => {
    const why = cutText(reason, MAX_REASON_CHARACTERS);
    writer.prepare(copyRow(writer, table.name)).run(table.name, why, clock.now(), rowid);
    writer.prepare(`DELETE FROM ${table.name} WHERE rowid = ?`).run(rowid);
    return integer(trim.run(maxLetters).changes);
  };

  return {
    count: () => count,
    dropped: () => dropped,
    bury: (table, rowid, reason) => {
      writer.exec('BEGIN IMMEDIATE');
      try {
        const trimmed = move(table, rowid, reason);
        writer.exec('COMMIT');
        count += 1 - trimmed;
        dropped += trimmed;
      } catch (error) {
        if (writer.isOpen && writer.isTransaction) writer.exec('ROLLBACK');
        throw error;
      }
    },
  };
}

/** Within SQLite, since the row may hold what cannot be read into JavaScript. */
function copyRow(writer: DatabaseSync, table: string): string {
  const members = columnsOf(writer, table).map(
    (column) => `'${column}', CASE typeof(${column})
      WHEN 'text' THEN substr(${column}, 1, ${MAX_COLUMN_CHARACTERS})
      WHEN 'blob' THEN 'blob of ' || length(${column}) || ' bytes'
      ELSE ${column} END`,
  );
  return `INSERT INTO audit_dead_letters (source, reason, buried_at_ms, row)
    SELECT ?, ?, ?, json_object(${members.join(', ')}) FROM ${table} WHERE rowid = ?`;
}

const PAGE = 100;

/** Oldest first, one JSON text and a line feed each: `{id, at, source, reason, row}`. */
export async function* deadLetterLines(db: Kysely<Tables>): AsyncGenerator<string, void, void> {
  for (let afterId = 0; ; ) {
    const letters = await runQuery(() =>
      db
        .selectFrom('audit_dead_letters')
        .selectAll()
        .where('id', '>', afterId)
        .orderBy('id')
        .limit(PAGE)
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

/** Ids of the audit records among the dead letters; no more than those that are kept. */
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
