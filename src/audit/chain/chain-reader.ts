import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { AuditRecordsTable, Tables } from '../../platform/database/tables.ts';
import type { ChainLink } from './chain-link.ts';

/** Bounds the records in memory. A single link may contain as many. */
const RECORDS_AT_ONCE = 500;
const LINKS_AT_ONCE = 100;

/** The audit ids of a link, in its order. */
export const idsOf = (link: Pick<ChainLink, 'kind' | 'detail'>): string[] =>
  link.kind === 'records' ? link.detail.split(' ') : [];

/** Every origin that has a link. One query each, because neither database can skip through an index. */
export async function readOrigins(db: Kysely<Tables>): Promise<string[]> {
  const origins: string[] = [];
  for (let after = ''; ; ) {
    const row = await runQuery(() =>
      db
        .selectFrom('audit_links')
        .select('origin')
        .where('origin', '>', after)
        .orderBy('origin')
        .limit(1)
        .executeTakeFirst(),
    );
    if (!row) return origins;
    origins.push(row.origin);
    after = row.origin;
  }
}

export const readLink = (
  db: Kysely<Tables>,
  origin: string,
  seq: number,
): Promise<ChainLink | undefined> =>
  runQuery(() =>
    db
      .selectFrom('audit_links')
      .selectAll()
      .where('origin', '=', origin)
      .where('seq', '=', seq)
      .executeTakeFirst(),
  );

/** The links of an origin after a sequence number, one page at a time. */
export async function* readLinks(
  db: Kysely<Tables>,
  origin: string,
  afterSeq = -1,
): AsyncGenerator<readonly ChainLink[], void, void> {
  for (let after = afterSeq; ; ) {
    const page = await runQuery(() =>
      db
        .selectFrom('audit_links')
        .selectAll()
        .where('origin', '=', origin)
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(LINKS_AT_ONCE)
        .execute(),
    );
    yield* groups(page);
    const last = page.at(-1);
    if (!last || page.length < LINKS_AT_ONCE) return;
    after = last.seq;
  }
}

/** Splits a page into groups, each with at most `RECORDS_AT_ONCE` records or a single link. */
function* groups(page: readonly ChainLink[]): Generator<readonly ChainLink[], void, void> {
  let group: ChainLink[] = [];
  let records = 0;
  for (const link of page) {
    const count = idsOf(link).length;
    if (group.length > 0 && records + count > RECORDS_AT_ONCE) {
      yield group;
      group = [];
      records = 0;
    }
    group.push(link);
    records += count;
  }
  if (group.length > 0) yield group;
}

export async function readRecords(
  db: Kysely<Tables>,
  auditIds: readonly string[],
): Promise<ReadonlyMap<string, AuditRecordsTable>> {
  if (auditIds.length === 0) return new Map();
  const rows = await runQuery(() =>
    db.selectFrom('audit_records').selectAll().where('audit_id', 'in', auditIds).execute(),
  );
  return new Map(rows.map((row) => [row.audit_id, row]));
}

/** Audit ids from one id (inclusive) to another (exclusive), one page at a time. */
export async function* readIds(
  db: Kysely<Tables>,
  from: string,
  to?: string,
  atOnce = IDS_AT_ONCE,
): AsyncGenerator<readonly string[], void, void> {
  for (let next = from, inclusive = true; ; inclusive = false) {
    let query = db
      .selectFrom('audit_records')
      .select('audit_id')
      .where('audit_id', inclusive ? '>=' : '>', next)
      .orderBy('audit_id')
      .limit(atOnce);
    if (to !== undefined) query = query.where('audit_id', '<', to);
    const rows = await runQuery(() => query.execute());
    if (rows.length > 0) yield rows.map((row) => row.audit_id);
    const last = rows.at(-1);
    if (!last || rows.length < atOnce) return;
    next = last.audit_id;
  }
}

const IDS_AT_ONCE = 5000;
