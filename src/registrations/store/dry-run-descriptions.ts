import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import { deleteDocuments } from './documents.ts';
import type { JobRecord } from './job-record.ts';
import { MAX_TRIALS, TRIAL_MS } from './registration-bounds.ts';

type Described = Pick<JobRecord, 'id' | 'documentId'>;

/** Deletes the descriptions of jobs that have ended. The jobs stay. */
export async function dropDescriptions(
  db: Kysely<Tables>,
  jobs: readonly Described[],
): Promise<void> {
  const described = jobs.filter(({ documentId }) => documentId !== null);
  if (described.length === 0) return;
  await db
    .updateTable('registration_jobs')
    .set({ document_id: null })
    .where(
      'id',
      'in',
      described.map(({ id }) => id),
    )
    .execute();
  await deleteDocuments(
    db,
    described.flatMap(({ documentId }) => documentId ?? []),
  );
}

/** The tenant's dry runs beyond the bound that still have a description. */
export async function selectOldTrials(
  db: Kysely<Tables>,
  tenantId: string,
): Promise<readonly Described[]> {
  const kept = await selectTrials(db)
    .where('tenant_id', '=', tenantId)
    .orderBy('id', 'desc')
    .execute();
  return kept.slice(MAX_TRIALS);
}

/** Deletes the descriptions of all tenants' dry runs that are too old to be tried. */
export async function sweepTrials(db: Kysely<Tables>, nowMs: number): Promise<void> {
  const old = await selectTrials(db)
    .where('updated_at_ms', '<', nowMs - TRIAL_MS)
    .execute();
  await dropDescriptions(db, old);
}

const selectTrials = (db: Kysely<Tables>) =>
  db
    .selectFrom('registration_jobs')
    .select(['id', 'document_id as documentId'])
    .where('state', '=', 'checked')
    .where('document_id', 'is not', null);
