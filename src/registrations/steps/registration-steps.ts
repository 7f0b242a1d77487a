import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import type { ByteBudget } from '../../platform/kernel/byte-budget.ts';
import { Cancellation } from '../../platform/kernel/cancellation.ts';
import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import type { Deadline } from '../../platform/kernel/time.ts';
import type { DocumentFetcher } from '../../upstreams/guard/document-fetcher.ts';
import type { AuthScheme, VersionOptions } from '../request/registration-request.ts';

/** When a step must stop: at its deadline, or at once because the gateway stops or another process has the job. */
export interface StepLimits {
  readonly deadline: Deadline;
  readonly signal: AbortSignal;
  /** Whose share of memory and look-ups the step uses. */
  readonly tenantId: string;
}

/** A description that is read when its turn has come, so that those that wait take no memory. */
export interface DocumentSource {
  /** Whether it may take seconds to compile, so that small ones do not wait for it. */
  readonly isLarge: boolean;
  read(): Awaitable<Uint8Array>;
}

/** What decides, beside a description, what its tools are. */
export interface DescriptionContext {
  /** From where it was fetched; null if it came with the request. Relative servers start there. */
  readonly descriptionUrl: string | null;
  readonly name: string;
  readonly scheme: AuthScheme;
  readonly options: VersionOptions;
}

export interface CompileInput extends DescriptionContext {
  readonly document: DocumentSource;
}

/** What a tool consists of, for comparison with another version of it: digests, and the origin itself. */
export interface ToolTraits {
  readonly description: string;
  /** Its arguments. */
  readonly parameters: string;
  /** Everything else that decides what is sent and how the response is read. */
  readonly request: string;
  readonly origin: string;
}

/** Compiled tools in the form in which they are stored: a cache, without which their description is compiled again. */
export interface CompiledTools {
  /** What they were compiled from, and by which release. */
  readonly stamp: string;
  readonly content: Uint8Array;
}

export interface CompiledRegistration {
  readonly baseUrl: string;
  /** Names of the tools by the description, without duplicates. */
  readonly tools: readonly string[];
  /** The traits of every tool, by its name. */
  readonly traits: Readonly<Record<string, ToolTraits>>;
  /** As clients see it (docs/contract.md#registration). */
  readonly report: JsonObject;
  /** Null if they are too large to be stored. */
  readonly compiledTools: CompiledTools | null;
}

/**
 * What a job consists of. A step rejects with a GatewayError, whose first `errors` entry may have the pointer of the
 * issue. A fetch that fails with a retryable error is repeated. Nothing is compiled on the event loop.
 */
export interface RegistrationSteps {
  fetchDocument(url: string, limits: StepLimits): Promise<Uint8Array>;
  /** As `fetchDocument`; a page of a dataset stands for the description that it contains or names. */
  findDocument(url: string, limits: StepLimits): Promise<Uint8Array>;
  compile(input: CompileInput, limits: StepLimits): Promise<CompiledRegistration>;
}

export interface FetchDescriptionDeps {
  readonly documents: DocumentFetcher;
  readonly budget: ByteBudget;
  readonly maxBytes: number;
}

/** Creates the step that fetches a description from its address, through the guard. */
export const createFetchDescription =
  ({ documents, budget, maxBytes }: FetchDescriptionDeps): RegistrationSteps['fetchDocument'] =>
  async (url, { deadline, signal, tenantId }) => {
    const memory = budget.open(tenantId);
    const cancellation = new Cancellation();
    const cancel = (): void => cancellation.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const options = { deadline, tenantId, memory, maxBytes, cancellation };
      return (await documents.fetch(url, options)).bytes;
    } finally {
      signal.removeEventListener('abort', cancel);
      memory.close();
    }
  };
