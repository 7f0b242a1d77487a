import { GatewayError } from '../../platform/kernel/error.ts';
import { newRegistrationId } from '../../platform/kernel/ids.ts';
import { createSecretStore } from '../../platform/vault/secret-store.ts';
import { firstOrigins } from '../steps/origins.ts';
import type { CompiledRegistration } from '../steps/registration-steps.ts';
import { assertNameFree, tooManyRegistrations } from './assert-room.ts';
import { type JobRecord, updateOpen } from './job-record.ts';
import { raiseVersion, touchLayer } from './layers.ts';
import { chooseSlug, type IsSharedName, nameKeyOf, nameTools } from './names.ts';
import { MAX_REGISTRATIONS } from './registration-bounds.ts';
import { appendEntry } from './run-change.ts';
import {
  inTransaction,
  readCredentials,
  replaceCredentials,
  type StoreDeps,
} from './store-deps.ts';
import { versionColumns } from './versions.ts';

export interface RegisterDeps extends StoreDeps {
  readonly isSharedName: IsSharedName;
}

/**
 * Ends a job with a registration, all in one transaction. Undefined if it has ended. Rejects with `conflict` or `unprocessable`, and changes nothing, if the tenant's other
 * registrations leave no room for this one.
 */
export const registerJob = (
  deps: RegisterDeps,
  job: JobRecord,
  compiled: CompiledRegistration,
): Promise<JobRecord | undefined> =>
  inTransaction(deps, async (inside) => {
    const { tenantId, name, apiKeyId: actor } = job;
    const layersVersion = await raiseVersion(inside.db);
    const registration = { id: newRegistrationId(), tenantId };
    const ended = await updateOpen(inside, job, {
      alive_at_ms: null,
      state: 'registered',
      report: JSON.stringify(compiled.report),
      registration_id: registration.id,
      document_id: null,
      updated_at_ms: deps.clock.now(),
    });
    if (!ended) return undefined;
    await insertRegistration(inside, job, registration.id, compiled);
    const secrets = createSecretStore(inside);
    await replaceCredentials(inside, registration, await readCredentials(secrets, job));
    await secrets.delete(tenantId, job.id);
    await touchLayer(inside.db, layersVersion, tenantId);
    const details = { name, tools: compiled.tools.length };
    await appendEntry({ ...inside, actor }, registration, {
      action: 'registration.created',
      details,
    });
    return ended;
  });

async function insertRegistration(
  deps: RegisterDeps,
  job: JobRecord,
  id: string,
  compiled: CompiledRegistration,
): Promise<void> {
  const { tenantId, name, request, documentId } = job;
  const { about, ...options } = request.options;
  if (documentId === null) throw new GatewayError('internal');
  const nameKey = nameKeyOf(name);
  await assertNameFree(deps.db, tenantId, nameKey);
  const slug = await freeSlug(deps, job, compiled);
  const owner = { id, tenantId, slug, tools: [] };
  const tools = await nameTools(deps, owner, compiled.tools);
  const nowMs = deps.clock.now();
  await deps.db
    .insertInto('registrations')
    .values({
      id,
      tenant_id: tenantId,
      name,
      name_key: nameKey,
      slug,
      auth: JSON.stringify(request.scheme),
      credential_version: 1,
      about: JSON.stringify(about),
      revision: 1,
      ...versionColumns({
        documentId,
        document: null,
        descriptionUrl: request.descriptionUrl,
        options,
        baseUrl: compiled.baseUrl,
        origins: firstOrigins(request, compiled),
        tools,
        descriptions: {},
        report: JSON.stringify(compiled.report),
        compiledTools: compiled.compiledTools,
      }),
      created_at_ms: nowMs,
      updated_at_ms: nowMs,
    })
    .execute();
}

/** Throws `unprocessable` at the bound. */
async function freeSlug(
  { db }: StoreDeps,
  { tenantId, name }: JobRecord,
  { baseUrl }: CompiledRegistration,
): Promise<string> {
  const own = db.selectFrom('registrations').select('slug').where('tenant_id', '=', tenantId);
  const slugs = new Set((await own.execute()).map(({ slug }) => slug));
  if (slugs.size >= MAX_REGISTRATIONS) throw tooManyRegistrations();
  return chooseSlug(name, new URL(baseUrl).hostname, (slug) => slugs.has(slug));
}
