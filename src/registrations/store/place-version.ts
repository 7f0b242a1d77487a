import { isDeepStrictEqual } from 'node:util';
import type { Kysely, Updateable } from 'kysely';
import type { RegistrationsTable, Tables } from '../../platform/database/tables.ts';
import { deleteDocuments, insertDocument } from './documents.ts';
import type { Versions } from './find-registration.ts';
import type { RegistrationRecord, RegistrationVersion } from './registration-record.ts';
import type { StoreDeps } from './store-deps.ts';
import { compiledColumns, insertVersion, keepVersions, type NewVersion } from './versions.ts';

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
  transaction: Kysely<Tables>,
  { current, latest }: Versions,
  { next, isPending }: { readonly next: NewVersion; readonly isPending: boolean },
): Promise<boolean> {
  if (isSameVersion(next, current)) return dropPending(transaction, current);
  if (isPending && isSameVersion(next, latest)) return false;
  const { id, tenantId } = current;
  // Higher than the number of any earlier version, so that a number never names two.
  const version = current.revision + 1;
  await insertVersion(deps, transaction, { tenantId, id, version }, next);
  if (isPending) {
    await setColumns(transaction, id, { pending_version: version });
    await keepVersions(transaction, id, [current.version, version]);
  } else await useVersion(transaction, id, { version, tools: next.tools });
  return true;
}

/** Makes a stored version the current one, and deletes all others. */
export async function useVersion(
  transaction: Kysely<Tables>,
  id: string,
  { version, tools }: Pick<RegistrationRecord, 'version' | 'tools'>,
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
  const { id, tenantId, version } = current;
  if (document) await insertDocument(transaction, tenantId, document);
  await transaction
    .updateTable('registration_versions')
    .set({ document_id: documentId, ...compiledColumns(compiledTools) })
    .where('registration_id', '=', id)
    .where('version', '=', version)
    .execute();
  const hasDropped = await dropPending(transaction, current);
  if (documentId !== current.documentId) await deleteDocuments(transaction, [current.documentId]);
  return hasDropped;
}

/** Whether two versions have the same description, and everything else in common that belongs to a version. */
export const isSameVersion = (one: RegistrationVersion, other: RegistrationVersion): boolean =>
  isDeepStrictEqual(partsOf(one), partsOf(other));

const partsOf = (version: RegistrationVersion) => [
  version.documentId,
  version.sourceUrl,
  version.options,
  version.baseUrl,
  version.origins,
  version.tools,
  new Map(Object.entries(version.descriptions)),
];
