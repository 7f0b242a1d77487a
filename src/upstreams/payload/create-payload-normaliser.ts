import { parentPort } from 'node:worker_threads';
import { free } from '../../platform/kernel/body-collector.ts';
import type { Closeable } from '../../platform/kernel/closing.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import {
  createWorkerQueue,
  toTransferable,
  WorkerFailure,
} from '../../platform/kernel/worker-queue.ts';
import type { PayloadDomain } from './payload-domain.ts';
import { isCsvType } from './read-csv.ts';
import { createPayloadReader, kindOf, type ReadPayload } from './read-payload.ts';
import type { NormalisedPayload, NormalisePayload, PayloadInput } from './upstream-response.ts';

export interface PayloadNormaliserOptions {
  readonly domain: PayloadDomain;
  /** Script of the worker thread, which calls `servePayloads` with the same domain. */
  readonly workerScript: URL;
  /** XML or CSV larger than this, in bytes, is read on a worker thread. Default: 100 KB. */
  readonly xmlInlineBytes?: number;
  /** The same for any other body. Default: 1 MiB. */
  readonly inlineBytes?: number;
  /** The worker thread ends after this long without work, in milliseconds. Default: 30 s. */
  readonly idleMs?: number;
  /** Heap of the worker thread. Default: 512 MiB. */
  readonly maxHeapMib?: number;
}

/** Bodies that may be queued for the thread; the memory budget bounds their bytes. */
const MAX_WAITING = 256;
/** Of these, for one tenant; tenants take turns. */
const MAX_WAITING_OF_TENANT = 64;
/** Far longer than the largest body that usual settings allow takes. */
const JOB_TIMEOUT_MS = 30_000;

/** Converts upstream bodies to JSON: reads small bodies at once, and large ones on a thread, where they do not block the event loop. */
export function createPayloadNormaliser({
  domain,
  workerScript,
  xmlInlineBytes = 100_000,
  inlineBytes = 1024 * 1024,
  idleMs = 30_000,
  maxHeapMib = 512,
}: PayloadNormaliserOptions): Closeable & { readonly normalise: NormalisePayload } {
  const queue = createWorkerQueue<PayloadResult>({
    script: workerScript,
    idleMs,
    maxHeapMib,
    maxWaiting: MAX_WAITING,
    maxWaitingPerLane: MAX_WAITING_OF_TENANT,
    jobTimeoutMs: JOB_TIMEOUT_MS,
  });
  const readPayload = createPayloadReader(domain);

  const isLarge = ({ body, contentType }: PayloadInput): boolean =>
    body.length > inlineBytes ||
    (body.length > xmlInlineBytes &&
      (isCsvType(contentType) || kindOf(body, contentType) === 'xml'));

  return {
    normalise: (input) =>
      isLarge(input)
        ? queue.run(() => messageFor(input), input.tenantId).then(toPayload, refuse)
        : readPayload(input),
    close: queue.close,
  };
}

function messageFor({ deadline, tenantId: _tenantId, ...input }: PayloadInput) {
  if (deadline?.remainingMs() === 0) throw new GatewayError('upstream_timeout');
  const body = toTransferable(input.body);
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

/** One body to read. Buffers arrive on the thread as plain byte arrays. */
interface PayloadJob extends Omit<PayloadInput, 'body' | 'deadline' | 'tenantId'> {
  readonly body: Uint8Array<ArrayBuffer>;
}

interface PayloadResult {
  /** Absent if the body could not be read; `reason` then explains it, for the log. */
  readonly payload?: Omit<NormalisedPayload, 'json'> & { readonly json: Uint8Array<ArrayBuffer> };
  readonly reason?: string;
}

/** Reads the payloads that are posted to this worker thread. */
export function servePayloads(domain: PayloadDomain): void {
  const readPayload = createPayloadReader(domain);
  parentPort?.on('message', (job: PayloadJob) => {
    const result = resultOf(readPayload, job);
    parentPort?.postMessage(result, result.payload ? [result.payload.json.buffer] : []);
  });
}

function resultOf(readPayload: ReadPayload, { body, ...input }: PayloadJob): PayloadResult {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const result = readOrExplain(readPayload, { ...input, body: bytes });
  if (result.payload?.json.buffer !== body.buffer) free(body);
  return result;
}

function readOrExplain(readPayload: ReadPayload, input: PayloadInput): PayloadResult {
  try {
    const payload = readPayload(input);
    return { payload: { ...payload, json: alone(payload.json) } };
  } catch (error) {
    const cause = error instanceof GatewayError ? error.cause : error;
    return { reason: String(cause) };
  }
}

/** The bytes, in a buffer that has no others: it is transferred as a whole. */
const alone = (bytes: Buffer): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.buffer.byteLength === bytes.length
    ? new Uint8Array(bytes.buffer)
    : new Uint8Array(bytes);
