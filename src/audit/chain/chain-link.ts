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
 * column. A column added later must not change the text of old records. One expression costs a sixth of a loop over the
 * columns, and every call pays it.
 */
export const serialiseRecord = (row: AuditRecordsTable): string =>
  `${row.audit_id}\0${row.timestamp_ms}\0${row.tenant_id}\0${row.api_key_id}\0${row.request_id}\0${row.dialect}\0${mark(row.client_name)}\0${row.tool}\0${row.tool_id}\0${row.arguments}\0${row.upstream_method}\0${mark(row.upstream_url)}\0${row.upstream_status}\0${mark(row.cache_status)}${serialiseEnd(row)}${row.duration_ms}\0${row.upstream_ms}\0${row.response_bytes}\0${row.client_ip}\0${row.cause === null && row.answer === null ? '' : `${mark(row.cause)}\0${mark(row.answer)}\0`}`;

/** The columns that are the same for most calls. Each operand of a concatenation costs an object. */
const serialiseEnd = (row: AuditRecordsTable): string =>
  row.public_data_code === null && row.error_code === null && row.outcome === 'ok'
    ? '\0\0\0ok\0\0\0'
    : `\0${mark(row.public_data_code)}\0${mark(row.public_data_message)}\0${row.outcome}\0${mark(row.error_code)}\0${mark(row.error_message)}\0`;

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
