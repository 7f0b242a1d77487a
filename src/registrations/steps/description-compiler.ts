import type { Closeable } from '../../platform/kernel/closeable.ts';
import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import type { OperationFilter } from '../../tools/compile/compile-policy.ts';
import type { Tool } from '../../tools/model.ts';
import type { AuthScheme } from '../request/registration-request.ts';
import type {
  CompiledRegistration,
  CompiledTools,
  CompileInput,
  DocumentSource,
  StepLimits,
} from './registration-steps.ts';

/** A stored description, and what was decided when it was registered. */
export interface StoredDescription {
  readonly document: DocumentSource;
  readonly documentUrl: string | null;
  readonly name: string;
  readonly scheme: AuthScheme;
  readonly baseUrl: string | null;
  readonly include: readonly OperationFilter[] | null;
  readonly exclude: readonly OperationFilter[];
  /** The origins that get the credential; null = that of the base address, for what is not registered yet. */
  readonly origins: readonly string[] | null;
  /** Names of the registered tools by the description. */
  readonly tools: readonly string[];
}

export interface LoadedTools {
  readonly tools: readonly Tool[];
  /** The base address of the API; empty if every tool has a server of its own. */
  readonly baseUrl: string;
  /** What they take in memory, roughly. */
  readonly bytes: number;
}

/** Tools that were compiled just now. */
export interface FreshTools {
  readonly loaded: LoadedTools;
  /** Null if they are too large to be stored. */
  readonly compiledTools: CompiledTools | null;
}

/** A large JSON body, read without `spec_raw`, which may be most of it. */
export interface SplitBody {
  readonly members: JsonObject;
  /** `spec_raw` in UTF-8; null if it is absent or not a string, in which case `members` still has it. */
  readonly document: Uint8Array | null;
}

/** Reads strangers' descriptions on threads of their own. Rejects with `unprocessable`, `overloaded` or `unavailable`. */
export interface DescriptionCompiler extends Closeable {
  /** Compiles a description, and builds the validator of each tool once: what is too slow is refused. */
  compile(input: CompileInput, limits: StepLimits): Promise<CompiledRegistration>;
  /**
   * Compiles the registered tools of a tenant's description, in the order of `tools`; those that it no longer has are left
   * out.
   */
  load(stored: StoredDescription, tenantId: string): Promise<FreshTools>;
  /** The stamp of what `load` compiles, by which stored tools are known to be the same. */
  stampOf(stored: Omit<StoredDescription, 'document'>): string;
  /** Reads tools in the form in which they are stored. Rejects if it cannot be read. */
  unpack(content: Uint8Array): Promise<LoadedTools>;
  /** Reads a body that is too large for the event loop. Rejects with `invalid_request` if it is not a JSON object. */
  split(body: Uint8Array, tenantId: string): Promise<SplitBody>;
}
