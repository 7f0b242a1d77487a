import type { Selectable } from 'kysely';
import type { RegistrationJobsTable } from '../../platform/database/tables.ts';
import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import type { RegistrationOptions } from '../request/registration-request.ts';
import type { NamedOrigins } from '../steps/origins.ts';

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

export interface JobRecord {
  readonly id: string;
  readonly tenantId: string;
  readonly apiKeyId: string;
  readonly state: JobState;
  readonly attempt: number;
  readonly deadlineAtMs: number | null;
  readonly name: string;
  readonly isDryRun: boolean;
  readonly request: StoredRequest;
  /** Null until the description was fetched, and after a job that stored nothing. */
  readonly documentId: string | null;
  readonly error: JobError | null;
  /** Where the credential would be sent; empty unless the job ended as `confirmation_required` or `checked`. */
  readonly origins: readonly string[];
  readonly report: JsonObject | null;
  readonly registrationId: string | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export function toJobRecord(row: Selectable<RegistrationJobsTable>): JobRecord {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    apiKeyId: row.api_key_id,
    state: row.state,
    attempt: row.attempt,
    deadlineAtMs: row.deadline_at_ms,
    name: row.name,
    isDryRun: row.is_dry_run === 1,
    request: JSON.parse(row.request),
    documentId: row.document_id,
    error: row.error === null ? null : JSON.parse(row.error),
    origins: row.origins === null ? [] : JSON.parse(row.origins),
    report: row.report === null ? null : JSON.parse(row.report),
    registrationId: row.registration_id,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  };
}
