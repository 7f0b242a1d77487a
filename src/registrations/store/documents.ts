import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import { type Kysely, sql } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { newDocumentId } from '../../platform/kernel/ids.ts';
import type { DocumentSource } from '../steps/registration-steps.ts';
import type { JobRecord } from './job-record.ts';
import { MAX_TRIALS, TRIAL_MS } from './registration-bounds.ts';

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

/** Deletes the descriptions of jobs that have ended. The jobs stay. */
export async function dropDescriptions(
  db: Kysely<Tables>,
  jobs: readonly Pick<JobRecord, 'id' | 'documentId'>[],
): Promise<void> {
  if (jobs.length === 0) return;
  const ids = jobs.map(({ id }) => id);
  const jobsOf = db.updateTable('registration_jobs').where('id', 'in', ids);
  await jobsOf.set({ document_id: null }).execute();
  await deleteDocuments(
    db,
    jobs.flatMap(({ documentId }) => documentId ?? []),
  );
}

/** The tenant's dry runs beyond the bound that still have a description. */
export async function selectOldTrials(db: Kysely<Tables>, tenantId: string) {
  const mine = selectTrials(db).where('tenant_id', '=', tenantId);
  return (await mine.orderBy('id', 'desc').execute()).slice(MAX_TRIALS);
}

/** Deletes the descriptions of all tenants' dry runs that are too old to be tried. */
export async function sweepTrials(db: Kysely<Tables>, nowMs: number): Promise<void> {
  const old = selectTrials(db).where('updated_at_ms', '<', nowMs - TRIAL_MS);
  await dropDescriptions(db, await old.execute());
}

const selectTrials = (db: Kysely<Tables>) =>
  db
    .selectFrom('registration_jobs')
    .select(['id', 'document_id as documentId'])
    .where('state', '=', 'checked')
    .where('document_id', 'is not', null);
