import type { Closeable } from '../../platform/kernel/closeable.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { handOver } from '../../platform/kernel/hand-over.ts';
import { createWorkerQueue, WorkerFailure } from '../../platform/kernel/worker-queue.ts';
import type { NormalisedPayload, PayloadInput } from './normalise-payload.ts';
import type { PayloadJob, PayloadResult } from './serve-payloads.ts';

/** Reads payloads on a separate thread, one after another. */
interface PayloadThread extends Closeable {
  readonly read: (input: PayloadInput) => Promise<NormalisedPayload>;
}

/** Bodies that may be queued for the thread; the memory budget bounds their bytes. */
const MAX_WAITING = 256;
/** Far longer than the largest body that usual settings allow takes. */
const JOB_TIMEOUT_MS = 30_000;

export interface PayloadThreadOptions {
  /** Calls `servePayloads`. */
  readonly script: URL;
  readonly idleMs: number;
  readonly maxHeapMib: number;
}

export function createPayloadThread(options: PayloadThreadOptions): PayloadThread {
  const queue = createWorkerQueue<PayloadResult>({
    ...options,
    maxWaiting: MAX_WAITING,
    jobTimeoutMs: JOB_TIMEOUT_MS,
  });
  return {
    read: (input) => queue.run(() => messageFor(input)).then(toPayload, refuse),
    close: queue.close,
  };
}

function messageFor({ deadline, ...input }: PayloadInput) {
  if (deadline?.remainingMs() === 0) throw new GatewayError('upstream_timeout');
  const body = handOver(input.body);
  return { value: { ...input, body } satisfies PayloadJob, transfer: [body.buffer] };
}

function toPayload({ payload, reason }: PayloadResult): NormalisedPayload {
  if (payload) return { ...payload, json: Buffer.from(payload.json.buffer) };
  throw new GatewayError('upstream_bad_payload', undefined, { cause: reason });
}

function refuse(error: unknown): never {
  if (!(error instanceof WorkerFailure)) throw error;
  throw new GatewayError('upstream_bad_payload', undefined, { cause: error });
}
