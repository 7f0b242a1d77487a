import { isoTime } from '../platform/kernel/iso-time.ts';
import type { JsonObject } from '../platform/kernel/plain-json.ts';
import type { Refreshed } from './refresh/refresh-registration.ts';
import type { JobError, JobRecord, JobState } from './store/job-record.ts';
import { type RegistrationRecord, toolIdsOf } from './store/registration-record.ts';

/** A job as clients see it (docs/contract.md#registration). */
export interface JobView {
  readonly job_id: string;
  readonly jobId: string;
  readonly status: JobState;
  readonly name: string;
  readonly progress: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly error: JobError | null;
  readonly origins: readonly string[];
  readonly report: JsonObject | null;
  readonly toolIds: readonly string[];
}

/** How far a job is in each state, from 0 to 1. */
export const PROGRESS: Readonly<Record<JobState, number>> = {
  queued: 0,
  fetching: 0.1,
  validating: 0.4,
  converting: 0.8,
  registered: 1,
  failed: 1,
  confirmation_required: 1,
  awaiting_approval: 1,
  checked: 1,
};

/** `registration` is what the job registered; undefined if nothing, or if it was deleted since. */
export const toJobView = (job: JobRecord, registration?: RegistrationRecord): JobView => ({
  job_id: job.id,
  jobId: job.id,
  status: job.state,
  name: job.name,
  progress: PROGRESS[job.state],
  createdAt: isoTime(job.createdAtMs),
  updatedAt: isoTime(job.updatedAtMs),
  error: job.error,
  origins: job.origins,
  report: job.report,
  toolIds: job.state === 'registered' && registration ? toolIdsOf(registration) : [],
});

/** A registration as clients see it: never a credential (docs/contract.md#registration). */
export interface RegistrationView {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly status: RegistrationRecord['status'];
  readonly visibility: RegistrationRecord['visibility'];
  readonly baseUrl: string;
  readonly category: string | null;
  readonly description: string | null;
  readonly auth: { readonly type: string; readonly set: boolean };
  /** Whether a new version waits for the operator's approval. */
  readonly pending: boolean;
  readonly toolIds: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const toRegistrationView = (registration: RegistrationRecord): RegistrationView => ({
  id: registration.id,
  name: registration.name,
  slug: registration.slug,
  status: registration.status,
  visibility: registration.visibility,
  baseUrl: registration.baseUrl,
  category: registration.category,
  description: registration.description,
  auth: { type: registration.scheme.type, set: registration.scheme.type !== 'none' },
  pending: registration.pendingVersion !== null,
  toolIds: toolIdsOf(registration),
  createdAt: isoTime(registration.createdAtMs),
  updatedAt: isoTime(registration.updatedAtMs),
});

/** What a refresh came to, as clients see it (docs/contract.md#registration). */
export interface RefreshView extends Omit<Refreshed, 'registration'> {
  readonly registration: RegistrationView;
}

export const toRefreshView = ({ registration, ...refreshed }: Refreshed): RefreshView => ({
  ...refreshed,
  registration: toRegistrationView(registration),
});
