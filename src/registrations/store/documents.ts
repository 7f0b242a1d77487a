import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import { type Kysely, sql } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { newDocumentId } from '../../platform/kernel/ids.ts';
import type { DocumentSource } from '../steps/registration-steps.ts';

/** A description as it is stored. */
export interface PackedDocument {
  readonly id: string;
  readonly content: Uint8Array;
}

const deflate = promisify(gzip);
const inflate = promisify(gunzip);

/** Compresses on another thread: SQLite writes on this one, and a description of 20 MiB would block it. */
export async function packDocument(document: Uint8Array): Promise<PackedDocument> {
  const content = await deflate(document, { level: constants.Z_BEST_SPEED });
  return { id: newDocumentId(), content };
}

/** Stores a description. Call it in the transaction that stores its id. */
export const insertDocument = (db: Kysely<Tables>, tenant_id: string, document: PackedDocument) =>
  db
    .insertInto('registration_documents')
    .values({ ...document, tenant_id })
    .execute();

/** Rejects with `internal` for an unknown document. */
export async function readDocument(db: Kysely<Tables>, id: string): Promise<Uint8Array> {
  const document = await findDocument(db, id);
  if (!document) throw new GatewayError('internal');
  return document;
}

/** Descriptions of up to this size compile within a second, even in YAML. */
const MAX_SMALL_BYTES = 512 * 1024;

/** A description that is in memory already. */
export const givenDocument = (document: Uint8Array): DocumentSource => ({
  isLarge: document.length > MAX_SMALL_BYTES,
  read: () => document,
});

/** A stored description; undefined if it was deleted. */
export async function openDocument(
  db: Kysely<Tables>,
  id: string,
): Promise<DocumentSource | undefined> {
  const row = await runQuery(() =>
    db
      .selectFrom('registration_documents')
      // gzip ends with the length of what it holds, in four bytes (RFC 1952, ISIZE).
      .select(sql<Uint8Array>`substr(content, length(content) - 3)`.as('length'))
      .where('id', '=', id)
      .executeTakeFirst(),
  );
  if (!row) return undefined;
  const isLarge = Buffer.from(row.length).readUInt32LE() > MAX_SMALL_BYTES;
  return { isLarge, read: () => readDocument(db, id) };
}

/** Undefined if the document was deleted. */
export async function findDocument(db: Kysely<Tables>, id: string) {
  const documents = db.selectFrom('registration_documents').select('content');
  const row = await runQuery(() => documents.where('id', '=', id).executeTakeFirst());
  return row && inflate(row.content);
}

export async function deleteDocuments(db: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.deleteFrom('registration_documents').where('id', 'in', ids).execute();
}
