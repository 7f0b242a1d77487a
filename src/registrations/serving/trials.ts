import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Caller } from '../../platform/kernel/caller.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import type { SecretStore } from '../../platform/vault/secret-store.ts';
import { type CatalogEntry, registeredEntries } from '../../tools/catalog-entry.ts';
import { noTools } from '../jobs/job-error.ts';
import type { Authentication, VersionOptions } from '../request/registration-request.ts';
import type { DescriptionCompiler, StoredDescription } from '../steps/description-compiler.ts';
import { baseOrigins, unnamedOrigin } from '../steps/origins.ts';
import type { StepLimits } from '../steps/registration-steps.ts';
import { openDocument } from '../store/documents.ts';
import type { JobRecord } from '../store/job-record.ts';
import { requireJob } from '../store/job-store.ts';
import { findVersions, type RegistrationRecord } from '../store/registration-record.ts';
import { readCredentials } from '../store/store-deps.ts';
import { DEFAULT_CATEGORY } from './load-layer.ts';
import type { Connect } from './registered-connection.ts';

export interface TrialDeps {
  readonly db: Kysely<Tables>;
  readonly secrets: Pick<SecretStore, 'fields' | 'get'>;
  readonly compiler: Pick<DescriptionCompiler, 'load' | 'compile'>;
  readonly connect: Connect;
  /** Runs one compilation of a tenant at a time, and a few altogether. */
  readonly inTurn: <T>(tenantId: string, work: (limits: StepLimits) => Promise<T>) => Promise<T>;
}

/** A description that is not registered, reduced by its options to one operation. */
export interface ProposedApi {
  readonly id: string;
  readonly name: string;
  readonly documentId: string | null;
  readonly descriptionUrl: string | null;
  readonly options: VersionOptions;
  readonly knownHosts: readonly string[];
}

export interface TrialRequest {
  /** As the report of a dry run, or the registration, names it. */
  readonly tool: string;
  /** In place of the stored credential. A dry run has none stored. */
  readonly authentication: Authentication | undefined;
}

type Tenant = Pick<Caller, 'tenantId' | 'tenantSlug'>;

/**
 * Tools that no catalog has, so that a person can call them before models do. Every entry is new: its responses are not kept,
 * and no other call finds them. Rejects with `not_found`, `conflict` for a description that is not kept, and
 * `invalid_arguments` without a credential that the API needs.
 */
export const createTrials = (deps: TrialDeps) => ({
  /** A tool of a dry run. */
  ofJob: async (tenant: Tenant, jobId: string, { tool, authentication }: TrialRequest) => {
    const trial = await trialOfJob(deps, tenant, jobId, tool);
    assertGiven(trial.api.scheme.type, authentication);
    return createEntry(deps, trial, authentication);
  },
  /** A tool of the latest version of a registration: the one that waits for approval, if any does. */
  ofRegistration: async (tenant: Tenant, id: string, { tool, authentication }: TrialRequest) =>
    createEntry(deps, await trialOfRegistration(deps, tenant, id, tool), authentication),
  /**
   * The operation of a proposal. Rejects with `unprocessable`, with the reason, if it cannot become a tool, and `conflict` if
   * a stranger's document chose where the credential would go.
   */
  ofOperation: async (tenant: Tenant, proposed: ProposedApi, authentication: Authentication) => {
    const { tenantId, tenantSlug } = tenant;
    const { scheme } = authentication;
    const owner = { tenantId, tenantSlug, slug: proposed.id, category: null };
    const api = { ...proposed, ...owner, scheme, origins: null };
    const { tool, baseUrl } = await compiledOne(deps, api);
    const unnamed = unnamedOrigin({ ...proposed, scheme }, { baseUrl });
    if (unnamed) throw unnamed;
    return createEntry(deps, { api, tool, as: tool }, authentication);
  },
  /** What a model would read of a tool, to show it before it is called. */
  describeOfJob: async (tenant: Tenant, jobId: string, tool: string) =>
    (await loadTool(deps, await trialOfJob(deps, tenant, jobId, tool))).tool,
  describeOfRegistration: async (tenant: Tenant, id: string, tool: string) =>
    (await loadTool(deps, await trialOfRegistration(deps, tenant, id, tool))).tool,
});

interface Trial {
  readonly api: Pick<
    RegistrationRecord,
    'id' | 'tenantId' | 'tenantSlug' | 'slug' | 'name' | 'scheme' | 'category' | 'options'
  > &
    Pick<StoredDescription, 'descriptionUrl' | 'origins'> & { readonly documentId: string | null };
  /** By the description. */
  readonly tool: string;
  /** The name under which the tool is listed. */
  readonly as: string;
}

