import { isDeepStrictEqual } from 'node:util';
import type { Kysely, Updateable } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { RegistrationsTable, Tables } from '../../platform/database/tables.ts';
import type { CompiledTools } from '../steps/registration-steps.ts';
import { deleteDocuments, insertDocument, type PackedDocument } from './documents.ts';
import {
  type RegistrationRecord,
  type RegistrationVersion,
  VERSION_PARTS,
  type Versions,
} from './registration-record.ts';
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

/** Names a stored version. */
type VersionKey = Pick<RegistrationRecord, 'id' | 'version'>;

const selectVersion = (db: Kysely<Tables>, { id, version }: VersionKey) =>
  db
    .selectFrom('registration_versions')
    .where('registration_id', '=', id)
    .where('version', '=', version);

const updateVersion = (db: Kysely<Tables>, { id, version }: VersionKey) =>
  db
    .updateTable('registration_versions')
    .where('registration_id', '=', id)
    .where('version', '=', version);

/** The columns of compiled tools. */
const compiledColumns = (tools: CompiledTools | null) => ({
  compiled: tools?.content ?? null,
  compiled_stamp: tools?.stamp ?? null,
});

/** Stores a version, and its description if that is new. */
export async function insertVersion(
  { db, clock }: StoreDeps,
  { tenantId, id, version }: VersionKey & Pick<RegistrationRecord, 'tenantId'>,
  next: NewVersion,
): Promise<void> {
  if (next.document) await insertDocument(db, tenantId, next.document);
  await db
    .insertInto('registration_versions')
    .values({
      registration_id: id,
      version,
      document_id: next.documentId,
      spec_url: next.descriptionUrl,
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
  record: RegistrationRecord,
): Promise<NewVersion> {
  const { report, compiled, compiled_stamp } = await selectVersion(db, record)
    .select(['report', 'compiled', 'compiled_stamp'])
    .executeTakeFirstOrThrow();
  const compiledTools =
    compiled && compiled_stamp ? { stamp: compiled_stamp, content: compiled } : null;
  return { ...record, document: null, report, compiledTools };
}

/** The compiled tools of a version as they are stored; undefined without any of this stamp. */
export async function findCompiledTools(
  db: Kysely<Tables>,
  key: VersionKey,
  stamp: string,
): Promise<Uint8Array | undefined> {
  const stored = selectVersion(db, key).where('compiled_stamp', '=', stamp).select('compiled');
  return (await runQuery(() => stored.executeTakeFirst()))?.compiled ?? undefined;
}

/** Stores what a version was compiled to, in place of what an earlier release did. */
export const keepCompiledTools = (
  db: Kysely<Tables>,
  record: VersionKey & Pick<RegistrationRecord, 'documentId'>,
  tools: CompiledTools,
) =>
  runQuery(() =>
    updateVersion(db, record)
      .set(compiledColumns(tools))
      .where('document_id', '=', record.documentId)
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

/** Sets columns of a registration. */
export const setColumns = (
  transaction: Kysely<Tables>,
  id: string,
  values: Updateable<RegistrationsTable>,
) => transaction.updateTable('registrations').set(values).where('id', '=', id).execute();

/**
 * Stores a version as the current one, or as pending. Either replaces a version that was pending before. What equals a
 * stored version is not stored again. Returns whether anything changed.
 */
export async function placeVersion(
  deps: StoreDeps,
  { current, latest }: Versions,
  next: NewVersion,
  isPending: boolean,
): Promise<boolean> {
  if (isSameVersion(next, current)) return dropPending(deps.db, current);
  if (isPending && isSameVersion(next, latest)) return false;
  const { id, tenantId } = current;
  // Higher than the number of any earlier version, so that a number never names two.
  const version = current.revision + 1;
  await insertVersion(deps, { tenantId, id, version }, next);
  if (isPending) {
    await setColumns(deps.db, id, { pending_version: version });
    await keepVersions(deps.db, id, [current.version, version]);
  } else await useVersion(deps.db, { id, version, tools: next.tools });
  return true;
}

/** Makes a stored version the current one, and deletes all others. */
export async function useVersion(
  transaction: Kysely<Tables>,
  { id, version, tools }: VersionKey & Pick<RegistrationRecord, 'tools'>,
): Promise<void> {
  const values = { version, pending_version: null, tool_count: tools.length };
  await setColumns(transaction, id, values);
  await keepVersions(transaction, id, [version]);
}

/** Deletes the version that waits for approval. Returns whether one did. */
export async function dropPending(
  transaction: Kysely<Tables>,
  { id, version, pendingVersion }: RegistrationRecord,
): Promise<boolean> {
  if (pendingVersion === null) return false;
  await setColumns(transaction, id, { pending_version: null });
  await keepVersions(transaction, id, [version]);
  return true;
}

/**
 * Takes a description that gives the same tools into the current version, in place of the stored one. The version keeps its
 * number: otherwise, every process would compile it again for nothing. Returns whether a pending version was deleted.
 */
export async function replaceDocument(
  transaction: Kysely<Tables>,
  current: RegistrationRecord,
  { document, documentId, compiledTools }: NewVersion,
): Promise<boolean> {
  if (document) await insertDocument(transaction, current.tenantId, document);
  await updateVersion(transaction, current)
    .set({ document_id: documentId, ...compiledColumns(compiledTools) })
    .execute();
  const hasDropped = await dropPending(transaction, current);
  if (documentId !== current.documentId) await deleteDocuments(transaction, [current.documentId]);
  return hasDropped;
}

/** Whether two versions have the same description, and everything else in common that belongs to a version. */
export const isSameVersion = (one: RegistrationVersion, other: RegistrationVersion): boolean =>
  VERSION_PARTS.every((part) => isDeepStrictEqual(one[part], other[part]));
