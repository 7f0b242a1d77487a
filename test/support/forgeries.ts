import type { Kysely } from 'kysely';
import type { FindingKind } from '../../src/audit/chain/chain-check.ts';
import { type ChainLink, hashLink, hashRecords } from '../../src/audit/chain/chain-link.ts';
import { idsOf, readRecords } from '../../src/audit/chain/chain-reader.ts';
import { auditIdAt } from '../../src/audit/record/audit-record.ts';
import { toRow } from '../../src/audit/record/audit-row.ts';
import type { AuditRecordsTable, Tables } from '../../src/platform/database/tables.ts';
import { newOriginId } from '../../src/platform/kernel/ids.ts';
import { type AuditHistory, DAY_MS } from './audit-history.ts';
import { makeRecord } from './audit-records.ts';

/**
 * What someone may do who writes to the database and knows this program, but neither reads DATA_DIR nor the log. Resolves
 * with the kinds of findings that must report it.
 */
export type Forgery = (history: AuditHistory, at: number) => Promise<readonly FindingKind[]>;

/** Counts from the end if negative. */
export function pick<T>(list: readonly T[], at: number): T {
  const chosen = list.at(at < 0 ? at : at % list.length);
  if (chosen === undefined) throw new Error('The list is empty.');
  return chosen;
}

export const allLinks = (db: Kysely<Tables>): Promise<ChainLink[]> =>
  db.selectFrom('audit_links').selectAll().orderBy('made_at_ms').orderBy('seq').execute();

/** The links of the chain with the newest link. */
async function newestChain(db: Kysely<Tables>): Promise<ChainLink[]> {
  const links = await allLinks(db);
  const { origin } = pick(await linksWithRecords(db), -1);
  return links.filter((link) => link.origin === origin).sort((a, b) => a.seq - b.seq);
}

/** Links of the last day with records, all of them stored: no later sweep deletes these lawfully. */
export async function linksWithRecords(db: Kysely<Tables>): Promise<ChainLink[]> {
  const links = await allLinks(db);
  const sinceMs = Math.max(...links.map((link) => link.made_at_ms)) - DAY_MS;
  const complete: ChainLink[] = [];
  for (const link of links.filter(({ made_at_ms }) => made_at_ms >= sinceMs)) {
    const ids = idsOf(link);
    if (ids.length > 0 && (await readRecords(db, ids)).size === ids.length) complete.push(link);
  }
  return complete;
}

const setLink = (db: Kysely<Tables>, { origin, seq }: ChainLink, change: Partial<ChainLink>) =>
  db
    .updateTable('audit_links')
    .set(change)
    .where('origin', '=', origin)
    .where('seq', '=', seq)
    .execute();

/** Changes a link and computes its hash again. */
async function forgeLink(
  db: Kysely<Tables>,
  link: ChainLink,
  change: Partial<ChainLink>,
): Promise<ChainLink> {
  const changed = { ...link, ...change };
  const forged = { ...changed, hash: hashLink(changed) };
  await setLink(db, link, { ...change, hash: forged.hash });
  return forged;
}

/** Computes the hash of a link from its records, and those of all links behind it. */
async function forgeRest(db: Kysely<Tables>, { origin, seq }: ChainLink): Promise<void> {
  const links = (await allLinks(db))
    .filter((link) => link.origin === origin && link.seq >= seq)
    .sort((a, b) => a.seq - b.seq);
  let prevHash: string | undefined;
  for (const link of links) {
    const rows = await readRecords(db, idsOf(link));
    const found = idsOf(link).flatMap((id) => rows.get(id) ?? []);
    const isWhole = found.length > 0 && found.length === idsOf(link).length;
    const forged = await forgeLink(db, link, {
      prev_hash: prevHash ?? link.prev_hash,
      records_hash: isWhole ? hashRecords(found) : link.records_hash,
    });
    prevHash = forged.hash;
  }
}

const setRecord = (db: Kysely<Tables>, auditId: string, change: Partial<AuditRecordsTable>) =>
  db.updateTable('audit_records').set(change).where('audit_id', '=', auditId).execute();

const deleteRecords = (db: Kysely<Tables>, ids: readonly string[]) =>
  db
    .deleteFrom('audit_records')
    .where('audit_id', 'in', ['', ...ids])
    .execute();

async function deleteLinks(db: Kysely<Tables>, links: readonly ChainLink[]): Promise<void> {
  for (const { origin, seq } of links) {
    await db
      .deleteFrom('audit_links')
      .where('origin', '=', origin)
      .where('seq', '=', seq)
      .execute();
  }
}

