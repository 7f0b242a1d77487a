import type { Closeable } from '../../platform/kernel/closeable.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { handOver } from '../../platform/kernel/hand-over.ts';
import { createWorkerQueue, WorkerFailure } from '../../platform/kernel/worker-queue.ts';
import { COMPANY_LIMITS } from './company.ts';
import type { PackedCompanies } from './pack-companies.ts';
import type { CompaniesJob, CompaniesResult } from './serve-companies.ts';

export interface PackerOptions {
  /** Script of the worker thread, which calls `serveCompanies`. */
  readonly script: URL;
  /** V8's heap on the thread. */
  readonly maxHeapMib: number;
}

/** Unzips, reads and indexes lists on a thread, where they do not block the event loop. */
interface Packer extends Closeable {
  /** Hands the bytes over: they cannot be used afterwards. Rejects with `upstream_bad_payload`. */
  pack(list: { readonly bytes: Buffer; readonly head?: string }): Promise<PackedCompanies>;
}

/** The thread is needed once a day, and then no more. */
const IDLE_MS = 1000;

export function createPacker(options: PackerOptions): Packer {
  const queue = createWorkerQueue<CompaniesResult>({
    ...options,
    idleMs: IDLE_MS,
    maxWaiting: 1,
    jobTimeoutMs: COMPANY_LIMITS.readMs,
  });
  return {
    async pack({ bytes, ...rest }) {
      const job: CompaniesJob = { ...rest, bytes: handOver(bytes) };
      const { packed, reason } = await queue
        .run(() => ({ value: job, transfer: [job.bytes.buffer] }))
        .catch(refuse);
      if (packed) return packed;
      throw unreadable(reason ?? 'the thread that reads it failed');
    },
    close: queue.close,
  };
}

function refuse(error: unknown): never {
  throw error instanceof WorkerFailure ? unreadable('it takes too much time or memory') : error;
}

const unreadable = (reason: string): GatewayError =>
  new GatewayError('upstream_bad_payload', `The list of companies could not be read: ${reason}.`);
