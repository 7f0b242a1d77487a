import type { Selectable, Updateable } from 'kysely';
import type { RegistrationJobsTable } from '../../platform/database/tables.ts';
import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import type { RegistrationOptions } from '../request/registration-request.ts';
import type { NamedOrigins } from '../steps/origins.ts';
import type { StoreDeps } from './store-deps.ts';

export type JobState = RegistrationJobsTable['state'];

/** From these, a job goes nowhere. */
export const ENDED_STATES: readonly JobState[] = [
  'registered',
  'failed',
  'confirmation_required',
  'checked',
];

/** Why a job failed. `code` is one of docs/errors.md. */
export interface JobError {
  readonly code: string;
  readonly message: string;
  /** JSON pointer into the description. */
  readonly pointer?: string;
}

/** The request of a job without the description and without credentials. */
export interface StoredRequest extends NamedOrigins {
  readonly options: RegistrationOptions;
}

export type JobRecord = Readonly<ReturnType<typeof toJobRecord>>;

export const toJobRecord = (row: Selectable<RegistrationJobsTable>) => ({
  id: row.id,
  tenantId: row.tenant_id,
  apiKeyId: row.api_key_id,
  state: row.state,
  name: row.name,
  isDryRun: row.is_dry_run === 1,
  request: requestIn(row.request),
  /** Null until the description was fetched, and after a job that stored nothing. */
  documentId: row.document_id,
  error: parseOrNull<JobError>(row.error),
  /** Where the credential would be sent; empty unless the job ended as `confirmation_required` or `checked`. */
  origins: parseOrNull<readonly string[]>(row.origins) ?? [],
  report: parseOrNull<JsonObject>(row.report),
  registrationId: row.registration_id,
  createdAtMs: row.created_at_ms,
  updatedAtMs: row.updated_at_ms,
});

function requestIn(text: string): StoredRequest {
  const { url: descriptionUrl, ...request } = JSON.parse(text);
  return { ...request, descriptionUrl };
}

export const parseOrNull = <T>(text: string | null): T | null =>
  text === null ? null : JSON.parse(text);

/** What names a job. */
export type JobKey = Pick<JobRecord, 'id' | 'tenantId'>;

/** Changes a job that has not ended; undefined if it has, as when its process was silent for too long. */
export async function updateOpen(
  { db }: Pick<StoreDeps, 'db'>,
  { id }: JobKey,
  values: Updateable<RegistrationJobsTable>,
): Promise<JobRecord | undefined> {
  const row = await db
    .updateTable('registration_jobs')
    .set(values)
    .where('id', '=', id)
    .where('alive_at_ms', 'is not', null)
    .returningAll()
    .executeTakeFirst();
  return row && toJobRecord(row);
}