type Content = Pick<ChainLink, 'kind' | 'detail'> & Partial<ChainLink>;

/** Writes links with correct hashes, behind a link or as a chain of their own. */
export async function writeLinks(
  history: AuditHistory,
  contents: readonly Content[],
  behind: Partial<ChainLink> = {},
): Promise<string> {
  const origin = behind.origin ?? newOriginId(history.nowMs);
  let { seq = 0, hash: prevHash = '' } = behind;
  for (const content of contents) {
    seq++;
    const rows = await readRecords(history.db(), idsOf(content));
    const found = idsOf(content).flatMap((id) => rows.get(id) ?? []);
    const link: ChainLink = {
      origin,
      seq,
      made_at_ms: history.nowMs,
      record_count: found.length,
      records_total: found.length,
      records_hash: found.length > 0 ? hashRecords(found) : '',
      prev_hash: prevHash,
      hash: '',
      ...content,
    };
    const hash = hashLink(link);
    await history
      .db()
      .insertInto('audit_links')
      .values({ ...link, hash })
      .execute();
    prevHash = hash;
    seq = link.seq;
  }
  return origin;
}

const sweepOf = (note: object): Content => ({ kind: 'sweep', detail: JSON.stringify(note) });

/** Excuses the deletion of everything, as far as its author is concerned. */
const sweepAll = ({ nowMs }: AuditHistory): Content =>
  sweepOf({ beforeMs: nowMs + DAY_MS, retentionMs: 0 });

/** Deletes a link with its records. */
async function deleteWhole(db: Kysely<Tables>, link: ChainLink): Promise<void> {
  await deleteRecords(db, idsOf(link));
  await deleteLinks(db, [link]);
}

const oneRecord = async (db: Kysely<Tables>, at: number): Promise<string> =>
  pick(idsOf(pick(await linksWithRecords(db), at)), Math.abs(at));

const deletions: Readonly<Record<string, Forgery>> = {
  'deletes a record': async ({ db }, at) => {
    await deleteRecords(db(), [await oneRecord(db(), at)]);
    return ['deleted'];
  },
  'deletes the newest record': async ({ db }) => {
    await deleteRecords(db(), [await oneRecord(db(), -1)]);
    return ['deleted'];
  },
  'deletes the records of a link': async ({ db }, at) => {
    await deleteRecords(db(), idsOf(pick(await linksWithRecords(db()), at)));
    return ['deleted'];
  },
  'deletes every record': async ({ db }) => {
    await db().deleteFrom('audit_records').execute();
    return ['deleted'];
  },
  'deletes a link': async ({ db }, at) => {
    await deleteLinks(db(), [pick(await linksWithRecords(db()), at)]);
    return ['deleted', 'inserted'];
  },
  'deletes a link with its records': async ({ db }, at) => {
    // `truncated` if it was the last one of its chain.
    await deleteWhole(db(), pick(await linksWithRecords(db()), at));
    return [];
  },
  'deletes all links': async ({ db }) => {
    await db().deleteFrom('audit_links').execute();
    return ['truncated', 'inserted'];
  },
  'deletes everything': async ({ db }) => {
    await db().deleteFrom('audit_links').execute();
    await db().deleteFrom('audit_records').execute();
    return ['truncated'];
  },
  'removes a record from its link and recomputes the link': async ({ db }, at) => {
    const link = pick(await linksWithRecords(db()), at);
    const removed = pick(idsOf(link), at);
    await deleteRecords(db(), [removed]);
    const detail = idsOf(link).filter((id) => id !== removed);
    await forgeLink(db(), link, { detail: detail.join(' ') });
    return ['altered'];
  },
  'removes a record and recomputes the rest of the chain': async ({ db }, at) => {
    const link = pick(await linksWithRecords(db()), at);
    const removed = pick(idsOf(link), at);
    await deleteRecords(db(), [removed]);
    const detail = idsOf(link).filter((id) => id !== removed);
    await forgeLink(db(), link, { detail: detail.join(' ') });
    await forgeRest(db(), link);
    return ['altered'];
  },
};

