import type { Kysely } from 'kysely';
import { runQuery } from '../platform/database/database-error.ts';
import type { Tables } from '../platform/database/tables.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import type { ApiReport } from '../tools/report/create-report.ts';
import {
  type JobDetails,
  type JobSummary,
  type RegistrationDetails,
  toJobDetails,
  toJobSummary,
  toRegistrationDetails,
} from './person-views.ts';
import { findVersions } from './store/find-registration.ts';
import { createJobStore } from './store/job-store.ts';
import { type JobPage, listJobs } from './store/list-jobs.ts';
import { readHistory } from './store/registration-history.ts';
import type { StoreDeps } from './store/store-deps.ts';
import { copyVersion } from './store/versions.ts';

/** What people see of a tenant's jobs and registrations. Another tenant's is `not_found`. */
export interface PersonQueries {
  /** Newest first, also those that failed. */
  jobs(tenantId: string, page: JobPage): Promise<Page<JobSummary>>;
  job(tenantId: string, id: string): Promise<JobDetails>;
  registration(tenantId: string, id: string): Promise<RegistrationDetails>;
  /** The report on the latest version. */
  report(tenantId: string, id: string): Promise<ApiReport>;
}

export interface Page<Entry> {
  readonly entries: readonly Entry[];
  /** Id of the last entry; null on the last page. */
  readonly nextCursor: string | null;
}

export function createPersonQueries(deps: StoreDeps): PersonQueries {
  const { db } = deps;
  const store = createJobStore(deps);
  return {
    jobs: async (tenantId, { before, limit }) => {
      const found = await listJobs(db, tenantId, { before, limit: limit + 1 });
      const page = found.slice(0, limit).map(toJobSummary);
      return { entries: page, nextCursor: found.length > limit ? (page.at(-1)?.id ?? null) : null };
    },
    job: async (tenantId, id) => {
      const job = await store.find(tenantId, id);
      if (job) return toJobDetails(job);
      throw new GatewayError('not_found', 'There is no registration job with this id.');
    },
    registration: async (tenantId, id) => {
      const { current, latest } = await find(db, tenantId, id);
      return toRegistrationDetails(current, latest, await readHistory(db, tenantId, id));
    },
    report: async (tenantId, id) => {
      const { latest } = await find(db, tenantId, id);
      const { report } = await runQuery(() => copyVersion(db, latest));
      return JSON.parse(report) as ApiReport;
    },
  };
}

const find = (db: Kysely<Tables>, tenantId: string, id: string) =>
  runQuery(() => findVersions(db, { id, tenantId }));
