import { resourceLimits } from 'node:worker_threads';
import { GatewayError, toGatewayError } from '../../platform/kernel/error.ts';
import { isObject, own } from '../../platform/kernel/plain-json.ts';
import {
  baseUrlOf,
  type CompiledDocument,
  compileDocument,
} from '../../tools/compile/compile-document.ts';
import type { RegisteredPolicy } from '../../tools/compile/compile-policy.ts';
import { applyOverlay, type OverlayFacts } from '../../tools/compile/overlay.ts';
import { DefinitionError } from '../../tools/document/definition-error.ts';
import { MAX_DOCUMENT_NODES } from '../../tools/document/document-limits.ts';
import {
  type ParsedDocument,
  parseDocument,
  readDocument,
} from '../../tools/document/parse-document.ts';
import type { ToolDomain } from '../../tools/domain.ts';
import type { DatasetFacts, ProposalDraft, ProposalFamily } from '../../tools/proposal.ts';
import { checkUrl, type UrlPolicy } from '../../upstreams/guard/check-url.ts';
import { baseOrigins, credentialBinding } from './origins.ts';
import type { DescriptionContext } from './registration-steps.ts';

const MIB = 1024 * 1024;
/** Memory for one value of a description while it is compiled, at most. */
const VALUE_BYTES = 256;

/** A description, and how its tenant wants it read. */
export interface Description extends DescriptionContext {
  readonly document: Uint8Array;
  /** The origins that get the credential; null = the origin of the base address, for what is not registered yet. */
  readonly origins: readonly string[] | null;
}

export interface ReadDeps {
  readonly domain: ToolDomain;
  /** Which servers the gateway calls. */
  readonly urls: UrlPolicy;
}

/** Compiles a tenant's description. Rejects with `unprocessable` if there is no document to compile. */
export async function readDescription(
  description: Description,
  { domain, urls }: ReadDeps,
): Promise<CompiledDocument> {
  const { descriptionUrl, scheme, options } = description;
  const { baseUrl, include, exclude, extensions = [] } = options;
  const optionsWith = (origins: readonly string[], overlay?: OverlayFacts) => {
    const credential = credentialBinding(scheme, origins);
    const policy: RegisteredPolicy = {
      kind: 'registered',
      exclude,
      ...(baseUrl !== null && { baseUrl }),
      ...(include !== null && { include }),
      ...(credential && { credential }),
      ...(overlay && { overlay }),
    };
    return {
      domain,
      serverIssue: (address: URL) => serverIssue(address, urls),
      policy,
      ...(descriptionUrl !== null && { documentUrl: descriptionUrl }),
    };
  };
  try {
    const parsed = await parse(description);
    const overlay = extensions.length > 0 ? applyOverlay(parsed.root, extensions) : undefined;
    const origins = description.origins ?? baseOrigins(baseUrlOf(parsed, optionsWith([])) ?? '');
    return compileDocument(parsed, optionsWith(origins, overlay));
  } catch (error) {
    throw error instanceof DefinitionError ? refusal(error) : error;
  }
}

function serverIssue({ href }: URL, urls: UrlPolicy): string | undefined {
  try {
    checkUrl(href, urls);
    return undefined;
  } catch (error) {
    return `The server cannot be called. ${toGatewayError(error).message}`;
  }
}

function parse({ document, name, descriptionUrl }: Description): Promise<ParsedDocument> {
  const text = textIn(document);
  if (isPage(text)) throw unprocessable(IS_PAGE);
  return parseDocument(text, name, { address: descriptionUrl, maxValues: maxValues() });
}

function textIn(document: Uint8Array): string {
  const text = decode(document);
  if (text.trim() === '') throw unprocessable('The description is empty.');
  return text;
}

const isPage = (text: string): boolean => /^\s*</.test(text);

/** What is known of what a person pasted, before anything is proposed. */
export interface ProposalSource {
  readonly document: Uint8Array;
  /** From where it was fetched. */
  readonly url: string | null;
  readonly facts: DatasetFacts;
}