const changes: Readonly<Record<string, Forgery>> = {
  'changes a column of a record': async ({ db }, at) => {
    const columns = [
      { tenant_id: 'ten_other' },
      { arguments: '{}' },
      { client_name: '' },
      { duration_ms: 12.346 },
      { upstream_ms: null },
      { timestamp_ms: 1 },
    ];
    await setRecord(db(), await oneRecord(db(), at), pick(columns, at));
    return ['altered'];
  },
  'moves text from one column to another': async ({ db }, at) => {
    await setRecord(db(), await oneRecord(db(), at), { dialect: 'plai', client_name: 'n' });
    return ['altered'];
  },
  'gives all records to another tenant': async ({ db }) => {
    await db().updateTable('audit_records').set({ tenant_id: 'ten_other' }).execute();
    return ['altered'];
  },
  'gives a record another id': async ({ db, nowMs }, at) => {
    const { audit_id } = toRow(makeRecord({}, nowMs));
    await setRecord(db(), await oneRecord(db(), at), { audit_id });
    return ['deleted', 'inserted'];
  },
  'changes a record and recomputes its link': async ({ db }, at) => {
    const link = pick(await linksWithRecords(db()), at);
    await setRecord(db(), pick(idsOf(link), at), { tool: 'other' });
    const rows = await readRecords(db(), idsOf(link));
    const text = idsOf(link).flatMap((id) => rows.get(id) ?? []);
    await forgeLink(db(), link, { records_hash: hashRecords(text) });
    return ['altered'];
  },
  'changes a record and recomputes the rest of the chain': async ({ db }, at) => {
    const link = pick(await linksWithRecords(db()), at);
    await setRecord(db(), pick(idsOf(link), at), { tool: 'other' });
    await forgeRest(db(), link);
    return ['altered'];
  },
  'changes a link': async ({ db }, at) => {
    await setLink(db(), pick(await linksWithRecords(db()), at), { made_at_ms: at });
    return ['altered'];
  },
  'makes an anchor a sweep': async (history) => {
    const { db } = history;
    const links = await allLinks(db());
    const anchor = pick(
      links.filter(({ kind }) => kind === 'anchor'),
      -1,
    );
    await forgeLink(db(), anchor, sweepAll(history));
    await deleteRecords(db(), [await oneRecord(db(), -1)]);
    return ['altered'];
  },
  'swaps two links': async ({ db }, at) => {
    const links = await newestChain(db());
    const one = pick(links.slice(0, -1), at);
    const other = links[links.indexOf(one) + 1] ?? one;
    await setLink(db(), one, { seq: -1 });
    await setLink(db(), other, { seq: one.seq });
    await setLink(db(), { ...one, seq: -1 }, { seq: other.seq });
    return ['reordered'];
  },
  'swaps the contents of two records': async ({ db }) => {
    // Records with the same timestamp differ only in their ids.
    for (const link of await linksWithRecords(db())) {
      const [a, ...others] = (await readRecords(db(), idsOf(link))).values();
      const b = others.find((row) => row.timestamp_ms !== a?.timestamp_ms);
      if (!a || !b) continue;
      await setRecord(db(), a.audit_id, { ...b, audit_id: a.audit_id });
      await setRecord(db(), b.audit_id, { ...a, audit_id: b.audit_id });
      return ['reordered'];
    }
    throw new Error('No two records of a link differ.');
  },
  'swaps the records of two links and recomputes both': async ({ db }) => {
    const [one, other] = (await linksWithRecords(db())).slice(-2);
    if (!one || !other) throw new Error('There are no two links.');
    await forgeLink(db(), one, { detail: other.detail, records_hash: other.records_hash });
    await forgeLink(db(), other, { detail: one.detail, records_hash: one.records_hash });
    return ['altered'];
  },
};

const insertRecord = (db: Kysely<Tables>, atMs: number, auditId?: string) => {
  const row = toRow(makeRecord(auditId === undefined ? {} : { auditId }, atMs));
  return db
    .insertInto('audit_records')
    .values(row)
    .execute()
    .then(() => row.audit_id);
};

const insertions: Readonly<Record<string, Forgery>> = {
  'inserts a record': async ({ db, nowMs }, at) => {
    await insertRecord(db(), nowMs - (at % 1000));
    return ['inserted'];
  },
  'inserts a record with an id of a different form': async ({ db, nowMs }) => {
    await insertRecord(db(), nowMs, 'zzz');
    return ['inserted'];
  },
  'inserts a record among those of an earlier day': async ({ db, nowMs }) => {
    await insertRecord(db(), nowMs - 2 * DAY_MS);
    return ['inserted'];
  },
  'repeats a record under another id': async ({ db, nowMs }, at) => {
    const auditId = await oneRecord(db(), at);
    const row = (await readRecords(db(), [auditId])).get(auditId);
    if (!row) throw new Error('The record was deleted.');
    const { audit_id } = toRow(makeRecord({}, nowMs));
    await db()
      .insertInto('audit_records')
      .values({ ...row, audit_id })
      .execute();
    return ['inserted'];
  },
  'adds a record to a link and recomputes the rest of the chain': async ({ db, nowMs }, at) => {
    const link = pick(await linksWithRecords(db()), at);
    const added = await insertRecord(db(), nowMs);
    await forgeLink(db(), link, { detail: `${link.detail} ${added}` });
    await forgeRest(db(), link);
    return ['altered'];
  },
  'inserts a record with a chain of its own': async (history) => {
    const detail = await insertRecord(history.db(), history.nowMs);
    await writeLinks(history, [{ kind: 'records', detail }]);
    return ['unknown'];
  },
};

