import { GatewayError } from '../../platform/kernel/error.ts';
import { handOver } from '../../platform/kernel/hand-over.ts';
import {
  createWorkerQueue,
  WorkerFailure,
  type WorkerQueue,
  WorkerTimeout,
} from '../../platform/kernel/worker-queue.ts';
import type { ToolDomain } from '../../tools/domain.ts';
import type { UrlPolicy } from '../../upstreams/guard/check-url.ts';
import type { DescriptionCompiler } from '../steps/description-compiler.ts';
import type { StepLimits } from '../steps/registration-steps.ts';
import type { DescriptionResult, DescriptionWork } from './serve-descriptions.ts';
import { readToolPieces } from './tool-pieces.ts';

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
}

/** Work that may wait for a thread. */
const MAX_WAITING = 256;

/** What compiled tools take in memory, compared with their JSON. */
const MEMORY_PER_JSON_BYTE = 3;

/**
 * Creates the compiler with two threads: one for jobs, which may take long, and one for what a request waits for. Neither
 * runs anything else, so that a description can harm no other work.
 */
export function createDescriptionCompiler(
  options: DescriptionCompilerOptions,
): DescriptionCompiler {
  const { domain, urls, script, maxHeapMib, idleMs = 30_000, timeoutMs = 15_000 } = options;
  const newQueue = () =>
    createWorkerQueue<DescriptionResult>({
      script,
      workerData: urls,
      idleMs,
      maxHeapMib,
      maxWaiting: MAX_WAITING,
      jobTimeoutMs: timeoutMs,
    });
  const jobs = newQueue();
  const requests = newQueue();

  return {
    compile: async ({ options: { baseUrl, include, exclude }, ...input }, limits) => {
      const description = { ...input, baseUrl, include, exclude, origins: null };
      const { checked } = await ask(jobs, 'check', () => {
        assertTime(limits);
        // Copied, because a refresh compiles the same bytes twice: 13 MB take about 3 ms.
        return { value: { kind: 'check', description } satisfies DescriptionWork };
      });
      return checked;
    },
    load: async ({ tools, ...description }) => {
      const { pieces, baseUrl } = await ask(requests, 'load', () => {
        const value = { kind: 'load', description, tools } satisfies DescriptionWork;
        return { value };
      });
      const jsonBytes = pieces.reduce((bytes, { length }) => bytes + length, 0);
      return {
        tools: await readToolPieces(pieces, domain),
        baseUrl,
        bytes: jsonBytes * MEMORY_PER_JSON_BYTE,
      };
    },
    split: async (whole) => {
      const { split } = await ask(requests, 'split', () => {
        const body = handOver(whole);
        return {
          value: { kind: 'split', body } satisfies DescriptionWork,
          transfer: [body.buffer],
        };
      });
      return { ...split, members: JSON.parse(split.members) };
    },
    close: async () => {
      await Promise.all([jobs.close(), requests.close()]);
    },
  };
}

type ResultOf<Kind extends DescriptionResult['kind']> = Extract<
  DescriptionResult,
  { readonly kind: Kind }
>;

async function ask<Kind extends DescriptionResult['kind']>(
  queue: WorkerQueue<DescriptionResult>,
  kind: Kind,
  message: Parameters<WorkerQueue<DescriptionResult>['run']>[0],
): Promise<ResultOf<Kind>> {
  const result = await queue.run(message).catch((error: unknown) => {
    throw error instanceof WorkerFailure ? notCompiled(error) : error;
  });
  if (result.kind === 'refusal') {
    const { code, message: text, details, cause } = result;
    throw new GatewayError(code, text, { details, cause });
  }
  if (result.kind !== kind) throw new Error(`The thread returned ${result.kind}.`);
  return result as ResultOf<Kind>;
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
