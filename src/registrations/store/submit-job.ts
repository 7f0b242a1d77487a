import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Insertable, Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { RegistrationJobsTable, Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { isPersonId, newJobId } from '../../platform/kernel/ids.ts';
import {
  type DescriptionSource,
  mayChooseOrigin,
  type RegistrationRequest,
} from '../request/registration-request.ts';
import { assertFree, assertRoom } from './assert-room.ts';
import { findDocument, insertDocument, type PackedDocument, packDocument } from './documents.ts';
import { ENDED_STATES, type JobRecord, toJobRecord } from './job-record.ts';
import { raiseVersion } from './layers.ts';
import { nameKeyOf } from './names.ts';
import { deleteProposal, findProposal } from './proposal-store.ts';
import { IDEMPOTENCY_MS, JOB_TIME_MS, MAX_ENDED_JOBS } from './registration-bounds.ts';
import { inTransaction, replaceCredentials, type StoreDeps } from './store-deps.ts';

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
  const submitted = { ...job, idempotencyKey: storedKeyOf(job) };
  const { request, idempotencyKey } = submitted;
  const known = await findRepeated(deps, submitted);
  if (known) return known;
  const digest = idempotencyKey === undefined ? null : await digestRequest(request);
  const taken = await takeSource(deps, submitted).catch(async (error: unknown) => {
    // Another request with this idempotency key may have registered the proposal meanwhile.
    const first = await findRepeated(deps, submitted);
    if (first) return first;
    throw error;
  });
  if ('job' in taken) return taken;
  const { descriptionUrl, document, knownHosts } = taken;
  const packed = document && (await packDocument(document));
  const prepared = { ...submitted, descriptionUrl, knownHosts, packed, digest };
  const inserted = await inTransaction(deps, (inside) => insertJob(inside, prepared));
  if (inserted) return { job: inserted, isNew: true };
  // Another request with this idempotency key was first.
  const first = await findRepeated(deps, submitted);
  if (first) return first;
  throw new GatewayError('unavailable');
}

interface TakenSource extends Pick<DescriptionSource, 'descriptionUrl' | 'document'> {
  readonly knownHosts: readonly string[];
}

/** The source of a request; that of a proposal is its description, and where it was found. */
async function takeSource(
  deps: StoreDeps,
  { tenantId, request: { source } }: NewJob,
): Promise<TakenSource> {
  if (source.proposalId === undefined) return { ...source, knownHosts: [] };
  const { descriptionUrl, documentId, draft } = await findProposal(deps, {
    id: source.proposalId,
    tenantId,
  });
  const document = documentId === null ? undefined : await findDocument(deps.db, documentId);
  if (document) return { descriptionUrl, document, knownHosts: draft.hosts };
  throw new GatewayError(
    'unprocessable',
    'The proposal has no description that can be registered.',
  );
}

/** An API key has one tenant; a person may have several, and must not find the job of another. */
const storedKeyOf = ({ tenantId, apiKeyId, idempotencyKey }: NewJob): string | undefined =>
  idempotencyKey !== undefined && isPersonId(apiKeyId)
    ? `${tenantId}:${idempotencyKey}`
    : idempotencyKey;

