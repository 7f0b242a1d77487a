import { type Kysely, sql, type Updateable } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { RegistrationJobsTable, Tables } from '../../platform/database/tables.ts';
import { insertDocument, packDocument } from './documents.ts';
import { sweepTrials } from './dry-run-descriptions.ts';
import { ENDED_STATES, type JobRecord, toJobRecord } from './job-record.ts';
import { JOB_RETENTION_MS, JOB_TIME_MS, LEASE_MS } from './registration-bounds.ts';
import type { StoreDeps } from './store-deps.ts';

/** One attempt of one process at a job. */
export type Attempt = Pick<JobRecord, 'id' | 'tenantId' | 'attempt'>;

/**
 * The queue. Every method is one statement or one transaction. Those that take an attempt change nothing and resolve with
 * undefined or false if another process has taken the job since, or it has ended.
 */
export interface JobStore {
  /** Takes the next job that is due, in state `fetching`, and that belongs to none of these tenants. */
  claim(except?: readonly string[]): Promise<JobRecord | undefined>;
  /** Extends the lease. */
  renew(attempt: Attempt): Promise<boolean>;
  advance(attempt: Attempt, state: 'validating' | 'converting'): Promise<JobRecord | undefined>;
  /** Stores the description that was fetched, for this attempt and later ones. */
  keepDocument(attempt: Attempt, document: Uint8Array): Promise<JobRecord | undefined>;
  /** Puts the job into the queue again, to be taken after a pause within the same time limit. */
  pause(attempt: Attempt, pauseMs: number): Promise<JobRecord | undefined>;
  /** Puts the job into the queue again, with all its time: this process stops. */
  release(attempt: Attempt): Promise<JobRecord | undefined>;
  /** A job of the tenant; undefined for another tenant's. */
  find(tenantId: string, id: string): Promise<JobRecord | undefined>;
  /** The states of jobs of any tenant, at most a thousand. */
  states(ids: readonly string[]): Promise<readonly Pick<JobRecord, 'id' | 'state'>[]>;
  /** The newest jobs of all tenants that have not ended. */
  unfinished(limit: number): Promise<readonly Pick<JobRecord, 'id' | 'tenantId' | 'state'>[]>;
  /** Deletes ended jobs after their retention, and returns how many; and the descriptions of old dry runs. */
  sweep(): Promise<number>;
}

export function createJobStore(deps: StoreDeps): JobStore {
  const { db, clock } = deps;
  const update = (attempt: Attempt, values: Updateable<RegistrationJobsTable>) =>
    runQuery(() => updateAttempt(db, attempt, { updated_at_ms: clock.now(), ...values }));
  const queued = { state: 'queued' } as const;
  return {
    claim: (except = []) => runQuery(() => claim(db, clock.now(), except)),
    renew: async (attempt) =>
      (await runQuery(() => updateAttempt(db, attempt, { due_at_ms: clock.now() + LEASE_MS }))) !==
      undefined,
    advance: (attempt, state) => update(attempt, { state, due_at_ms: clock.now() + LEASE_MS }),
    keepDocument: async (attempt, document) => {
      const packed = await packDocument(document);
      return runQuery(() =>
        db.transaction().execute(async (transaction) => {
          const job = await updateAttempt(transaction, attempt, { document_id: packed.id });
          if (job) await insertDocument(transaction, attempt.tenantId, packed);
          return job;
        }),
      );
    },
    pause: (attempt, pauseMs) => update(attempt, { ...queued, due_at_ms: clock.now() + pauseMs }),
    release: (attempt) =>
      update(attempt, { ...queued, due_at_ms: clock.now(), deadline_at_ms: null }),
    find: async (tenantId, id) => {
      const row = await runQuery(() =>
        db
          .selectFrom('registration_jobs')
          .selectAll()
          .where('id', '=', id)
          .where('tenant_id', '=', tenantId)
          .executeTakeFirst(),
      );
      return row && toJobRecord(row);
    },
    states: (ids) =>
      runQuery(() =>
        db.selectFrom('registration_jobs').select(['id', 'state']).where('id', 'in', ids).execute(),
      ),
    unfinished: (limit) =>
      runQuery(() =>
        db
          .selectFrom('registration_jobs')
          .select(['id', 'tenant_id as tenantId', 'state'])
          .where('state', 'not in', ENDED_STATES)
          .orderBy('id', 'desc')
          .limit(limit)
          .execute(),
      ),
    sweep: () =>
      runQuery(() =>
        db.transaction().execute(async (transaction) => {
          await sweepTrials(transaction, clock.now());
          const { numDeletedRows } = await transaction
            .deleteFrom('registration_jobs')
            .where('created_at_ms', '<', clock.now() - JOB_RETENTION_MS)
            .where('state', 'in', ENDED_STATES)
            .where('document_id', 'is', null)
            .executeTakeFirst();
          return Number(numDeletedRows);
        }),
      ),
  };
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

/** Changes a job that has not ended, on behalf of the attempt that has it. */
export async function updateAttempt(
  db: Kysely<Tables>,
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
