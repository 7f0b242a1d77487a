import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import type { Caller } from '../../platform/kernel/caller.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { type CatalogEntry, registeredEntries } from '../../tools/catalog-entry.ts';
import { noTools } from '../jobs/job-error.ts';
import type { Authentication, VersionOptions } from '../request/registration-request.ts';
import { DEFAULT_CATEGORY } from '../serving/load-layer.ts';
import type { Connect } from '../serving/registered-connection.ts';
import type { DescriptionCompiler } from '../steps/description-compiler.ts';
import { baseOrigins, unnamedOrigin } from '../steps/origins.ts';
import type { StepLimits } from '../steps/registration-steps.ts';
import { openDocument } from '../store/documents.ts';

export interface ProposedEntryDeps {
  readonly db: Kysely<Tables>;
  readonly compiler: Pick<DescriptionCompiler, 'load' | 'compile'>;
  readonly connect: Connect;
  /** Runs what reads a description: of one tenant one after another, and of a few tenants at a time. */
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

/**
 * The operation of a proposal as an entry that no catalog has. Every entry is new: its responses are not kept, and no other
 * call finds them. Rejects with `unprocessable`, with the reason, if it cannot become a tool, and `conflict` if a stranger's
 * document chose where the credential would go.
 */
export async function createProposedEntry(
  deps: ProposedEntryDeps,
  { tenantId, tenantSlug }: Pick<Caller, 'tenantId' | 'tenantSlug'>,
  proposed: ProposedApi,
  { scheme, credentials }: Authentication,
): Promise<CatalogEntry> {
  const { baseUrl, tools } = await compileOne(deps, tenantId, { ...proposed, scheme });
  const unnamed = unnamedOrigin({ ...proposed, scheme }, { baseUrl });
  if (unnamed) throw unnamed;
  const connected = {
    // An id of its own, so that no other call gets its responses or its access token.
    id: `test_${randomUUID()}`,
    tenantId,
    scheme,
    credentialVersion: 1,
    origins: baseOrigins(baseUrl),
  };
  const [entry] = registeredEntries({
    tenantSlug,
    slug: proposed.id,
    title: proposed.name,
    tools: tools.map((tool) => ({ ...tool, cacheTtlSeconds: 0 })),
    names: tools.map(({ name }) => name),
    category: DEFAULT_CATEGORY,
    createdAt: new Date().toISOString(),
    connection: deps.connect(connected, credentials, tools),
  });
  if (!entry) throw new GatewayError('internal');
  return entry;
}

const compileOne = (
  { db, compiler, inTurn }: ProposedEntryDeps,
  tenantId: string,
  {
    documentId,
    descriptionUrl,
    name,
    scheme,
    options,
  }: ProposedApi & Pick<Authentication, 'scheme'>,
) =>
  inTurn(tenantId, async (limits) => {
    const document = documentId === null ? undefined : await openDocument(db, documentId);
    if (!document) throw new GatewayError('not_found', 'The proposal has ended. Create another.');
    const input = { document, descriptionUrl, name, scheme, options };
    const { tools, report } = await compiler.compile(input, limits);
    if (tools.length === 0) throw noTools(report);
    return (await compiler.load({ ...input, origins: null, tools }, tenantId)).loaded;
  });