async function trialOfJob(
  { db }: TrialDeps,
  tenant: Tenant,
  jobId: string,
  tool: string,
): Promise<Trial> {
  const job = await requireJob(db, tenant.tenantId, jobId);
  assertTriable(job, tool);
  const { id, name, documentId, request } = job;
  const { category } = request.options;
  const { tenantId, tenantSlug } = tenant;
  const api = { id, tenantId, tenantSlug, slug: id, name, category, documentId, origins: null };
  return { api: { ...request, ...api }, tool, as: tool };
}

async function trialOfRegistration(
  { db }: TrialDeps,
  { tenantId }: Tenant,
  id: string,
  tool: string,
): Promise<Trial> {
  const { latest } = await runQuery(() => findVersions(db, { id, tenantId }));
  const named = latest.tools.find(({ name }) => name === tool);
  if (!named) throw unknownTool();
  return { api: latest, tool: named.compiled, as: tool };
}

/** The name of the only tool, and the base address. */
async function compiledOne({ db, compiler, inTurn }: TrialDeps, api: Trial['api']) {
  const { tenantId, descriptionUrl, name, scheme, options, documentId } = api;
  const { tools, report, baseUrl } = await inTurn(tenantId, async (limits) => {
    const document = documentId === null ? undefined : await openDocument(db, documentId);
    if (!document) throw notKept();
    return compiler.compile({ document, descriptionUrl, name, scheme, options }, limits);
  });
  const [tool] = tools;
  if (tool !== undefined) return { tool, baseUrl };
  throw noTools(report);
}

async function loadTool({ db, compiler, inTurn }: TrialDeps, { api, tool: compiled, as }: Trial) {
  const { tenantId, descriptionUrl, name, scheme, options, documentId } = api;
  const { loaded } = await inTurn(tenantId, async () => {
    const document = documentId === null ? undefined : await openDocument(db, documentId);
    if (!document) throw notKept();
    const { origins } = api;
    const described = { document, descriptionUrl, name, scheme, options, origins };
    return compiler.load({ ...described, tools: [compiled] }, tenantId);
  });
  const [tool] = loaded.tools;
  if (!tool) throw unknownTool();
  const origins = api.origins ?? baseOrigins(loaded.baseUrl);
  return { tool: { ...tool, name: as, cacheTtlSeconds: 0 }, origins };
}

async function createEntry(
  deps: TrialDeps,
  trial: Trial,
  given: Authentication | undefined,
): Promise<CatalogEntry> {
  const credentials = given?.credentials ?? (await readCredentials(deps.secrets, trial.api));
  const api = { ...trial.api, ...(given && { scheme: given.scheme }) };
  const { tool, origins } = await loadTool(deps, { ...trial, api });
  // An id of its own, so that no other call gets its responses or its access token.
  const connected = { ...api, id: `trial_${randomUUID()}`, credentialVersion: 1, origins };
  const [entry] = registeredEntries({
    tenantSlug: api.tenantSlug,
    slug: api.slug,
    title: api.name,
    tools: [tool],
    names: [trial.as],
    category: api.category ?? DEFAULT_CATEGORY,
    visibility: 'private',
    createdAt: new Date().toISOString(),
    connection: deps.connect(connected, credentials, [tool]),
  });
  if (!entry) throw unknownTool();
  return entry;
}

/** Only a tool that the dry run has checked can be tried. */
function assertTriable({ state, report }: JobRecord, tool: string): void {
  if (state !== 'checked') {
    throw new GatewayError('conflict', 'Only the tools of a dry run that has ended can be tried.');
  }
  const operations: unknown = report?.['operations'];
  const isKnown = (each: unknown): boolean => isObject(each) && each['tool'] === tool;
  if (!Array.isArray(operations) || !operations.some(isKnown)) throw unknownTool();
}

function assertGiven(type: string, authentication: Authentication | undefined): void {
  if (type === 'none' || authentication) return;
  throw new GatewayError(
    'invalid_arguments',
    'A dry run stores no credential. Send it again as "auth".',
    { details: { errors: [{ path: '/auth', message: 'is required.' }] } },
  );
}

const unknownTool = (): GatewayError =>
  new GatewayError('not_found', 'This version of the API has no tool with this name.');

const notKept = (): GatewayError =>
  new GatewayError(
    'conflict',
    'The description of this dry run is not kept any more. Run it again.',
  );