async function findRepeated(deps: StoreDeps, submitted: NewJob): Promise<SubmittedJob | undefined> {
  const { apiKeyId, idempotencyKey, request } = submitted;
  if (idempotencyKey === undefined) return undefined;
  const row = await runQuery(() => findByKey(deps, apiKeyId, idempotencyKey));
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

const findByKey = ({ db, clock }: StoreDeps, apiKeyId: string, key: string) =>
  db
    .selectFrom('registration_jobs')
    .selectAll()
    .where('api_key_id', '=', apiKeyId)
    .where('idempotency_key', '=', key)
    .where('created_at_ms', '>', clock.now() - IDEMPOTENCY_MS)
    .executeTakeFirst();

interface PreparedJob extends NewJob {
  readonly descriptionUrl: string | null;
  readonly packed: PackedDocument | null;
  readonly digest: string | null;
  readonly knownHosts: readonly string[];
}

/** Undefined if a job has the same idempotency key. */
async function insertJob(deps: StoreDeps, job: PreparedJob): Promise<JobRecord | undefined> {
  const { tenantId, apiKeyId, request, idempotencyKey, packed } = job;
  const { db, clock } = deps;
  await raiseVersion(db);
  if (idempotencyKey !== undefined) {
    if (await findByKey(deps, apiKeyId, idempotencyKey)) return undefined;
    await forgetKey(db, apiKeyId, idempotencyKey);
  }
  const lastPlaceMs = await assertRoom(db, tenantId);
  const nameKey = nameKeyOf(request.name);
  if (!request.isDryRun) await assertFree(db, tenantId, nameKey);
  if (packed) await insertDocument(db, tenantId, packed);
  // A tenant's jobs stand a job's time apart: those of others come between them.
  const placeMs = Math.max(clock.now(), lastPlaceMs + JOB_TIME_MS);
  const row = await db
    .insertInto('registration_jobs')
    .values(toRow(job, { nameKey, placeMs, nowMs: clock.now() }))
    .returningAll()
    .executeTakeFirstOrThrow();
  if (!request.isDryRun) {
    const { credentials } = request.authentication;
    await replaceCredentials(deps, { tenantId, id: row.id }, credentials);
    const { proposalId: id } = request.source;
    if (id !== undefined && !mayNeedConfirmation(job)) await deleteProposal(db, { id, tenantId });
  }
  await deleteOldest(db, tenantId);
  return toJobRecord(row);
}

/** Whether the tenant may have to confirm an origin, and then sends the same request once more. */
const mayNeedConfirmation = ({ descriptionUrl, knownHosts, request }: PreparedJob): boolean =>
  knownHosts.length === 0 &&
  mayChooseOrigin({
    descriptionUrl,
    scheme: request.authentication.scheme,
    options: request.options,
  });

/** The key's day is over: it may be used again. */
const forgetKey = (db: Kysely<Tables>, apiKeyId: string, key: string) =>
  db
    .updateTable('registration_jobs')
    .set({ idempotency_key: null })
    .where('api_key_id', '=', apiKeyId)
    .where('idempotency_key', '=', key)
    .execute();

function toRow(
  { tenantId, apiKeyId, request, descriptionUrl, knownHosts, ...job }: PreparedJob,
  { nameKey, placeMs, nowMs }: { nameKey: string; placeMs: number; nowMs: number },
): Insertable<RegistrationJobsTable> {
  const { options, confirmedOrigins } = request;
  const { scheme } = request.authentication;
  const { idempotencyKey, packed, digest } = job;
  const url = descriptionUrl;
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
    request: JSON.stringify({
      url,
      scheme,
      options,
      confirmedOrigins,
      ...(knownHosts.length > 0 && { knownHosts }),
    }),
    document_id: packed?.id ?? null,
    idempotency_key: idempotencyKey ?? null,
    request_digest: digest,
    created_at_ms: nowMs,
    updated_at_ms: nowMs,
  };
}

/** Deletes the tenant's oldest ended jobs beyond the bound. Ids sort by time. */
async function deleteOldest(db: Kysely<Tables>, tenantId: string): Promise<void> {
  await db
    .deleteFrom('registration_jobs')
    .where('tenant_id', '=', tenantId)
    .where('state', 'in', ENDED_STATES)
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

const DIGEST_BYTES = 32;
const derive = promisify<Buffer, Buffer, number, Buffer>(scrypt);

/**
 * A digest by which the same request is recognised: `<salt>.<scrypt>`. It is slow to compute, since the request may
 * contain a short password that a reader of the database could otherwise guess.
 */
async function digestRequest(
  request: RegistrationRequest,
  salt = randomBytes(16),
): Promise<string> {
  const key = await derive(fingerprint(request), salt, DIGEST_BYTES);
  return `${salt.toString('base64url')}.${key.toString('base64url')}`;
}

/** Whether a stored digest is that of the request. */
async function isSameRequest(request: RegistrationRequest, stored: string): Promise<boolean> {
  const salt = Buffer.from(stored.split('.')[0] ?? '', 'base64url');
  const digest = Buffer.from(await digestRequest(request, salt));
  return digest.length === stored.length && timingSafeEqual(digest, Buffer.from(stored));
}

function fingerprint(request: RegistrationRequest): Buffer {
  const { source, authentication, confirmedOrigins, ...rest } = request;
  const { scheme, credentials } = authentication;
  const revealed = Object.entries(credentials).map(([field, secret]) => [field, secret.reveal()]);
  const { descriptionUrl, document, proposalId } = source;
  const place = proposalId ?? descriptionUrl;
  const head = JSON.stringify([rest, scheme, revealed, place, ...confirmedOrigins]);
  const hash = createHash('sha256').update(head).update('\0');
  return (document ? hash.update(document) : hash).digest();
}
