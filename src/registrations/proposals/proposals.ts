import { type Static, Type } from 'typebox';
import { list, orNull, TEXT, TIME } from '../../platform/input/schema.ts';
import { withoutQuery } from '../../platform/kernel/addresses.ts';
import type { Caller } from '../../platform/kernel/caller.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { Deadline, isoTime } from '../../platform/kernel/time.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import {
  type ChosenExtension,
  type DatasetFacts,
  NO_FACTS,
  type ProposalDraft,
  type ProposalFamily,
  type ProposedExtension,
} from '../../tools/proposal.ts';
import { untilAborted } from '../jobs/within-limits.ts';
import type { PastedSource, ProposalTest } from '../request/registration-request.ts';
import type { DescriptionCompiler } from '../steps/description-compiler.ts';
import type { ProposalReading } from '../steps/read-description.ts';
import type { RegistrationSteps, StepLimits } from '../steps/registration-steps.ts';
import { givenDocument, packDocument } from '../store/documents.ts';
import {
  changeDraft,
  findProposal,
  insertProposal,
  type ProposalRecord,
} from '../store/proposal-store.ts';
import { PROPOSAL_MS, PROPOSAL_TIME_MS } from '../store/registration-bounds.ts';
import type { StoreDeps } from '../store/store-deps.ts';
import { createProposedEntry, type ProposedEntryDeps } from './proposed-entry.ts';

export interface ProposalsDeps extends StoreDeps, ProposedEntryDeps {
  readonly families: readonly ProposalFamily[];
  readonly compiler: Pick<DescriptionCompiler, 'propose' | 'compile' | 'load'>;
  readonly fetchDocument: RegistrationSteps['fetchDocument'];
  /** Rejects with `rate_limited` when a tenant tests too often. */
  readonly countTest: (tenantId: string) => Promise<void>;
  /** How long one search may take, with the wait for its turn. Default: 15 s. */
  readonly searchMs?: number;
}

/** What is called to test a proposal. */
export type OperationTest = Omit<ProposalTest, 'arguments'>;

const PROPOSED = Type.Object(
  {
    id: TEXT,
    operation: orNull(Type.String({ description: '`GET /path`; null for the document.' })),
    pointer: Type.String({ description: 'JSON pointer into the description.' }),
    extension: Type.String({ description: 'A name that `extensions` of a registration takes.' }),
    value: Type.Unknown(),
    confidence: Type.Enum(['high', 'medium', 'low']),
    evidence: Type.String({ description: 'What the description says there.' }),
  },
  { $id: 'ProposedExtension' },
);

const ASKED = Type.Object(
  { name: TEXT, description: orNull(TEXT), example: orNull(TEXT) },
  { description: 'An argument that a test needs and that is not known.' },
);

const PROBLEM = Type.Object({
  code: Type.Enum(['table_only', 'link_elsewhere', 'no_operations', 'no_host']),
  message: TEXT,
  url: orNull(TEXT),
});

/** A proposal as clients see it (docs/contract.md#proposals). */
export const PROPOSAL_VIEW = Type.Object(
  {
    id: TEXT,
    family: orNull(Type.String({ description: 'Null if nothing is known of such descriptions.' })),
    dataset: Type.Object({
      id: orNull(TEXT),
      title: orNull(TEXT),
      publisher: orNull(TEXT),
      url: orNull(TEXT),
      dailyCalls: orNull(Type.Integer()),
    }),
    licence: orNull(TEXT),
    description: Type.Object({
      url: orNull(TEXT),
      origin: orNull(Type.String({ description: 'Where the API is, unless `base_url` is sent.' })),
      isAvailable: Type.Boolean({ description: 'Whether there is one to register.' }),
    }),
    operations: list(
      Type.Object({
        operation: TEXT,
        title: orNull(TEXT),
        asks: list(ASKED),
      }),
    ),
    proposals: list(PROPOSED),
    problems: list(PROBLEM),
    expiresAt: TIME,
  },
  { $id: 'Proposal' },
);

export type ProposalView = Static<typeof PROPOSAL_VIEW>;

export type Proposals = ReturnType<typeof createProposals>;

type Tenant = Pick<Caller, 'tenantId' | 'tenantSlug'>;

