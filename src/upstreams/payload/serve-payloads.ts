import { parentPort } from 'node:worker_threads';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { NormalisedPayload, PayloadInput } from './normalise-payload.ts';
import type { PayloadDomain } from './payload-domain.ts';
import { createPayloadReader, type ReadPayload } from './read-payload.ts';

/** One body to read. Buffers arrive on the thread as plain byte arrays. */
export interface PayloadJob extends Omit<PayloadInput, 'body' | 'deadline'> {
  readonly body: Uint8Array<ArrayBuffer>;
}

export interface PayloadResult {
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
  try {
    const payload = readPayload({
      ...input,
      body: Buffer.from(body.buffer, body.byteOffset, body.length),
    });
    return { payload: { ...payload, json: new Uint8Array(payload.json) } };
  } catch (error) {
    const cause = error instanceof GatewayError ? error.cause : error;
    return { reason: String(cause) };
  }
}
