import { createHash, hash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { AuditRecordsTable, AuditSealsTable, Tables } from '../../platform/database/tables.ts';
import { RECORD_COLUMNS } from '../record/audit-row.ts';

export type Seal = AuditSealsTable;

/** Names a seal, and with it everything before. It proves something only outside the database. */
export type Anchor = Pick<Seal, 'seq' | 'hash'>;

/** The form that `tool-gateway audit verify --anchor` accepts. */
export const formatAnchor = ({ seq, hash }: Anchor): string => `${seq}:${hash}`;

/** The hash of a seal. It does not need the records, so the time of a seal is proven after they have been deleted. */
export const hashSeal = (seal: Omit<Seal, 'hash'>): string =>
  hash(
    'sha256',
    [seal.seq, seal.up_to, seal.count, seal.sealed_at_ms, seal.records_hash, seal.prev_hash].join(),
    'base64url',
  );

const RECORDS_AT_ONCE = 500;

/** Hashes the records after one `n` and up to another, in that order. */
export async function hashRecords(
  db: Kysely<Tables>,
  after: number,
  upTo: number,
): Promise<SealedRecords> {
  const readPage = (from: number) =>
    runQuery(() =>
      db
        .selectFrom('audit_records')
        .select(['n', ...RECORD_COLUMNS])
        .where('n', '>', from)
        .where('n', '<=', upTo)
        .orderBy('n')
        .limit(RECORDS_AT_ONCE)
        .execute(),
    );
  const records = createRecordsHash();
  for (let from = after; ; ) {
    const page = await readPage(from);
    records.add(page);
    if (page.length < RECORDS_AT_ONCE) return records.result();
    from = page.at(-1)?.n ?? upTo;
  }
}

/** What a seal says of its records. */
export interface SealedRecords {
  readonly count: number;
  readonly recordsHash: string;
}

/** Hashes records that are added in the order of `n`. */
export function createRecordsHash() {
  const digest = createHash('sha256');
  let count = 0;
  return {
    add: (rows: readonly AuditRecordsTable[]): void => {
      digest.update(serialise(rows));
      count += rows.length;
    },
    result: (): SealedRecords => ({ count, recordsHash: digest.digest('base64url') }),
  };
}

/**
 * NUL follows each column: no column can contain it, so no text can be moved from one column to another. `=` tells an empty
 * text from null.
 */
function serialise(rows: readonly AuditRecordsTable[]): string {
  const texts: string[] = [];
  for (const row of rows) {
    for (const column of RECORD_COLUMNS) {
      const value = row[column];
      texts.push(value === null ? '\0' : `=${value}\0`);
    }
  }
  return texts.join('');
}
