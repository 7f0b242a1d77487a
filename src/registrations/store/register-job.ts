import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { newRegistrationId } from '../../platform/kernel/ids.ts';
import { firstOrigins } from '../steps/origins.ts';
import type { CompiledRegistration } from '../steps/registration-steps.ts';
import { appendEntry } from './append-entry.ts';
import { nameInUse, tooManyRegistrations } from './assert-room.ts';
import { ENDED_COLUMNS } from './finish-job.ts';
import type { JobRecord } from './job-record.ts';
import { updateAttempt } from './job-store.ts';
import { raiseVersion, touchLayers } from './layers.ts';
import { type IsSharedName, nameTools } from './name-tools.ts';
import { chooseSlug, nameKeyOf } from './names.ts';
import { MAX_REGISTRATIONS } from './registration-bounds.ts';
import { moveCredentials, type StoreDeps, secretsIn } from './store-deps.ts';
import { insertVersion } from './versions.ts';

export interface RegisterDeps extends StoreDeps {
  readonly isSharedName: IsSharedName;
}

/**
 * Ends a job with a registration and its first version, all in one transaction. Undefined if another process has taken the
 * job since, or it has ended. Rejects with `conflict` or `unprocessable`, and changes nothing, if the tenant's other
 * registrations leave no room for this one.
 */
export function registerJob(
  deps: RegisterDeps,
  job: JobRecord,
  compiled: CompiledRegistration,
): Promise<JobRecord | undefined> {
  return runQuery(() =>
    deps.db.transaction().execute(async (db) => {
      const version = await raiseVersion(db);
      const registrationId = newRegistrationId();
      const status = statusOf(job);
      const ended = await updateAttempt(db, job, {
        ...ENDED_COLUMNS,
        state: status,
        report: JSON.stringify(compiled.report),
        registration_id: registrationId,
        document_id: null,
        updated_at_ms: deps.clock.now(),
      });
      if (!ended) return undefined;
      await insertRegistration(deps, db, { job, registrationId, compiled });
      const subjects = { from: job.id, to: registrationId };
      await moveCredentials(secretsIn(db, deps), job.tenantId, subjects);
      await touchLayers(db, version, [job.tenantId]);
      const { name, request, apiKeyId: actor } = job;
      await appendEntry(
        { ...deps, actor },
        db,
        { id: registrationId, tenantId: job.tenantId },
        {
          action: 'registration.created',
          details: { name, visibility: request.options.visibility, tools: compiled.tools.length },
        },
      );
      return ended;
    }),
  );
}

const statusOf = ({ request }: JobRecord) =>
  request.options.visibility === 'public' ? 'awaiting_approval' : 'registered';

interface NewRegistration {
  readonly job: JobRecord;
  readonly registrationId: string;
  readonly compiled: CompiledRegistration;
}

async function insertRegistration(
  deps: RegisterDeps,
  db: Kysely<Tables>,
  { job, registrationId, compiled }: NewRegistration,
): Promise<void> {
  const { tenantId, name, request } = job;
  const { visibility, category, description, baseUrl, include, exclude } = request.options;
  const slug = await freeSlug(db, job, compiled);
  const owner = { tenantId, registrationId, slug, stored: [] };
  const tools = await nameTools(db, owner, compiled.tools, deps.isSharedName);
  const nowMs = deps.clock.now();
  await db
    .insertInto('registrations')
    .values({
      id: registrationId,
      tenant_id: tenantId,
      name,
      name_key: nameKeyOf(name),
      slug,
      visibility,
      status: statusOf(job),
      auth: JSON.stringify(request.scheme),
      credential_version: 1,
      category,
      description,
      version: 1,
      pending_version: null,
      revision: 1,
      tool_count: tools.length,
      created_at_ms: nowMs,
      updated_at_ms: nowMs,
    })
    .execute();
  await insertVersion(
    deps,
    db,
    { tenantId, id: registrationId, version: 1 },
    {
      documentId: documentOf(job),
      document: null,
      sourceUrl: request.url,
      options: { baseUrl, include, exclude },
      baseUrl: compiled.baseUrl,
      origins: firstOrigins(request, compiled),
      tools,
      descriptions: {},
      report: JSON.stringify(compiled.report),
      compiledTools: compiled.compiledTools,
    },
  );
}

function documentOf({ documentId }: JobRecord): string {
  if (documentId === null) throw new GatewayError('internal');
  return documentId;
}

/** Throws `conflict` for a name in use and `unprocessable` at the bound. */
async function freeSlug(
  db: Kysely<Tables>,
  { tenantId, name }: JobRecord,
  { baseUrl }: CompiledRegistration,
): Promise<string> {
  const others = await db
    .selectFrom('registrations')
    .select(['id', 'name', 'name_key', 'slug'])
    .where('tenant_id', '=', tenantId)
    .execute();
  const key = nameKeyOf(name);
  const same = others.find(({ name_key }) => name_key === key);
  if (same) throw nameInUse(same);
  if (others.length >= MAX_REGISTRATIONS) throw tooManyRegistrations();
  const slugs = new Set(others.map(({ slug }) => slug));
  return chooseSlug(name, new URL(baseUrl).hostname, (slug) => slugs.has(slug));
}
