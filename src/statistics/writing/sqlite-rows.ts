import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { toInteger } from '../../platform/database/sqlite-value.ts';
import type { StatisticsTable } from '../../platform/database/tables.ts';
import type { StatisticKey } from '../tally/count-records.ts';
import type { StoredStatistics } from '../tally/merge-additions.ts';
import { COUNTERS } from '../tally/tally.ts';

const KEY = ['step', 'scope', 'kind', 'bucket_ms', 'subject'] as const;
const VALUES = [...COUNTERS, 'last_ms', 'latencies'] as const;
const COLUMNS = [...KEY, ...VALUES];

/** The rows in `audit.db`. */
export interface SqliteRows extends StoredStatistics {
  write(rows: readonly StatisticsTable[]): void;
}

export function openSqliteRows(file: DatabaseSync): SqliteRows {
  const group = 'step = ? AND scope = ? AND kind = ? AND bucket_ms = ?';
  const select = file.prepare(`SELECT * FROM statistics WHERE ${group} AND subject = ?`);
  const count = file.prepare(`SELECT count(*) AS n FROM statistics WHERE ${group}`);
  const write = file.prepare(
    `INSERT INTO statistics (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})
     ON CONFLICT (${KEY.join(', ')})
     DO UPDATE SET ${VALUES.map((name) => `${name} = excluded.${name}`).join(', ')}`,
  );
  const groupOf = ({ step, scope, kind, bucket_ms }: StatisticKey): SQLInputValue[] => [
    step,
    scope,
    kind,
    bucket_ms,
  ];
  return {
    row: (key) =>
      select.get(...groupOf(key), key.subject) as unknown as StatisticsTable | undefined,
    countLike: (key) => toInteger(count.get(...groupOf(key))?.['n']),
    write: (rows) => {
      for (const row of rows) write.run(...COLUMNS.map((name) => row[name]));
    },
  };
}
