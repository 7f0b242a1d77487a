import { isDeepStrictEqual } from 'node:util';
import type { Kysely, Updateable } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { RegistrationsTable, Tables } from '../../platform/database/tables.ts';
import type { ApiReport } from '../../tools/report/create-report.ts';
import type { CompiledTools } from '../steps/registration-steps.ts';
import { deleteDocuments, insertDocument, type PackedDocument } from './documents.ts';
import { forgetFoundRows } from './found-rows.ts';
import {
  type RegistrationRecord,
  type RegistrationVersion,
  VERSION_PARTS,
} from './registration-record.ts';

/** A version that is to be stored. */
export interface NewVersion extends RegistrationVersion {
  /** The description with the id `documentId`; null if it is stored already. */
  readonly document: PackedDocument | null;
  /** JSON object: the report as clients see it. */
  readonly report: string;
  /** Null if they are not stored. */
  readonly compiledTools: CompiledTools | null;
}

/** The columns of compiled tools. */
const compiledColumns = (tools: CompiledTools | null) => ({
  compiled: tools?.content ?? null,
  compiled_stamp: tools?.stamp ?? null,
});

/** The columns of a version. */
export const versionColumns = (version: NewVersion) => ({
  document_id: version.documentId,
  spec_url: version.descriptionUrl,
  options: JSON.stringify(version.options),
  base_url: version.baseUrl,
  origins: JSON.stringify(version.origins),
  tools: JSON.stringify(version.tools),
  descriptions: JSON.stringify(version.descriptions),
  report: version.report,
  ...compiledColumns(version.compiledTools),
});

/** Sets columns of a registration. */
export const setColumns = (
  transaction: Kysely<Tables>,
  id: string,
  values: Updateable<RegistrationsTable>,
) => transaction.updateTable('registrations').set(values).where('id', '=', id).execute();

/** Stores a version in place of the one in use. Call it in a transaction. */
export async function replaceVersion(
  transaction: Kysely<Tables>,
  current: RegistrationRecord,
  next: NewVersion,
): Promise<void> {
  await replaceColumns(transaction, current, next, versionColumns(next));
  const names = next.tools.map(({ name }) => name);
  await forgetFoundRows(transaction, current.id, names);
}

/**
 * Takes a description that gives the same tools, in place of the stored one. The registration keeps its revision: otherwise,
 * every process would load it again for nothing.
 */
export const replaceDocument = (
  transaction: Kysely<Tables>,
  current: RegistrationRecord,
  next: NewVersion,
) =>
  replaceColumns(transaction, current, next, {
    document_id: next.documentId,
    ...compiledColumns(next.compiledTools),
  });

async function replaceColumns(
  transaction: Kysely<Tables>,
  { id, tenantId, documentId }: RegistrationRecord,
  { document, documentId: nextId }: NewVersion,
  columns: Updateable<RegistrationsTable>,
): Promise<void> {
  if (document) await insertDocument(transaction, tenantId, document);
  await setColumns(transaction, id, columns);
  if (nextId !== documentId) await deleteDocuments(transaction, [documentId]);
}

/** Whether two versions have the same description, and everything else in common that belongs to a version. */
export const isSameVersion = (one: RegistrationVersion, other: RegistrationVersion): boolean =>
  VERSION_PARTS.every((part) => isDeepStrictEqual(one[part], other[part]));

/** The report on the description, as the release that compiled it made it. */
export async function readReport(
  db: Kysely<Tables>,
  { id }: Pick<RegistrationRecord, 'id'>,
): Promise<ApiReport> {
  const stored = db.selectFrom('registrations').select('report').where('id', '=', id);
  const { report } = await runQuery(() => stored.executeTakeFirstOrThrow());
  return JSON.parse(report);
}

/** The compiled tools of a registration as they are stored; undefined without any of this stamp. */
export async function findCompiledTools(
  db: Kysely<Tables>,
  { id, revision }: Pick<RegistrationRecord, 'id' | 'revision'>,
  stamp: string,
): Promise<Uint8Array | undefined> {
  const stored = db
    .selectFrom('registrations')
    .select('compiled')
    .where('id', '=', id)
    .where('revision', '=', revision)
    .where('compiled_stamp', '=', stamp);
  return (await runQuery(() => stored.executeTakeFirst()))?.compiled ?? undefined;
}

/** Stores what a description was compiled to, in place of what an earlier release did. */
export const keepCompiledTools = (
  db: Kysely<Tables>,
  { id, documentId }: Pick<RegistrationRecord, 'id' | 'documentId'>,
  tools: CompiledTools,
) =>
  runQuery(() =>
    db
      .updateTable('registrations')
      .set(compiledColumns(tools))
      .where('id', '=', id)
      .where('document_id', '=', documentId)
      .execute(),
  );
