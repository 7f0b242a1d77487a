import type { Insertable, Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { RegistrationJobsTable, Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { isPersonId, newJobId } from '../../platform/kernel/ids.ts';
import type { RegistrationRequest } from '../request/registration-request.ts';
import { assertFree, assertRoom } from './assert-room.ts';
import { insertDocument, type PackedDocument, packDocument } from './documents.ts';
import { ENDED_STATES, type JobRecord, toJobRecord } from './job-record.ts';
import { raiseVersion } from './layers.ts';
import { nameKeyOf } from './names.ts';
import { IDEMPOTENCY_MS, JOB_TIME_MS, MAX_ENDED_JOBS } from './registration-bounds.ts';
import { digestRequest, isSameRequest } from './request-digest.ts';
import { replaceCredentials, type StoreDeps, secretsIn } from './store-deps.ts';

export interface NewJob {
  readonly tenantId: string;
  readonly apiKeyId: string;
  readonly request: RegistrationRequest;
  readonly idempotencyKey?: string | undefined;
}

/** `isNew` is false if the same request was already submitted with the same idempotency key. */
export interface SubmittedJob {
  readonly job: JobRecord;
  readonly isNew: boolean;
}

/**
 * Stores a job in state `queued`, with everything that it needs. Rejects with `conflict` for a name in use or an idempotency
 * key of another request, `rate_limited` and `unprocessable` at the tenant's bounds.
 */
export async function submitJob(deps: StoreDeps, job: NewJob): Promise<SubmittedJob> {
  const idempotencyKey = storedKeyOf(job);
  const submitted = { ...job, idempotencyKey };
  const { request } = submitted;
  const known = await findRepeated(deps, submitted);
  if (known) return known;
  const packed = 'document' in request.source ? await packDocument(request.source.document) : null;
  const digest = idempotencyKey === undefined ? null : await digestRequest(request);
  const inserted = await runQuery(() =>
    deps.db.transaction().execute((db) => insertJob(deps, db, { ...submitted, packed, digest })),
  );
  if (inserted) return { job: inserted, isNew: true };
  // Another request with this idempotency key was first.
  const first = await findRepeated(deps, submitted);
  if (first) return first;
  throw new GatewayError('unavailable');
}

/** An API key has one tenant; a person may have several, and must not find the job of another. */
const storedKeyOf = ({ tenantId, apiKeyId, idempotencyKey }: NewJob): string | undefined =>
  idempotencyKey !== undefined && isPersonId(apiKeyId)
    ? `${tenantId}:${idempotencyKey}`
    : idempotencyKey;

async function findRepeated(deps: StoreDeps, submitted: NewJob): Promise<SubmittedJob | undefined> {
  const { apiKeyId, idempotencyKey, request } = submitted;
  if (idempotencyKey === undefined) return undefined;
  const row = await runQuery(() => findByKey(deps, deps.db, apiKeyId, idempotencyKey));
  if (!row) return undefined;
  if (await isSameRequest(request, row.request_digest ?? '')) {
    return { job: toJobRecord(row), isNew: false };
  }
  throw new GatewayError(
    'conflict',
    'This Idempotency-Key was sent with another request. Use a new key for a new request.',
    { details: { location: `/api/v1/register/${row.id}/status` } },
  );
}

const findByKey = (deps: StoreDeps, db: Kysely<Tables>, apiKeyId: string, key: string) =>
  db
    .selectFrom('registration_jobs')
    .selectAll()
    .where('api_key_id', '=', apiKeyId)
    .where('idempotency_key', '=', key)
    .where('created_at_ms', '>', deps.clock.now() - IDEMPOTENCY_MS)
    .executeTakeFirst();

interface PreparedJob extends NewJob {
  readonly packed: PackedDocument | null;
  readonly digest: string | null;
}

/** Undefined if a job has the same idempotency key. */
async function insertJob(
  deps: StoreDeps,
  db: Kysely<Tables>,
  job: PreparedJob,
): Promise<JobRecord | undefined> {
  const { tenantId, apiKeyId, request, idempotencyKey } = job;
  await raiseVersion(db);
  if (idempotencyKey !== undefined) {
    if (await findByKey(deps, db, apiKeyId, idempotencyKey)) return undefined;
    await forgetKey(db, apiKeyId, idempotencyKey);
  }
  const lastPlaceMs = await assertRoom(db, tenantId);
  const nameKey = nameKeyOf(request.name);
  if (!request.isDryRun) await assertFree(db, tenantId, nameKey);
  if (job.packed) await insertDocument(db, tenantId, job.packed);
  // A tenant's jobs stand a job's time apart: those of others come between them.
  const placeMs = Math.max(deps.clock.now(), lastPlaceMs + JOB_TIME_MS);
  const row = await db
    .insertInto('registration_jobs')
    .values(toRow(job, { nameKey, placeMs, nowMs: deps.clock.now() }))
    .returningAll()
    .executeTakeFirstOrThrow();
  if (!request.isDryRun) {
    const { credentials } = request.authentication;
    await replaceCredentials(secretsIn(db, deps), { tenantId, subjectId: row.id }, credentials);
  }
  await deleteOldest(db, tenantId);
  return toJobRecord(row);
}

/** The key's day is over: it may be used again. */
const forgetKey = (db: Kysely<Tables>, apiKeyId: string, key: string) =>
  db
    .updateTable('registration_jobs')
    .set({ idempotency_key: null })
    .where('api_key_id', '=', apiKeyId)
    .where('idempotency_key', '=', key)
    .execute();

function toRow(
  { tenantId, apiKeyId, request, idempotencyKey, packed, digest }: PreparedJob,
  { nameKey, placeMs, nowMs }: { nameKey: string; placeMs: number; nowMs: number },
): Insertable<RegistrationJobsTable> {
  const { source, authentication, options, confirmedOrigins } = request;
  const url = 'url' in source ? source.url : null;
  const { scheme } = authentication;
  return {
    id: newJobId(),
    tenant_id: tenantId,
    api_key_id: apiKeyId,
    state: 'queued',
    attempt: 0,
    due_at_ms: nowMs,
    place_ms: placeMs,
    name: request.name,
    name_key: nameKey,
    is_dry_run: request.isDryRun ? 1 : 0,
    request: JSON.stringify({ url, scheme, options, confirmedOrigins }),
    document_id: packed?.id ?? null,
    idempotency_key: idempotencyKey ?? null,
    request_digest: digest,
    created_at_ms: nowMs,
    updated_at_ms: nowMs,
  };
}

/**
 * Deletes the tenant's oldest ended jobs beyond the bound. Ids sort by time. A dry run that may still be tried stays until
 * its description was deleted: there are few.
 */
async function deleteOldest(db: Kysely<Tables>, tenantId: string): Promise<void> {
  await db
    .deleteFrom('registration_jobs')
    .where('tenant_id', '=', tenantId)
    .where('state', 'in', ENDED_STATES)
    .where('document_id', 'is', null)
    .where('id', '<', (query) =>
      query
        .selectFrom('registration_jobs')
        .select('id')
        .where('tenant_id', '=', tenantId)
        .where('state', 'in', ENDED_STATES)
        .orderBy('id', 'desc')
        .limit(1)
        .offset(MAX_ENDED_JOBS - 1),
    )
    .execute();
}