/** Finds descriptions, proposes what to add to them, and confirms it by calls (docs/decisions/0027-proposals.md). */
export function createProposals(deps: ProposalsDeps) {
  return {
    /** Rejects with the error of the fetch, `unprocessable` for what is no description, and `rate_limited`. */
    create: ({ tenantId }: Tenant, source: PastedSource): Promise<ProposalView> =>
      withinTime(deps, tenantId, (limits) => create(deps, source, limits)).catch(blameAddress),
    get: async ({ tenantId }: Tenant, id: string): Promise<ProposalView> =>
      toView(await findProposal(deps, { id, tenantId })),
    /** An operation as it would be called with these extensions, which no catalog has. */
    prepare: async (tenant: Tenant, id: string, test: OperationTest) => {
      const proposal = await findProposal(deps, { id, tenantId: tenant.tenantId });
      const extensions = extensionsOf(proposal, test);
      await deps.countTest(tenant.tenantId);
      return entryFor(deps, tenant, proposal, { ...test, extensions });
    },
    /** The same once more, with what a response has corrected. It does not count as another test. */
    prepareAgain: async (tenant: Tenant, id: string, test: OperationTest) => {
      const proposal = await findProposal(deps, { id, tenantId: tenant.tenantId });
      return entryFor(deps, tenant, proposal, test);
    },
    /** What a response shows to be otherwise than the extensions say. */
    correctionsOf: async (
      { tenantId }: Tenant,
      id: string,
      extensions: readonly ChosenExtension[],
      response: unknown,
    ): Promise<readonly ChosenExtension[]> => {
      const { draft } = await findProposal(deps, { id, tenantId });
      const family = deps.families.find(({ name }) => name === draft.family);
      return family?.correct(response, extensions) ?? [];
    },
    /** Keeps what a call has confirmed, so that it is proposed for good. */
    confirm: async (
      { tenantId }: Tenant,
      id: string,
      operation: string,
      extensions: readonly ChosenExtension[],
    ): Promise<void> => {
      await changeDraft(deps, { id, tenantId }, (draft) => confirmed(draft, operation, extensions));
    },
  };
}

/** Runs a search of a tenant when its turn has come. The time for it includes the wait. */
async function withinTime<T>(
  { inTurn, searchMs = PROPOSAL_TIME_MS }: Pick<ProposalsDeps, 'inTurn' | 'searchMs'>,
  tenantId: string,
  work: (limits: StepLimits) => Promise<T>,
): Promise<T> {
  const timeout = AbortSignal.timeout(searchMs);
  const deadline = Deadline.in(searchMs);
  return inTurn(tenantId, async ({ signal: closing }) => {
    const hasWaited = deadline.remainingMs() < searchMs / 2;
    const signal = AbortSignal.any([closing, timeout]);
    try {
      return await untilAborted(signal, () => work({ tenantId, signal, deadline }));
    } catch (error) {
      if (!timeout.aborted || closing.aborted) throw error;
      throw hasWaited ? waitedTooLong(searchMs) : tookTooLong(searchMs);
    }
  });
}

/** The caller chose the address, so that one that must not be called is a mistake of the request. */
function blameAddress(error: unknown): never {
  const isBlocked = error instanceof GatewayError && error.code === 'upstream_blocked';
  throw isBlocked ? new GatewayError('invalid_request', error.message) : error;
}

const tookTooLong = (timeMs: number): GatewayError =>
  new GatewayError(
    'upstream_timeout',
    `Finding and reading the description took longer than ${timeMs / 1000} seconds. Retry, or send the description itself as spec_raw.`,
  );

const waitedTooLong = (timeMs: number): GatewayError =>
  new GatewayError(
    'rate_limited',
    `Your tenant's earlier searches took most of the ${timeMs / 1000} seconds that this one may take. Retry when they have ended.`,
    { details: { retryAfterSeconds: 1 } },
  );

async function create(
  deps: ProposalsDeps,
  source: PastedSource,
  limits: StepLimits,
): Promise<ProposalView> {
  const url = 'text' in source ? addressOf(deps.families, source.text) : null;
  const bytes =
    'document' in source ? source.document : await deps.fetchDocument(url ?? '', limits);
  const { draft, document } = await read(deps, { bytes, url, facts: NO_FACTS }, limits);
  const packed = document && (await packDocument(document));
  // The thread does not stop when the time is up, and the caller has its error by then.
  limits.signal.throwIfAborted();
  const { tenantId } = limits;
  return toView(await insertProposal(deps, { tenantId, descriptionUrl: url, draft }, packed));
}

interface ReadDeps extends Pick<ProposalsDeps, 'fetchDocument'> {
  readonly compiler: Pick<DescriptionCompiler, 'propose'>;
}

