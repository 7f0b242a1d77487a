import { type Kysely, sql, type Updateable } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { RegistrationJobsTable, Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import { createSecretStore } from '../../platform/vault/secret-store.ts';
import type { CompiledRegistration } from '../steps/registration-steps.ts';
import { deleteDocuments, insertDocument, openDocument, packDocument } from './documents.ts';
import {
  type Attempt,
  ENDED_COLUMNS,
  ENDED_STATES,
  type JobError,
  type JobRecord,
  parseOrNull,
  toJobRecord,
  updateAttempt,
} from './job-record.ts';
import { type RegisterDeps, registerJob } from './register-job.ts';
import { JOB_RETENTION_MS, JOB_TIME_MS, LEASE_MS } from './registration-bounds.ts';
import { inTransaction, type StoreDeps } from './store-deps.ts';

export type JobStore = ReturnType<typeof createJobStore>;

/**
 * The queue. Every method is one statement or one transaction. Those that take an attempt change nothing and resolve with
 * undefined or false if another process has taken the job since, or it has ended.
 */
export function createJobStore(deps: RegisterDeps) {
  const { db, clock } = deps;
  const update = (attempt: Attempt, values: Updateable<RegistrationJobsTable>) =>
    runQuery(() => updateAttempt(deps, attempt, { updated_at_ms: clock.now(), ...values }));
  const inLease = () => ({ due_at_ms: clock.now() + LEASE_MS });
  return {
    /** Takes the next job that is due, in state `fetching`, and that belongs to none of these tenants. */
    claim: (except: readonly string[] = []) => runQuery(() => claim(db, clock.now(), except)),
    /** Extends the lease. */
    renew: async (attempt: Attempt): Promise<boolean> =>
      (await runQuery(() => updateAttempt(deps, attempt, inLease()))) !== undefined,
    advance: (attempt: Attempt, state: 'validating' | 'converting') =>
      update(attempt, { state, ...inLease() }),
    /** Stores the description that was fetched, for this attempt and later ones. */
    keepDocument: async (attempt: Attempt, document: Uint8Array) => {
      const packed = await packDocument(document);
      return inTransaction(deps, async (inside) => {
        const job = await updateAttempt(inside, attempt, { document_id: packed.id });
        if (job) await insertDocument(inside.db, attempt.tenantId, packed);
        return job;
      });
    },
    /** Undefined if it was deleted. */
    openDocument: (id: string) => openDocument(db, id),
    /** Puts the job into the queue again, to be taken after a pause within the same time limit. */
    pause: (attempt: Attempt, pauseMs: number) =>
      update(attempt, { state: 'queued', due_at_ms: clock.now() + pauseMs }),
    /** Puts the job into the queue again, with all its time: this process stops. */
    release: (attempt: Attempt) =>
      update(attempt, { state: 'queued', due_at_ms: clock.now(), deadline_at_ms: null }),
    end: (attempt: Attempt, ending: Ending) => endJob(deps, attempt, ending),
    register: (job: JobRecord, compiled: CompiledRegistration) => registerJob(deps, job, compiled),
    find: (tenantId: string, id: string) => findJob(db, tenantId, id),
    /** The states of jobs of any tenant, at most a thousand. */
    states: (ids: readonly string[]) =>
      runQuery(() =>
        db.selectFrom('registration_jobs').select(['id', 'state']).where('id', 'in', ids).execute(),
      ),
    /** The newest jobs of all tenants that have not ended. */
    unfinished: (limit: number) =>
      runQuery(() =>
        db
          .selectFrom('registration_jobs')
          .select(['id', 'tenant_id as tenantId', 'state'])
          .where('state', 'not in', ENDED_STATES)
          .orderBy('id', 'desc')
          .limit(limit)
          .execute(),
      ),
    /** Deletes ended jobs after their retention, and returns how many. */
    sweep: async (): Promise<number> => {
      const ended = db
        .deleteFrom('registration_jobs')
        .where('created_at_ms', '<', clock.now() - JOB_RETENTION_MS)
        .where('state', 'in', ENDED_STATES);
      return Number((await runQuery(() => ended.executeTakeFirst())).numDeletedRows);
    },
  };
}

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
    .select(['id', 'state', 'name', 'is_dry_run', 'error'])
    .select(['api_key_id as apiKeyId', 'registration_id as registrationId'])
    .select(['created_at_ms as createdAtMs', 'updated_at_ms as updatedAtMs'])
    .where('tenant_id', '=', tenantId)
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(limit);
  const rows = await runQuery(() => newest.execute());
  return rows.map(({ is_dry_run, error, ...job }) => ({
    ...job,
    isDryRun: is_dry_run === 1,
    error: parseOrNull<JobError>(error),
  }));
}

export interface JobPage {
  readonly before?: string | undefined;
  readonly limit: number;
}

/** How many jobs one call tries that other processes take first. */
const MAX_LOST_RACES = 8;

async function claim(
  db: Kysely<Tables>,
  nowMs: number,
  except: readonly string[],
): Promise<JobRecord | undefined> {
  for (let race = 0; race < MAX_LOST_RACES; race++) {
    // Read first: on SQLite, an update that finds nothing takes the write lock nevertheless.
    const next = await db
      .selectFrom('registration_jobs')
      .select('id')
      .where('place_ms', 'is not', null)
      .where('due_at_ms', '<=', nowMs)
      .$if(except.length > 0, (query) => query.where('tenant_id', 'not in', except))
      .orderBy('place_ms')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (!next) return undefined;
    const row = await take(db, next.id, nowMs);
    if (row) return toJobRecord(row);
  }
  return undefined;
}

/** A job that comes from a pause keeps its time limit; one whose process died starts again. */
const take = (db: Kysely<Tables>, id: string, nowMs: number) =>
  db
    .updateTable('registration_jobs')
    .set((eb) => ({
      state: 'fetching',
      attempt: eb('attempt', '+', 1),
      due_at_ms: nowMs + LEASE_MS,
      deadline_at_ms: sql<number>`case when state = 'queued' and deadline_at_ms is not null
        then deadline_at_ms else ${sql.lit(nowMs + JOB_TIME_MS)} end`,
      updated_at_ms: nowMs,
    }))
    .where('id', '=', id)
    .where('due_at_ms', '<=', nowMs)
    .returningAll()
    .executeTakeFirst();

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
  attempt: Attempt,
  { state, error, origins, report }: Ending,
): Promise<JobRecord | undefined> =>
  inTransaction(deps, async (inside) => {
    const before = await findJob(inside.db, attempt.tenantId, attempt.id);
    const job = await updateAttempt(inside, attempt, {
      ...ENDED_COLUMNS,
      document_id: null,
      state,
      error: error ? JSON.stringify(error) : null,
      origins: origins ? JSON.stringify(origins) : null,
      report: report ? JSON.stringify(report) : null,
      updated_at_ms: deps.clock.now(),
    });
    if (!job) return undefined;
    await createSecretStore(inside).delete(job.tenantId, job.id);
    if (before?.documentId) await deleteDocuments(inside.db, [before.documentId]);
    return job;
  });
