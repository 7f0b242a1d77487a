import type { Insertable, Kysely } from 'kysely';
import type { RegistrationJobsTable, Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { newJobId } from '../../platform/kernel/ids.ts';
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
import { MAX_ENDED_JOBS } from './registration-bounds.ts';
import { inTransaction, replaceCredentials, type StoreDeps } from './store-deps.ts';

export interface NewJob {
  readonly tenantId: string;
  readonly apiKeyId: string;
  readonly request: RegistrationRequest;
}

/**
 * Stores a job in state `queued`, with everything that it needs. Rejects with `conflict` for a name in use, `rate_limited` and
 * `unprocessable` at the tenant's bounds.
 */
export async function submitJob(deps: StoreDeps, job: NewJob): Promise<JobRecord> {
  const { document, ...taken } = await takeSource(deps, job);
  const packed = document && (await packDocument(document));
  return inTransaction(deps, (inside) => insertJob(inside, { ...job, ...taken, packed }));
}

interface TakenSource extends Pick<DescriptionSource, 'descriptionUrl' | 'document'> {
  readonly knownHosts: readonly string[];
}

/** The source of a request; for a proposal, its description and where it was found. */
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

interface PreparedJob extends NewJob {
  readonly descriptionUrl: string | null;
  readonly packed: PackedDocument | null;
  readonly knownHosts: readonly string[];
}

async function insertJob(deps: StoreDeps, job: PreparedJob): Promise<JobRecord> {
  const { tenantId, request, packed } = job;
  const { db, clock } = deps;
  await raiseVersion(db);
  await assertRoom(db, tenantId);
  const nameKey = nameKeyOf(request.name);
  if (!request.isDryRun) await assertFree(db, tenantId, nameKey);
  if (packed) await insertDocument(db, tenantId, packed);
  const row = await db
    .insertInto('registration_jobs')
    .values(toRow(job, nameKey, clock.now()))
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

function toRow(
  { tenantId, apiKeyId, request, descriptionUrl: url, knownHosts, packed }: PreparedJob,
  nameKey: string,
  nowMs: number,
): Insertable<RegistrationJobsTable> {
  const { options, confirmedOrigins } = request;
  const { scheme } = request.authentication;
  return {
    id: newJobId(),
    tenant_id: tenantId,
    api_key_id: apiKeyId,
    state: 'queued',
    alive_at_ms: nowMs,
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
