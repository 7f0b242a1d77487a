import { hash } from 'node:crypto';
import type { AuditLinksTable, AuditRecordsTable } from '../../platform/database/tables.ts';

export type ChainLink = AuditLinksTable;

/** What an operator stores outside the database to prove that nothing up to this link was changed. */
export interface ChainAnchor extends LinkName {
  /** Records of this chain up to this link. */
  readonly recordsTotal: number;
}

/** Names a link, and all links before it. */
export type LinkName = Pick<ChainLink, 'origin' | 'seq' | 'hash'>;

export const anchorAt = (link: ChainLink): ChainAnchor => ({
  origin: link.origin,
  seq: link.seq,
  hash: link.hash,
  recordsTotal: link.records_total,
});

/** The form that `tool-gateway audit verify --anchor` accepts. */
export const formatAnchor = ({ origin, seq, hash }: LinkName): string => `${origin}:${seq}:${hash}`;

/** The content of the link with which a chain starts, unless it is the first one of its gateway. */
export interface ChainStart {
  /** The last link of the chain before it. */
  readonly follows: LinkName;
  /** If `follows` is where a restored backup ends: every other chain in it. Otherwise, others wrote behind `follows`. */
  readonly restored?: readonly string[];
}

/**
 * The text of records that is hashed. NUL follows each column: no column can contain it, because PostgreSQL cannot store
 * it, so no text can be moved from one column to another. SQLite and PostgreSQL return the same values for every column.
 * A column added later must not change the text of old records. All columns are joined at once: a concatenation would
 * leave an object for each operand behind, and joining each record alone a copy of its text.
 */
export function serialiseRecords(rows: readonly AuditRecordsTable[]): string {
  const texts = new Array<string | number>(rows.length * HASHED_COLUMNS + 1);
  let at = 0;
  let added = '';
  for (const row of rows) {
    texts[at++] = added + row.audit_id;
    texts[at++] = row.timestamp_ms;
    texts[at++] = row.tenant_id;
    texts[at++] = row.api_key_id;
    texts[at++] = row.request_id;
    texts[at++] = row.dialect;
    texts[at++] = mark(row.client_name);
    texts[at++] = row.tool;
    texts[at++] = row.tool_id;
    texts[at++] = row.arguments;
    texts[at++] = row.upstream_method;
    texts[at++] = mark(row.upstream_url);
    texts[at++] = String(row.upstream_status);
    texts[at++] = mark(row.cache_status);
    texts[at++] = mark(row.public_data_code);
    texts[at++] = mark(row.public_data_message);
    texts[at++] = row.outcome;
    texts[at++] = mark(row.error_code);
    texts[at++] = mark(row.error_message);
    texts[at++] = row.duration_ms;
    texts[at++] = String(row.upstream_ms);
    texts[at++] = row.response_bytes;
    texts[at++] = row.client_ip;
    added =
      row.cause === null && row.answer === null ? '' : `${mark(row.cause)}\0${mark(row.answer)}\0`;
  }
  texts[at] = added;
  return texts.join('\0');
}

/** At least the length of a record's text, in characters: counting is cheaper than writing it. */
export const lengthAtMost = (row: AuditRecordsTable): number =>
  SHORT_COLUMNS +
  row.arguments.length +
  (row.upstream_url?.length ?? 0) +
  (row.answer?.length ?? 0) +
  (row.error_message?.length ?? 0) +
  (row.public_data_message?.length ?? 0) +
  (row.client_name?.length ?? 0) +
  row.tool.length +
  row.tool_id.length +
  row.request_id.length;

/** Those with ids, numbers, words, an address and a code, with what separates all columns. */
const SHORT_COLUMNS = 500;

/** Those that every record has had since the first version of the chain. */
const HASHED_COLUMNS = 23;

/** Distinguishes null from an empty string and from the string "null". */
const mark = (text: string | null): string => (text === null ? '' : `=${text}`);

export const hashRecords = (rows: readonly AuditRecordsTable[]): string =>
  digest(serialiseRecords(rows));

/** The hash of a link, over all its other columns. */
export function hashLink(link: Omit<ChainLink, 'hash'>): string {
  return digest(
    `${link.origin}\0${link.seq}\0${link.kind}\0${link.made_at_ms}\0${link.record_count}\0${link.records_total}\0${link.detail}\0${link.records_hash}\0${link.prev_hash}`,
  );
}

export const isIntact = (link: ChainLink): boolean => hashLink(link) === link.hash;

const digest = (text: string): string => hash('sha256', text, 'base64url');
