import type { Closeable } from '../../platform/kernel/closeable.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { createWorkerQueue, WorkerFailure } from '../../platform/kernel/worker-queue.ts';
import type { NormalisedPayload, PayloadInput } from './normalise-payload.ts';
import type { PayloadJob, PayloadResult } from './payload-worker.ts';

/** Reads payloads on a thread of its own, one after another. */
interface PayloadThread extends Closeable {
  readonly read: (input: PayloadInput) => Promise<NormalisedPayload>;
}

// From source the worker is TypeScript; compiled, it is the JavaScript beside this file.
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './payload-worker.ts' : './payload-worker.js',
  import.meta.url,
);

/** Bodies that may wait for the thread; the memory budget bounds their bytes. */
const MAX_WAITING = 256;
/** Far more than the largest body that settings usually allow takes. */
const JOB_TIMEOUT_MS = 30_000;

export interface PayloadThreadOptions {
  readonly idleMs: number;
  readonly maxHeapMib: number;
}

export function createPayloadThread(options: PayloadThreadOptions): PayloadThread {
  const queue = createWorkerQueue<PayloadResult>({
    ...options,
    script: WORKER,
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

/** Copying ten megabytes would stop everything else for as many milliseconds; small bytes may lie in a shared pool. */
const handOver = (body: Buffer): Uint8Array<ArrayBuffer> =>
  body.length > Buffer.poolSize && body.buffer instanceof ArrayBuffer
    ? new Uint8Array(body.buffer, body.byteOffset, body.length)
    : new Uint8Array(body);

function toPayload({ payload, reason }: PayloadResult): NormalisedPayload {
  if (payload) return { ...payload, json: Buffer.from(payload.json.buffer) };
  throw new GatewayError('upstream_bad_payload', undefined, { cause: reason });
}

function refuse(error: unknown): never {
  if (!(error instanceof WorkerFailure)) throw error;
  throw new GatewayError('upstream_bad_payload', undefined, { cause: error });
}
