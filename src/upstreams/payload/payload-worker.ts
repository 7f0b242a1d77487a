import { parentPort } from 'node:worker_threads';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { NormalisedPayload, PayloadInput } from './normalise-payload.ts';
import { readPayload } from './read-payload.ts';

/** One body to read. Buffers arrive on the other side as plain byte arrays. */
export interface PayloadJob extends Omit<PayloadInput, 'body' | 'deadline'> {
  readonly body: Uint8Array<ArrayBuffer>;
}

export interface PayloadResult {
  /** Absent when the body could not be read; then `reason` says why, for the log. */
  readonly payload?: Omit<NormalisedPayload, 'json'> & { readonly json: Uint8Array<ArrayBuffer> };
  readonly reason?: string;
}

function resultOf({ body, ...input }: PayloadJob): PayloadResult {
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

parentPort?.on('message', (job: PayloadJob) => {
  const result = resultOf(job);
  parentPort?.postMessage(result, result.payload ? [result.payload.json.buffer] : []);
});
