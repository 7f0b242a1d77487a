import type { Selectable, Updateable } from 'kysely';
import type { RegistrationJobsTable } from '../../platform/database/tables.ts';
import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import type { RegistrationOptions } from '../request/registration-request.ts';
import type { NamedOrigins } from '../steps/origins.ts';
import type { StoreDeps } from './store-deps.ts';

export type JobState = RegistrationJobsTable['state'];

/** The states of a job that has not ended, in their order. */
export const OPEN_STATES: readonly JobState[] = ['queued', 'fetching', 'validating', 'converting'];

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
  attempt: row.attempt,
  deadlineAtMs: row.deadline_at_ms,
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

/** One attempt of one process at a job. */
export type Attempt = Pick<JobRecord, 'id' | 'tenantId' | 'attempt'>;

/**
 * Changes a job that has not ended, on behalf of the attempt that has it. Undefined if another process has taken it since, or
 * it has ended.
 */
export async function updateAttempt(
  { db }: Pick<StoreDeps, 'db'>,
  { id, attempt }: Attempt,
  values: Updateable<RegistrationJobsTable>,
): Promise<JobRecord | undefined> {
  const row = await db
    .updateTable('registration_jobs')
    .set(values)
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .where('place_ms', 'is not', null)
    .returningAll()
    .executeTakeFirst();
  return row && toJobRecord(row);
}

/** The columns of a job that has ended: no process takes it again. */
export const ENDED_COLUMNS = { due_at_ms: null, place_ms: null, deadline_at_ms: null } as const;