/** Removes the newest links of the newest chain, with their records. Resolves with what is left. */
async function truncate(db: Kysely<Tables>, count: number): Promise<ChainLink[]> {
  const links = await newestChain(db);
  const removed = links.slice(-count);
  for (const link of removed) await deleteWhole(db, link);
  return links.slice(0, -count);
}

const truncations: Readonly<Record<string, Forgery>> = {
  'removes the end of the chain': async ({ db }) => {
    await truncate(db(), 2);
    return ['truncated'];
  },
  'removes all of the chain but its start': async ({ db }) => {
    await truncate(db(), (await newestChain(db())).length - 1);
    return ['truncated'];
  },
  'replaces the end of the chain': async (history) => {
    const left = await truncate(history.db(), 2);
    const detail = await insertRecord(history.db(), history.nowMs);
    const contents: Content[] = [
      { kind: 'records', detail },
      { kind: 'anchor', detail: '' },
    ];
    await writeLinks(history, contents, left.at(-1));
    return ['altered'];
  },
  'replaces the end of the chain by a longer one': async (history) => {
    const left = await truncate(history.db(), 2);
    const anchors = Array.from({ length: 5 }, (): Content => ({ kind: 'anchor', detail: '' }));
    await writeLinks(history, anchors, left.at(-1));
    return ['altered'];
  },
  'rewrites the whole chain': async ({ db }) => {
    const [first] = await newestChain(db());
    if (!first) throw new Error('The chain is empty.');
    await forgeLink(db(), first, { made_at_ms: first.made_at_ms + 1 });
    await forgeRest(db(), first);
    return ['altered'];
  },
  'puts old tables back': async (history) => {
    const old = await history.dump();
    await history.open();
    await history.run({ do: 'append', count: 3, who: 0 });
    await history.run({ do: 'restart', who: 0 });
    await history.close();
    await history.putBack(old);
    return ['truncated'];
  },
};

const forgedSweeps: Readonly<Record<string, Forgery>> = {
  'forges a chain with a sweep and deletes a record': async (history, at) => {
    await writeLinks(history, [sweepAll(history)]);
    await deleteRecords(history.db(), [await oneRecord(history.db(), at)]);
    return ['unknown', 'deleted'];
  },
  'forges a chain with a sweep and deletes everything else': async (history) => {
    await history.db().deleteFrom('audit_records').execute();
    await history.db().deleteFrom('audit_links').execute();
    await writeLinks(history, [sweepAll(history)]);
    return ['unknown', 'truncated'];
  },
  'forges a sweep of an older version that names the end of the chain': async (history) => {
    const { db, nowMs } = history;
    const { origin, seq, hash } = pick(await linksWithRecords(db()), -2);
    const links = { [origin]: { seq, hash } };
    await writeLinks(history, [sweepOf({ beforeMs: nowMs + DAY_MS, links })]);
    const swept = (await allLinks(db())).filter((l) => l.origin === origin && l.seq <= seq);
    for (const link of swept) await deleteWhole(db(), link);
    return ['unknown'];
  },
  'adds a sweep to the end of the chain and deletes records': async (history, at) => {
    const { db } = history;
    await deleteRecords(db(), [await oneRecord(db(), at)]);
    await writeLinks(history, [sweepAll(history)], (await newestChain(db())).at(-1));
    return ['deleted'];
  },
  'adds a sweep before the start of the chain and deletes records': async (history, at) => {
    const { db } = history;
    await deleteRecords(db(), [await oneRecord(db(), at)]);
    const [first] = await newestChain(db());
    if (!first) throw new Error('The chain is empty.');
    await writeLinks(history, [{ ...sweepAll(history), seq: -5 }], { origin: first.origin });
    return ['deleted'];
  },
  'adds a sweep to the chain and recomputes the rest': async (history, at) => {
    const { db } = history;
    const link = pick(await linksWithRecords(db()), at);
    await deleteRecords(db(), idsOf(link));
    const forged = await forgeLink(db(), link, { ...sweepAll(history), records_hash: '' });
    await forgeRest(db(), forged);
    return ['altered'];
  },
  'makes a sweep delete more': async (history) => {
    const { db, nowMs } = history;
    const own = (await newestChain(db())).at(-1);
    const sweeps = (await allLinks(db())).filter(({ kind }) => kind === 'sweep');
    const sweep = sweeps[0];
    await deleteRecords(db(), [await oneRecord(db(), -1)]);
    if (sweep) {
      const detail = JSON.stringify({ beforeMs: nowMs + DAY_MS, retentionMs: 0 });
      await forgeLink(db(), sweep, { detail, made_at_ms: nowMs + DAY_MS });
    } else await writeLinks(history, [sweepAll(history)], own);
    return [sweep ? 'altered' : 'deleted'];
  },
};

