import { createHash } from 'node:crypto';
import { GatewayError } from '../../platform/kernel/error.ts';
import { handOver } from '../../platform/kernel/hand-over.ts';
import { VERSION } from '../../platform/kernel/version.ts';
import {
  createWorkerQueue,
  WorkerFailure,
  type WorkerQueue,
  WorkerTimeout,
} from '../../platform/kernel/worker-queue.ts';
import type { ToolDomain } from '../../tools/domain.ts';
import type { UrlPolicy } from '../../upstreams/guard/check-url.ts';
import type { DescriptionCompiler, StoredDescription } from '../steps/description-compiler.ts';
import type { CompiledTools, DocumentSource, StepLimits } from '../steps/registration-steps.ts';
import type { DescriptionResult, DescriptionWork } from './serve-descriptions.ts';
import { PACKED_FORMAT, unpackTools } from './tool-pieces.ts';

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
  /** Time for one description, in milliseconds, a quarter of that of a job: others wait for it. Default: 15 s. */
  readonly timeoutMs?: number;
  /** The same on the thread for small ones, whose start counts. Default: 5 s. */
  readonly smallTimeoutMs?: number;
}

/** Work that may wait for a thread. */
const MAX_WAITING = 256;
/** Of these, that of one tenant. */
const MAX_WAITING_OF_TENANT = 32;

/** Compiled tools that are stored. */
const MAX_STORED_BYTES = 4 * 1024 * 1024;

type Queue = WorkerQueue<DescriptionResult>;

/** Large descriptions are rare, and leave a heap of a hundred megabytes behind. */
const LARGE_IDLE_MS = 2000;

/**
 * Creates the compiler with two threads. One has what seems to take short: small descriptions, and the division of bodies.
 * What takes longer there than it may starts again on the other one, where large descriptions are from the start. On both,
 * tenants take turns. Neither runs anything else, so that a description can harm no other work.
 */
export function createDescriptionCompiler(
  options: DescriptionCompilerOptions,
): DescriptionCompiler {
  const { domain, urls, script, maxHeapMib, idleMs = 30_000 } = options;
  const { timeoutMs = 15_000, smallTimeoutMs = Math.min(5000, timeoutMs) } = options;
  const newQueue = (jobTimeoutMs: number, threadIdleMs: number): Queue =>
    createWorkerQueue<DescriptionResult>({
      script,
      workerData: urls,
      idleMs: threadIdleMs,
      maxHeapMib,
      maxWaiting: MAX_WAITING,
      maxWaitingPerLane: MAX_WAITING_OF_TENANT,
      jobTimeoutMs,
    });
  const small = newQueue(smallTimeoutMs, idleMs);
  const large = newQueue(timeoutMs, Math.min(idleMs, LARGE_IDLE_MS));
  const stampOf: DescriptionCompiler['stampOf'] = (stored) => stampFor(stored, { domain, urls });

  /** Runs work on a description where it delays others least. */
  async function run({ isLarge }: DocumentSource, work: Work, tenantId: string) {
    if (isLarge) return large.run(work, tenantId);
    return small.run(work, tenantId).catch((error: unknown) => {
      if (error instanceof WorkerTimeout) return large.run(work, tenantId);
      throw error;
    });
  }

  return {
    compile: async ({ options: { baseUrl, include, exclude }, document, ...input }, limits) => {
      const description = { ...input, baseUrl, include, exclude, origins: null };
      const work = async () => {
        assertTime(limits);
        return message({
          kind: 'check',
          description: { ...description, document: await document.read() },
        });
      };
      const { checked } = resultOf('check', await run(document, work, limits.tenantId).catch(fail));
      const { content, ...registration } = checked;
      const { tools, baseUrl: address } = registration;
      // These are the origins of a first version. Where a tenant confirms others, the tools are compiled once more for them.
      const origins = address === '' ? [] : [new URL(address).origin];
      const stamp = stampOf({ ...description, origins, tools });
      return { ...registration, compiledTools: toStore({ stamp, content }) };
    },
    load: async ({ tools, document, ...description }, tenantId) => {
      const work = async () =>
        message({
          kind: 'load',
          description: { ...description, document: await document.read() },
          tools,
        });
      const { content } = resultOf('load', await run(document, work, tenantId).catch(fail));
      const stamp = stampOf({ ...description, tools });
      const loaded = await unpackTools(content, domain);
      return { loaded, compiledTools: toStore({ stamp, content }) };
    },
    stampOf,
    unpack: (content) => unpackTools(content, domain),
    split: async (whole, tenantId) => {
      const work = () => {
        const body = handOver(whole);
        return message({ kind: 'split', body }, [body.buffer]);
      };
      // The thread takes the body over, so this cannot start again. Its time depends on its length alone.
      const result = await small.run(work, tenantId, timeoutMs).catch(fail);
      const { split } = resultOf('split', result);
      return { ...split, members: JSON.parse(split.members) };
    },
    close: async () => {
      await Promise.all([small.close(), large.close()]);
    },
  };
}

type Work = Parameters<Queue['run']>[0];

const message = (value: DescriptionWork, transfer: readonly ArrayBuffer[] = []) => ({
  value,
  transfer,
});

/** What compiled tools depend on besides their description: another stamp means that they must be compiled again. */
function stampFor(
  {
    documentUrl,
    scheme,
    baseUrl,
    include,
    exclude,
    origins,
    tools,
  }: Omit<StoredDescription, 'document'>,
  { domain, urls }: Pick<DescriptionCompilerOptions, 'domain' | 'urls'>,
): string {
  const release = [PACKED_FORMAT, VERSION];
  const names = [...domain.computedDefaults.keys()];
  const policy = [names, domain.secretName, urls.allowPrivate, [...urls.ownHosts].sort()];
  const input = [documentUrl, scheme, baseUrl, include, exclude, origins, tools];
  return createHash('sha256')
    .update(JSON.stringify([release, policy, input]))
    .digest('base64url');
}

const toStore = (tools: CompiledTools): CompiledTools | null =>
  tools.content.length > MAX_STORED_BYTES ? null : tools;

type ResultOf<Kind extends DescriptionResult['kind']> = Extract<
  DescriptionResult,
  { readonly kind: Kind }
>;

function resultOf<Kind extends DescriptionResult['kind']>(
  kind: Kind,
  result: DescriptionResult,
): ResultOf<Kind> {
  if (result.kind === 'refusal') {
    const { code, message: text, details, cause } = result;
    throw new GatewayError(code, text, { details, cause });
  }
  if (result.kind !== kind) throw new Error(`The thread returned ${result.kind}.`);
  return result as ResultOf<Kind>;
}

function fail(error: unknown): never {
  throw error instanceof WorkerFailure ? notCompiled(error) : error;
}

const notCompiled = (cause: WorkerFailure): GatewayError =>
  new GatewayError('unprocessable', cause instanceof WorkerTimeout ? TOO_SLOW : TOO_LARGE, {
    cause,
  });

const TOO_SLOW =
  'The description takes too long to compile. Register fewer operations with "include", or split it.';
const TOO_LARGE =
  'The description needs more memory than the gateway has for one. Register fewer operations with "include", or split it.';

/** The turn of a job may come after its end. */
function assertTime({ deadline, signal }: StepLimits): void {
  if (signal.aborted || deadline.remainingMs() === 0) throw new GatewayError('unavailable');
}
