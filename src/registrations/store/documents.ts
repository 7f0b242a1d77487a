import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import type { Kysely } from 'kysely';
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
export async function insertDocument(
  db: Kysely<Tables>,
  tenantId: string,
  { id, content }: PackedDocument,
): Promise<void> {
  await db
    .insertInto('registration_documents')
    .values({ id, tenant_id: tenantId, content })
    .execute();
}

/** Rejects with `internal` for an unknown document. */
export async function readDocument(db: Kysely<Tables>, id: string): Promise<Uint8Array> {
  const document = await findDocument(db, id);
  if (!document) throw new GatewayError('internal');
  return document;
}

/** Descriptions of up to this size compile within a second, even in YAML. */
const MAX_SMALL_BYTES = 512 * 1024;
/** What remains of a description once it is compressed. */
const PACKED_PART = 1 / 8;

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
      .select(({ fn }) => fn<number>('length', ['content']).as('bytes'))
      .where('id', '=', id)
      .executeTakeFirst(),
  );
  return (
    row && {
      isLarge: row.bytes > MAX_SMALL_BYTES * PACKED_PART,
      read: () => readDocument(db, id),
    }
  );
}

/** Undefined if the document was deleted. */
export async function findDocument(
  db: Kysely<Tables>,
  id: string,
): Promise<Uint8Array | undefined> {
  const row = await runQuery(() =>
    db
      .selectFrom('registration_documents')
      .select('content')
      .where('id', '=', id)
      .executeTakeFirst(),
  );
  return row && inflate(row.content);
}

export async function deleteDocuments(db: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.deleteFrom('registration_documents').where('id', 'in', ids).execute();
}