const forgedOrigins: Readonly<Record<string, Forgery>> = {
  'replaces the whole log by one of another chain': async (history, at) => {
    const { db } = history;
    const ids = (await linksWithRecords(db())).flatMap(idsOf);
    const removed = pick(ids, at);
    await deleteRecords(db(), [removed]);
    await db().deleteFrom('audit_links').execute();
    const detail = ids.filter((id) => id !== removed).join(' ');
    await writeLinks(history, [
      { kind: 'start', detail: '', seq: 0 },
      { kind: 'records', detail },
    ]);
    return ['unknown', 'truncated'];
  },
  'removes the end and forges a chain after a restored backup': async (history) => {
    const left = (await truncate(history.db(), 2)).at(-1);
    const follows = { origin: left?.origin, seq: left?.seq, hash: left?.hash };
    const detail = JSON.stringify({ follows, restored: [] });
    await writeLinks(history, [{ kind: 'start', detail, seq: 0 }]);
    return ['unknown', 'truncated'];
  },
  'removes the end and forges the start, as if a backup had ended there': async ({ db }) => {
    const left = await truncate(db(), 2);
    const { origin, seq, hash } = pick(left, -1);
    const detail = JSON.stringify({ follows: { origin, seq, hash }, restored: [] });
    await forgeLink(db(), pick(left, 0), { detail });
    return ['truncated'];
  },
};

const clockGames: Readonly<Record<string, Forgery>> = {
  'makes a link look old and deletes all before it': async ({ db, nowMs }) => {
    const links = await newestChain(db());
    const link = pick(
      links.filter(({ kind }) => kind === 'records'),
      -1,
    );
    for (const earlier of links.slice(0, links.indexOf(link))) await deleteWhole(db(), earlier);
    await forgeLink(db(), link, { made_at_ms: nowMs - 300 * DAY_MS });
    return ['altered'];
  },
  'makes a chain look old beyond its anchors and deletes it': async (history) => {
    const { db, nowMs } = history;
    const links = await newestChain(db());
    const last = pick(links, -1);
    for (const link of links) await deleteWhole(db(), link);
    const old = { kind: 'anchor' as const, detail: '', made_at_ms: nowMs - 300 * DAY_MS };
    await writeLinks(history, [old], last);
    return ['deleted'];
  },
  'makes records look old and deletes them': async ({ db, nowMs }, at) => {
    const link = pick(await linksWithRecords(db()), at);
    await deleteRecords(db(), idsOf(link));
    const old = idsOf(link).map((id) => `${auditIdAt(nowMs - 300 * DAY_MS)}${id.slice(14)}`);
    await forgeLink(db(), link, { detail: old.join(' ') });
    return ['altered'];
  },
  'sets the clock of a link ahead': async ({ db, nowMs }, at) => {
    const link = pick(await linksWithRecords(db()), at);
    await forgeLink(db(), link, { made_at_ms: nowMs + 1000 * DAY_MS });
    return ['altered'];
  },
  'lets a forged sweep run in the future': async (history, at) => {
    const { db, nowMs } = history;
    const future = nowMs + 1000 * DAY_MS;
    await deleteRecords(db(), [await oneRecord(db(), at)]);
    const sweep = sweepOf({ beforeMs: future, retentionMs: DAY_MS });
    await writeLinks(history, [{ ...sweep, made_at_ms: future + DAY_MS }]);
    return ['unknown', 'deleted'];
  },
};

export const forgeries: Readonly<Record<string, Forgery>> = {
  ...deletions,
  ...changes,
  ...insertions,
  ...truncations,
  ...forgedSweeps,
  ...forgedOrigins,
  ...clockGames,
};
