import { createHmac, randomBytes } from 'node:crypto';
import type { Secret } from './secret.ts';

/** The request header that carries the mark of the gateway that sent it (docs/contract.md#requests). */
export const HOP_HEADER = 'x-tool-gateway-hop';

const BYTES = 12;

/**
 * Creates the mark by which a gateway recognises its own requests, so that no tool can call it in a loop. Processes with
 * the same ENCRYPTION_KEY share their mark: behind a load balancer, any of them may receive the request.
 */
export function createHopMark(encryptionKey: Secret | undefined): string {
  const bytes = encryptionKey
    ? createHmac('sha256', encryptionKey.reveal()).update(HOP_HEADER).digest().subarray(0, BYTES)
    : randomBytes(BYTES);
  return bytes.toString('hex');
}
