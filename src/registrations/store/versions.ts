import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { CompiledTools } from '../steps/registration-steps.ts';
import { deleteDocuments, insertDocument, type PackedDocument } from './documents.ts';
import type { RegistrationRecord, RegistrationVersion } from './registration-record.ts';
import type { StoreDeps } from './store-deps.ts';

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
export const compiledColumns = (tools: CompiledTools | null) => ({
  compiled: tools?.content ?? null,
  compiled_stamp: tools?.stamp ?? null,
});

/** Stores a version, and its description if that is new. */
export async function insertVersion(
  { clock }: StoreDeps,
  transaction: Kysely<Tables>,
  { tenantId, id, version }: { tenantId: string; id: string; version: number },
  next: NewVersion,
): Promise<void> {
  if (next.document) await insertDocument(transaction, tenantId, next.document);
  await transaction
    .insertInto('registration_versions')
    .values({
      registration_id: id,
      version,
      document_id: next.documentId,
      spec_url: next.sourceUrl,
      options: JSON.stringify(next.options),
      base_url: next.baseUrl,
      origins: JSON.stringify(next.origins),
      tools: JSON.stringify(next.tools),
      descriptions: JSON.stringify(next.descriptions),
      report: next.report,
      ...compiledColumns(next.compiledTools),
      created_at_ms: clock.now(),
    })
    .execute();
}

/** What is stored of a version, to be changed and stored as another one. */
export async function copyVersion(
  db: Kysely<Tables>,
  { id, version, ...record }: RegistrationRecord,
): Promise<NewVersion> {
  const { report, compiled, compiled_stamp } = await db
    .selectFrom('registration_versions')
    .select(['report', 'compiled', 'compiled_stamp'])
    .where('registration_id', '=', id)
    .where('version', '=', version)
    .executeTakeFirstOrThrow();
  const { documentId, sourceUrl, options, baseUrl, origins, tools, descriptions } = record;
  const content = { documentId, sourceUrl, options, baseUrl, origins, tools, descriptions };
  const compiledTools =
    compiled && compiled_stamp ? { stamp: compiled_stamp, content: compiled } : null;
  return { ...content, document: null, report, compiledTools };
}

/** The compiled tools of a version as they are stored; undefined without any of this stamp. */
export async function findCompiledTools(
  db: Kysely<Tables>,
  { id, version }: Pick<RegistrationRecord, 'id' | 'version'>,
  stamp: string,
): Promise<Uint8Array | undefined> {
  const row = await runQuery(() =>
    db
      .selectFrom('registration_versions')
      .select('compiled')
      .where('registration_id', '=', id)
      .where('version', '=', version)
      .where('compiled_stamp', '=', stamp)
      .executeTakeFirst(),
  );
  return row?.compiled ?? undefined;
}

/** Stores what a version was compiled to, in place of what an earlier release did. */
export const keepCompiledTools = (
  db: Kysely<Tables>,
  { id, version, documentId }: Pick<RegistrationRecord, 'id' | 'version' | 'documentId'>,
  tools: CompiledTools,
) =>
  runQuery(() =>
    db
      .updateTable('registration_versions')
      .set(compiledColumns(tools))
      .where('registration_id', '=', id)
      .where('version', '=', version)
      .where('document_id', '=', documentId)
      .execute(),
  );

/** Deletes the versions of a registration but for these, and the descriptions that no version needs any more. */
export async function keepVersions(
  transaction: Kysely<Tables>,
  id: string,
  kept: readonly number[],
): Promise<void> {
  const deleted = await transaction
    .deleteFrom('registration_versions')
    .where('registration_id', '=', id)
    .$if(kept.length > 0, (query) => query.where('version', 'not in', kept))
    .returning('document_id')
    .execute();
  const rest = await transaction
    .selectFrom('registration_versions')
    .select('document_id')
    .where('registration_id', '=', id)
    .execute();
  const used = new Set(rest.map(({ document_id }) => document_id));
  const unused = new Set(deleted.map(({ document_id }) => document_id)).difference(used);
  await deleteDocuments(transaction, [...unused]);
}