/** Another address at which the description is, or what is proposed for it. */
export type ProposalReading =
  | { readonly kind: 'address'; readonly url: string; readonly facts: DatasetFacts }
  | {
      readonly kind: 'draft';
      readonly draft: ProposalDraft;
      /** The description alone; null if nothing can be registered. */
      readonly document: Uint8Array<ArrayBuffer> | null;
    };

/** Longest page of a portal, in characters: descriptions have the bounds of registration. */
const MAX_PAGE_LENGTH = 4 * 1024 * 1024;

/** Reads a page or a description, and proposes what its family knows. Rejects with `unprocessable` for a page of no family. */
export async function readProposal(
  { document, url, facts }: ProposalSource,
  families: readonly ProposalFamily[],
): Promise<ProposalReading> {
  const text = textIn(document);
  if (!isPage(text)) return draftOf(text, facts, families);
  if (text.length > MAX_PAGE_LENGTH) throw unprocessable('The page is too large.');
  for (const family of families) {
    const page = family.readPage(text, url);
    if (page?.kind === 'address') return page;
    if (page?.kind === 'description') return draftOf(page.text, page.facts, families);
    if (!page) continue;
    const dataset = page.facts;
    const nothing = { ...NO_PROPOSALS, problems: [page.problem] };
    return { kind: 'draft', draft: { ...nothing, family: family.name, dataset }, document: null };
  }
  throw unprocessable(IS_PAGE);
}

async function draftOf(
  text: string,
  facts: DatasetFacts,
  families: readonly ProposalFamily[],
): Promise<ProposalReading> {
  try {
    const tree = await readDocument(text, 'description', maxValues());
    if (!isDescription(tree)) throw unprocessable(NO_DESCRIPTION);
    const drafts = families.map((family) => family.propose(tree, facts));
    const draft = drafts.find((each) => each !== undefined) ?? { ...NO_PROPOSALS, dataset: facts };
    assertSmall(draft);
    const isUsable = draft.problems.every(({ code }) => code === 'no_host');
    return { kind: 'draft', draft, document: isUsable ? new TextEncoder().encode(text) : null };
  } catch (error) {
    throw error instanceof DefinitionError ? refusal(error) : error;
  }
}

const isDescription = (tree: unknown): boolean =>
  isObject(tree) && ['openapi', 'swagger'].some((name) => own(tree, name) !== undefined);

const NO_DESCRIPTION =
  'This is no API description: it has neither "openapi" nor "swagger". Send an OpenAPI document in JSON or YAML, or the page of the dataset in HTML.';

const NO_PROPOSALS = {
  family: null,
  hosts: [],
  origin: null,
  operations: [],
  proposals: [],
  problems: [],
} as const;

/** Largest draft in bytes of JSON: it is stored, and read for each request that names it. */
const MAX_DRAFT_BYTES = 512 * 1024;

function assertSmall(draft: ProposalDraft): void {
  if (Buffer.byteLength(JSON.stringify(draft)) <= MAX_DRAFT_BYTES) return;
  throw unprocessable(
    'The description has too many operations for a proposal. Register it by spec_url or spec_raw, with include.',
  );
}

/** How many values this thread has memory for. The main thread has no limit of its own. */
function maxValues(): number {
  const { maxOldGenerationSizeMb = Number.POSITIVE_INFINITY } = resourceLimits;
  return Math.min(MAX_DOCUMENT_NODES, Math.floor((maxOldGenerationSizeMb * MIB) / VALUE_BYTES));
}

function decode(document: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(document);
  } catch {
    throw unprocessable('The description is not UTF-8 text. Save it in UTF-8, as JSON or YAML.');
  }
}

const IS_PAGE =
  'This is a page (HTML or XML) and not a description. Give the address of the OpenAPI document itself, in JSON or YAML.';

function refusal({ issues }: DefinitionError): GatewayError {
  const errors = issues.map(({ pointer, message }) => ({ path: pointer, message }));
  return new GatewayError('unprocessable', issues[0]?.message, { details: { errors } });
}

const unprocessable = (message: string): GatewayError => new GatewayError('unprocessable', message);
