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
 * The text of a record that is hashed. NUL separates the columns: no column can contain it, because PostgreSQL cannot
 * store it, so no text can be moved from one column to another. SQLite and PostgreSQL return the same values for every
 * column. A column added later must not change the text of old records. A concatenation would leave an object for each
 * operand behind, twice as many bytes.
 */
export const serialiseRecord = (row: AuditRecordsTable): string =>
  [
    row.audit_id,
    row.timestamp_ms,
    row.tenant_id,
    row.api_key_id,
    row.request_id,
    row.dialect,
    mark(row.client_name),
    row.tool,
    row.tool_id,
    row.arguments,
    row.upstream_method,
    mark(row.upstream_url),
    String(row.upstream_status),
    mark(row.cache_status),
    mark(row.public_data_code),
    mark(row.public_data_message),
    row.outcome,
    mark(row.error_code),
    mark(row.error_message),
    row.duration_ms,
    String(row.upstream_ms),
    row.response_bytes,
    row.client_ip,
    row.cause === null && row.answer === null ? '' : `${mark(row.cause)}\0${mark(row.answer)}\0`,
  ].join('\0');

/** Distinguishes null from an empty string and from the string "null". */
const mark = (text: string | null): string => (text === null ? '' : `=${text}`);

export const hashRecords = (serialised: string): string => digest(serialised);

/** The hash of a link, over all its other columns. */
export function hashLink(link: Omit<ChainLink, 'hash'>): string {
  return digest(
    `${link.origin}\0${link.seq}\0${link.kind}\0${link.made_at_ms}\0${link.record_count}\0${link.records_total}\0${link.detail}\0${link.records_hash}\0${link.prev_hash}`,
  );
}

export const isIntact = (link: ChainLink): boolean => hashLink(link) === link.hash;

const digest = (text: string): string => hash('sha256', text, 'base64url');
