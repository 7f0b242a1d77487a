import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import { createSecretStore } from '../../platform/vault/secret-store.ts';
import type { CompiledRegistration } from '../steps/registration-steps.ts';
import { deleteDocuments, insertDocument, openDocument, packDocument } from './documents.ts';
import {
  type JobError,
  type JobKey,
  type JobRecord,
  parseOrNull,
  toJobRecord,
  updateOpen,
} from './job-record.ts';
import { type RegisterDeps, registerJob } from './register-job.ts';
import { JOB_RETENTION_MS, MAX_JOB_SILENCE_MS } from './registration-bounds.ts';
import { inTransaction, type StoreDeps } from './store-deps.ts';

export type JobStore = ReturnType<typeof createJobStore>;

/** Jobs in the database. A change of a job that has ended changes nothing and resolves with undefined. */
export function createJobStore(deps: RegisterDeps) {
  const { db, clock } = deps;
  return {
    advance: (job: JobKey, state: 'fetching' | 'validating' | 'converting') =>
      runQuery(() => updateOpen(deps, job, { state, updated_at_ms: clock.now() })),
    /** Stores the description that was fetched, so that it takes no memory while the job waits for a thread. */
    keepDocument: async (job: JobKey, document: Uint8Array) => {
      const packed = await packDocument(document);
      return inTransaction(deps, async (inside) => {
        const kept = await updateOpen(inside, job, { document_id: packed.id });
        if (kept) await insertDocument(inside.db, job.tenantId, packed);
        return kept;
      });
    },
    /** Undefined if it was deleted. */
    openDocument: (id: string) => openDocument(db, id),
    end: (job: JobKey, ending: Ending) => endJob(deps, job, ending),
    register: (job: JobRecord, compiled: CompiledRegistration) => registerJob(deps, job, compiled),
    /** Notes that the process of these jobs, at most a thousand and some, runs. */
    keepAlive: async (ids: readonly string[]): Promise<void> => {
      if (ids.length === 0) return;
      const open = db.updateTable('registration_jobs').where('alive_at_ms', 'is not', null);
      const alive = open.set({ alive_at_ms: clock.now() }).where('id', 'in', ids);
      await runQuery(() => alive.execute());
    },
    /** Jobs of any tenant whose process has given no sign of life, as far as the clock of this one is right. */
    silent: () =>
      runQuery(() =>
        db
          .selectFrom('registration_jobs')
          .select(['id', 'tenant_id as tenantId', 'alive_at_ms as aliveAtMs'])
          .where('alive_at_ms', '<', clock.now() - MAX_JOB_SILENCE_MS)
          .limit(MAX_SILENT)
          .execute(),
      ),
    /** Deletes ended jobs after their retention, and returns how many. */
    sweep: async (): Promise<number> => {
      const ended = db
        .deleteFrom('registration_jobs')
        .where('created_at_ms', '<', clock.now() - JOB_RETENTION_MS)
        .where('alive_at_ms', 'is', null);
      return Number((await runQuery(() => ended.executeTakeFirst())).numDeletedRows);
    },
  };
}

/** Jobs that are found at once. */
const MAX_SILENT = 100;

/** A job of the tenant; undefined for another tenant's. */
export async function findJob(db: Kysely<Tables>, tenantId: string, id: string) {
  const jobs = db.selectFrom('registration_jobs').selectAll().where('tenant_id', '=', tenantId);
  const row = await runQuery(() => jobs.where('id', '=', id).executeTakeFirst());
  return row && toJobRecord(row);
}

/** As `findJob`. Rejects with `not_found`. */
export async function requireJob(db: Kysely<Tables>, tenantId: string, id: string) {
  const job = await findJob(db, tenantId, id);
  if (job) return job;
  throw new GatewayError('not_found', 'There is no registration job with this id.');
}

/** A page of a tenant's jobs, newest first, those before an id; without their reports, which may be large. */
export async function listJobs(db: Kysely<Tables>, tenantId: string, { before, limit }: JobPage) {
  const newest = db
    .selectFrom('registration_jobs')
    .select(['id', 'state', 'name', 'error', 'origins', 'registration_id as registrationId'])
    .select(['created_at_ms as createdAtMs', 'updated_at_ms as updatedAtMs'])
    .where('tenant_id', '=', tenantId)
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(limit);
  const rows = await runQuery(() => newest.execute());
  return rows.map(({ error, origins, ...job }) => ({
    ...job,
    error: parseOrNull<JobError>(error),
    origins: parseOrNull<readonly string[]>(origins) ?? [],
  }));
}

export interface JobPage {
  readonly before?: string | undefined;
  readonly limit: number;
}

/** How a job ends that registers nothing. */
export interface Ending {
  readonly state: 'failed' | 'confirmation_required' | 'checked';
  readonly error?: JobError;
  readonly origins?: readonly string[];
  readonly report?: JsonObject;
}

/** Ends a job that registers nothing, and deletes its credentials and its description. */
const endJob = (
  deps: StoreDeps,
  job: JobKey,
  { state, error, origins, report }: Ending,
): Promise<JobRecord | undefined> =>
  inTransaction(deps, async (inside) => {
    const before = await findJob(inside.db, job.tenantId, job.id);
    const ended = await updateOpen(inside, job, {
      alive_at_ms: null,
      document_id: null,
      state,
      error: error ? JSON.stringify(error) : null,
      origins: origins ? JSON.stringify(origins) : null,
      report: report ? JSON.stringify(report) : null,
      updated_at_ms: deps.clock.now(),
    });
    if (!ended) return undefined;
    await createSecretStore(inside).delete(job.tenantId, job.id);
    if (before?.documentId) await deleteDocuments(inside.db, [before.documentId]);
    return ended;
  });