/** Reads a description, or follows a page to the description that it names: once, not from page to page. */
async function read(
  deps: ReadDeps,
  { bytes, url, facts }: Found,
  limits: StepLimits,
  mayFollow = true,
): Promise<Extract<ProposalReading, { kind: 'draft' }>> {
  const document = givenDocument(bytes);
  const reading = await deps.compiler.propose({ document, url, facts }, limits.tenantId);
  if (reading.kind === 'draft') return reading;
  if (!mayFollow) throw leadsElsewhere();
  const next = { ...reading, bytes: await deps.fetchDocument(reading.url, limits) };
  return read(deps, next, limits, false);
}

interface Found {
  readonly bytes: Uint8Array;
  readonly url: string | null;
  readonly facts: DatasetFacts;
}

/** Creates what finds a description again that was found by its page. */
export const createFindDocument =
  (deps: ReadDeps & Pick<ProposalsDeps, 'families'>): RegistrationSteps['findDocument'] =>
  async (url, limits) => {
    const bytes = await deps.fetchDocument(url, limits);
    if (deps.families.every((family) => family.pageOf(url) === undefined)) return bytes;
    const { document, draft } = await read(deps, { bytes, url, facts: NO_FACTS }, limits);
    if (document) return document;
    const message = draft.problems[0]?.message ?? 'The page has no description any more.';
    throw new GatewayError('unprocessable', message);
  };

const leadsElsewhere = (): GatewayError =>
  new GatewayError(
    'unprocessable',
    'The address that the page gives for its description leads to another page. Paste the address of the description itself.',
  );

function addressOf(families: readonly ProposalFamily[], text: string): string {
  const pasted = text.trim();
  for (const family of families) {
    const page = family.pageOf(pasted);
    if (page !== undefined) return page;
  }
  return pasted;
}

/** What the proposal says of an operation, without what a person must choose. */
function extensionsOf(
  { draft, documentId }: ProposalRecord,
  { operation, extensions }: OperationTest,
): readonly ChosenExtension[] {
  if (documentId === null || !draft.operations.some((each) => each.operation === operation)) {
    throw new GatewayError('not_found', 'The proposal has no operation with this name.');
  }
  const chosen =
    extensions ?? draft.proposals.filter(({ confidence }) => confidence !== 'low').map(toChosen);
  return chosen.filter(
    (each) =>
      each.extension !== 'x-exclude' && (each.operation === null || each.operation === operation),
  );
}

const toChosen = ({ operation, extension, value }: ChosenExtension): ChosenExtension => ({
  operation,
  extension,
  value,
});

async function entryFor(
  deps: ProposalsDeps,
  tenant: Tenant,
  { id, documentId, descriptionUrl, draft }: ProposalRecord,
  { operation, baseUrl, extensions = [], authentication }: OperationTest,
): Promise<{ readonly entry: CatalogEntry; readonly extensions: readonly ChosenExtension[] }> {
  const [method = '', path = ''] = operation.split(/ (.*)/s);
  const options = {
    baseUrl,
    include: [{ method: method.toLowerCase(), path }],
    exclude: [],
    extensions,
  };
  const name = draft.dataset.title ?? 'proposal';
  const api = { id, name, documentId, descriptionUrl, options, knownHosts: draft.hosts };
  const entry = await createProposedEntry(deps, tenant, api, authentication);
  return { entry, extensions };
}

/** With the values that a call has confirmed. */
function confirmed(
  draft: ProposalDraft,
  operation: string,
  extensions: readonly ChosenExtension[],
): ProposalDraft {
  const proposals = draft.proposals.map((proposed): ProposedExtension => {
    if (proposed.operation !== operation) return proposed;
    const used = extensions.find(
      (each) => each.operation === operation && each.extension === proposed.extension,
    );
    return used ? { ...proposed, value: used.value, confidence: 'high' } : proposed;
  });
  return { ...draft, proposals };
}

function toView({
  id,
  descriptionUrl,
  documentId,
  draft,
  createdAtMs,
}: ProposalRecord): ProposalView {
  const { family, dataset, operations, proposals, problems } = draft;
  const { licence, ...facts } = dataset;
  return {
    id,
    family,
    dataset: facts,
    licence,
    description: {
      url: descriptionUrl && withoutQuery(descriptionUrl),
      origin: draft.origin,
      isAvailable: documentId !== null,
    },
    operations: [...operations],
    proposals: proposals.map((proposed, at) => ({ id: `p${at + 1}`, ...proposed })),
    problems: [...problems],
    expiresAt: isoTime(createdAtMs + PROPOSAL_MS),
  };
}
