import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Caller } from '../../access/keys/caller.ts';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { isObject, type JsonObject } from '../../platform/kernel/plain-json.ts';
import type { SecretStore } from '../../platform/vault/secret-store.ts';
import { type CatalogEntry, registeredEntries } from '../../tools/catalog-entry.ts';
import type { Tool } from '../../tools/model.ts';
import type { ToolConnection } from '../../tools/tool-connection.ts';
import type { Authentication, Credentials } from '../request/registration-request.ts';
import type { DescriptionCompiler, StoredDescription } from '../steps/description-compiler.ts';
import { openDocument } from '../store/documents.ts';
import { findVersions } from '../store/find-registration.ts';
import type { JobRecord } from '../store/job-record.ts';
import type { RegistrationRecord } from '../store/registration-record.ts';
import { DEFAULT_CATEGORY } from './load-layer.ts';
import { readCredentials } from './read-credentials.ts';
import type { ConnectedRegistration } from './registered-connection.ts';

export interface TrialDeps {
  readonly db: Kysely<Tables>;
  readonly secrets: Pick<SecretStore, 'fields' | 'get'>;
  readonly compiler: Pick<DescriptionCompiler, 'load'>;
  readonly findJob: (tenantId: string, id: string) => Promise<JobRecord | undefined>;
  readonly connect: (
    registration: ConnectedRegistration,
    credentials: Credentials,
    tools: readonly Tool[],
  ) => ToolConnection;
  /** Runs one compilation of a tenant at a time, and a few altogether. */
  readonly inTurn: <T>(tenantId: string, work: () => Promise<T>) => Promise<T>;
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
export interface Trials {
  /** A tool of a dry run. */
  ofJob(tenant: Tenant, jobId: string, request: TrialRequest): Promise<CatalogEntry>;
  /** A tool of the latest version of a registration: the one that waits for approval, if any does. */
  ofRegistration(tenant: Tenant, id: string, request: TrialRequest): Promise<CatalogEntry>;
  /** What a model would read of a tool, to show it before it is called. */
  describeOfJob(tenant: Tenant, jobId: string, tool: string): Promise<Tool>;
  describeOfRegistration(tenant: Tenant, id: string, tool: string): Promise<Tool>;
}

export const createTrials = (deps: TrialDeps): Trials => ({
  ofJob: async (tenant, jobId, { tool, authentication }) => {
    const trial = await trialOfJob(deps, tenant, jobId, tool);
    assertGiven(trial.api.scheme.type, authentication);
    return createEntry(deps, withAuthentication(trial, authentication), {});
  },
  ofRegistration: async (tenant, id, { tool, authentication }) => {
    const trial = await trialOfRegistration(deps, tenant, id, tool);
    const stored = authentication ? {} : await readCredentials(deps.secrets, trial.api);
    return createEntry(deps, withAuthentication(trial, authentication), stored);
  },
  describeOfJob: async (tenant, jobId, tool) =>
    (await loadTool(deps, await trialOfJob(deps, tenant, jobId, tool))).tool,
  describeOfRegistration: async (tenant, id, tool) =>
    (await loadTool(deps, await trialOfRegistration(deps, tenant, id, tool))).tool,
});

async function trialOfJob(
  deps: TrialDeps,
  { tenantId, tenantSlug }: Tenant,
  jobId: string,
  tool: string,
): Promise<Trial> {
  const job = await deps.findJob(tenantId, jobId);
  if (!job) throw new GatewayError('not_found', 'There is no registration job with this id.');
  assertTriable(job, tool);
  const { url: documentUrl, options, scheme } = job.request;
  const { id, name, documentId } = job;
  const { category } = options;
  return {
    api: { id, tenantId, tenantSlug, slug: id, name, scheme, category },
    description: { documentUrl, name, scheme, ...pick(options), origins: null },
    documentId,
    tool,
    as: tool,
    credentials: undefined,
  };
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
  const { sourceUrl: documentUrl, name, scheme, documentId, origins, options } = latest;
  return {
    api: latest,
    description: { documentUrl, name, scheme, ...pick(options), origins },
    documentId,
    tool: named.compiled,
    as: tool,
    credentials: undefined,
  };
}

const withAuthentication = (trial: Trial, given: Authentication | undefined): Trial =>
  given === undefined
    ? trial
    : {
        ...trial,
        api: { ...trial.api, scheme: given.scheme },
        description: { ...trial.description, scheme: given.scheme },
        credentials: given.credentials,
      };

const pick = ({ baseUrl, include, exclude }: RegistrationRecord['options']) => ({
  baseUrl,
  include,
  exclude,
});

interface Trial {
  readonly api: Pick<
    RegistrationRecord,
    'id' | 'tenantId' | 'tenantSlug' | 'slug' | 'name' | 'scheme' | 'category'
  >;
  readonly description: Omit<StoredDescription, 'document' | 'tools'>;
  readonly documentId: string | null;
  /** By the description. */
  readonly tool: string;
  /** The name under which the tool is listed. */
  readonly as: string;
  /** Undefined: those that are stored, if any. */
  readonly credentials: Credentials | undefined;
}

interface TrialTool {
  readonly tool: Tool;
  readonly origins: readonly string[];
}

async function loadTool(deps: TrialDeps, trial: Trial): Promise<TrialTool> {
  const { api, description, documentId } = trial;
  const { loaded } = await deps.inTurn(api.tenantId, async () => {
    const document = documentId === null ? undefined : await openDocument(deps.db, documentId);
    if (!document) throw notKept();
    const stored = { ...description, document, tools: [trial.tool] };
    return deps.compiler.load(stored, api.tenantId);
  });
  const { tools, baseUrl } = loaded;
  const [tool] = tools;
  if (!tool) throw unknownTool();
  const origins = description.origins ?? (baseUrl === '' ? [] : [new URL(baseUrl).origin]);
  return { tool: { ...tool, name: trial.as, cacheTtlSeconds: 0 }, origins };
}

async function createEntry(
  deps: TrialDeps,
  trial: Trial,
  stored: Credentials,
): Promise<CatalogEntry> {
  const { api, credentials = stored } = trial;
  const { tool, origins } = await loadTool(deps, trial);
  // An id of its own, so that no other call gets its responses or its access token.
  const id = `trial_${randomUUID()}`;
  const connection = deps.connect({ ...api, id, credentialVersion: 1, origins }, credentials, [
    tool,
  ]);
  const [entry] = registeredEntries({
    ...api,
    title: api.name,
    tools: [tool],
    names: [trial.as],
    category: api.category ?? DEFAULT_CATEGORY,
    visibility: 'private',
    createdAt: new Date().toISOString(),
    connection,
  });
  if (!entry) throw unknownTool();
  return entry;
}

/** Only a tool that the dry run has checked can be tried. */
function assertTriable({ state, report }: JobRecord, tool: string): void {
  if (state !== 'checked') {
    throw new GatewayError('conflict', 'Only the tools of a dry run that has ended can be tried.');
  }
  const operations: unknown = (report as JsonObject | null)?.['operations'];
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
