import { createHash } from 'node:crypto';
import { GatewayError } from '../../platform/kernel/error.ts';
import { VERSION } from '../../platform/kernel/version.ts';
import {
  createWorkerQueue,
  WorkerFailure,
  WorkerTimeout,
} from '../../platform/kernel/worker-queue.ts';
import type { ToolDomain } from '../../tools/domain.ts';
import { type LoadedTools, PACKED_FORMAT, unpackTools } from '../../tools/tool-pieces.ts';
import type { UrlPolicy } from '../../upstreams/guard/check-url.ts';
import { baseOrigins } from './origins.ts';
import type { ProposalReading, ProposalSource } from './read-description.ts';
import type {
  CompiledRegistration,
  CompiledTools,
  CompileInput,
  DocumentSource,
  StepLimits,
} from './registration-steps.ts';
import type { DescriptionResult, DescriptionWork, WorkResults } from './serve-descriptions.ts';

export interface DescriptionCompilerOptions {
  /** Script of the worker threads, which calls `serveDescriptions` with the same domain. */
  readonly script: URL;
  readonly domain: ToolDomain;
  /** Which servers the gateway calls. */
  readonly urls: UrlPolicy;
  /** V8's heap on each thread. A description that needs more is refused. */
  readonly maxHeapMib: number;
  /** A thread ends after this long without work, in milliseconds. Default: 30 s. */
  readonly idleMs?: number;
  /** Time for one description, in milliseconds, a quarter of a job's: others wait for it. Default: 15 s. */
  readonly timeoutMs?: number;
  /** The same on the thread for small ones, whose start counts. Default: 5 s. */
  readonly smallTimeoutMs?: number;
}

/** A stored description, and what was decided when it was registered. */
export interface StoredDescription extends CompileInput {
  /** The origins that get the credential; null = the origin of the base address, for what is not registered yet. */
  readonly origins: readonly string[] | null;
  /** Names of the registered tools by the description. */
  readonly tools: readonly string[];
}

/** Work that may wait for a thread. */
const MAX_WAITING = 256;
/** Of these, for one tenant. */
const MAX_WAITING_OF_TENANT = 32;

/** Compiled tools that are stored. */
const MAX_STORED_BYTES = 4 * 1024 * 1024;

/** Large descriptions are rare, and leave a heap of a hundred megabytes behind. */
const LARGE_IDLE_MS = 2000;

export type DescriptionCompiler = ReturnType<typeof createDescriptionCompiler>;

/** Reads strangers' descriptions on threads. All work rejects with `unprocessable`, `overloaded` or `unavailable`. */
export function createDescriptionCompiler(options: DescriptionCompilerOptions) {
  const { domain } = options;
  const threads = createThreads(options);
  const stampOf = (stored: Omit<StoredDescription, 'document'>) => stampFor(stored, options);
  return {
    /** Compiles a description, and builds the validator of each tool once: what is too slow is refused. */
    compile: async (
      { document, ...context }: CompileInput,
      limits: StepLimits,
    ): Promise<CompiledRegistration> => {
      const work = { kind: 'check', ...context, origins: null } as const;
      const compiled = await threads.run<'check'>(document, limits.tenantId, async () => {
        assertTime(limits);
        return { ...work, document: await document.read() };
      });
      const { content, ...registration } = compiled;
      const { tools, baseUrl } = registration;
      // These are the origins of a first version. Where a tenant confirms others, the tools are compiled once more for them.
      const stamp = stampOf({ ...context, origins: baseOrigins(baseUrl), tools });
      return { ...registration, compiledTools: toStore({ stamp, content }) };
    },
    /**
     * Compiles the registered tools of a tenant's description, in the order of `tools`; those that it no longer has are left
     * out. `compiledTools` is null if they are too large to be stored.
     */
    load: async ({ document, ...stored }: StoredDescription, tenantId: string) => {
      const work = { kind: 'load', ...stored } as const;
      const read = async () => ({ ...work, document: await document.read() });
      const content = await threads.run<'load'>(document, tenantId, read);
      const loaded = await unpackTools(content, domain);
      return { loaded, compiledTools: toStore({ stamp: stampOf(stored), content }) };
    },
    /** Reads what a person pasted, and proposes what is known of it. */
    propose: (
      {
        document,
        ...given
      }: Omit<ProposalSource, 'document'> & { readonly document: DocumentSource },
      tenantId: string,
    ): Promise<ProposalReading> => {
      const work = async () => ({
        kind: 'propose' as const,
        ...given,
        document: await document.read(),
      });
      return threads.run<'propose'>(document, tenantId, work);
    },
    /** The stamp of what `load` compiles, by which stored tools are known to be the same. */
    stampOf,
    /** Reads tools in the form in which they are stored. Rejects if it cannot be read. */
    unpack: (content: Uint8Array): Promise<LoadedTools> => unpackTools(content, domain),
    close: threads.close,
  };
}

