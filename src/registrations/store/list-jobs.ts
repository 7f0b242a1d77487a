import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { JobError, JobRecord } from './job-record.ts';

/** A job without its report, which may be large. */
export type ListedJob = Pick<
  JobRecord,
  | 'id'
  | 'state'
  | 'name'
  | 'isDryRun'
  | 'apiKeyId'
  | 'error'
  | 'documentId'
  | 'registrationId'
  | 'createdAtMs'
  | 'updatedAtMs'
>;

/** At most `limit` jobs, those before an id. */
export interface JobPage {
  readonly before?: string | undefined;
  readonly limit: number;
}

/** A page of a tenant's jobs, newest first. */
export async function listJobs(
  db: Kysely<Tables>,
  tenantId: string,
  { before, limit }: JobPage,
): Promise<readonly ListedJob[]> {
  const newest = db
    .selectFrom('registration_jobs')
    .select([
      'id',
      'state',
      'name',
      'is_dry_run as isDryRun',
      'api_key_id as apiKeyId',
      'error',
      'document_id as documentId',
      'registration_id as registrationId',
      'created_at_ms as createdAtMs',
      'updated_at_ms as updatedAtMs',
    ])
    .where('tenant_id', '=', tenantId)
    .orderBy('id', 'desc')
    .limit(limit);
  const rows = await runQuery(() =>
    (before === undefined ? newest : newest.where('id', '<', before)).execute(),
  );
  return rows.map((row) => ({
    ...row,
    isDryRun: row.isDryRun === 1,
    error: row.error === null ? null : (JSON.parse(row.error) as JobError),
  }));
}