/**
 * Two threads, so that small descriptions do not wait for large ones. A small one that takes long starts again on the thread
 * for large ones. On both, tenants take turns. Neither runs anything else, so that a description can harm no other work.
 */
function createThreads({
  script,
  urls: workerData,
  maxHeapMib,
  idleMs = 30_000,
  timeoutMs = 15_000,
  smallTimeoutMs = Math.min(5000, timeoutMs),
}: DescriptionCompilerOptions) {
  const bounds = { maxHeapMib, maxWaiting: MAX_WAITING, maxWaitingPerLane: MAX_WAITING_OF_TENANT };
  const newQueue = (jobTimeoutMs: number, threadIdleMs: number) =>
    createWorkerQueue<DescriptionResult>({
      ...bounds,
      script,
      workerData,
      idleMs: threadIdleMs,
      jobTimeoutMs,
    });
  const small = newQueue(smallTimeoutMs, idleMs);
  const large = newQueue(timeoutMs, Math.min(idleMs, LARGE_IDLE_MS));
  return {
    async run<Kind extends DescriptionWork['kind']>(
      { isLarge }: DocumentSource,
      tenantId: string,
      work: () => Promise<Extract<DescriptionWork, { kind: Kind }>>,
    ): Promise<WorkResults[Kind]> {
      const message = async () => ({ value: await work() });
      const onLarge = () => large.run(message, tenantId);
      const onSmall = () =>
        small.run(message, tenantId).catch((error: unknown) => {
          if (error instanceof WorkerTimeout) return onLarge();
          throw error;
        });
      return accept<Kind>(await (isLarge ? onLarge() : onSmall()).catch(fail));
    },
    close: async (): Promise<void> => {
      await Promise.all([small.close(), large.close()]);
    },
  };
}

/** What compiled tools depend on besides their description: another stamp means that they must be compiled again. */
function stampFor(
  { descriptionUrl, scheme, options, origins, tools }: Omit<StoredDescription, 'document'>,
  { domain, urls }: DescriptionCompilerOptions,
): string {
  const { baseUrl, include, exclude, extensions } = options;
  const release = [PACKED_FORMAT, VERSION];
  const names = [...domain.computedDefaults.keys()];
  const policy = [names, domain.secretName, urls.allowPrivate, [...urls.ownHosts].sort()];
  const input = [descriptionUrl, scheme, baseUrl, include, exclude, origins, tools, extensions];
  return createHash('sha256')
    .update(JSON.stringify([release, policy, input]))
    .digest('base64url');
}

const toStore = (tools: CompiledTools): CompiledTools | null =>
  tools.content.length > MAX_STORED_BYTES ? null : tools;

function accept<Kind extends keyof WorkResults>(result: DescriptionResult): WorkResults[Kind] {
  if ('value' in result) return result.value as WorkResults[Kind];
  const { code, message, details, cause } = result.refusal;
  throw new GatewayError(code, message, { details, cause });
}

function fail(error: unknown): never {
  if (!(error instanceof WorkerFailure)) throw error;
  const message = error instanceof WorkerTimeout ? TOO_SLOW : TOO_LARGE;
  throw new GatewayError('unprocessable', message, { cause: error });
}

const TOO_SLOW =
  'The description takes too long to compile. Register fewer operations with "include", or split it.';
const TOO_LARGE =
  'The description needs more memory than the gateway has for one. Register fewer operations with "include", or split it.';

/** The turn of a job may come after its end. */
function assertTime({ deadline, signal }: StepLimits): void {
  if (signal.aborted || deadline.remainingMs() === 0) throw new GatewayError('unavailable');
}
