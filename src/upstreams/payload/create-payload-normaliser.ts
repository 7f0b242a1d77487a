import type { Closeable } from '../../platform/kernel/closeable.ts';
import { kindOf } from './body-kind.ts';
import type { NormalisePayload, PayloadInput } from './normalise-payload.ts';
import { createPayloadThread } from './payload-thread.ts';
import { readPayload } from './read-payload.ts';

/** Turns upstream bodies into JSON; `normalise` throws GatewayError `upstream_bad_payload`. */
interface PayloadNormaliser extends Closeable {
  readonly normalise: NormalisePayload;
}

export interface PayloadNormaliserOptions {
  /** XML larger than this, in bytes, is read on a worker thread; 100 KB unless said. */
  readonly xmlInlineBytes?: number;
  /** The same for any other body; 1 MiB unless said. */
  readonly inlineBytes?: number;
  /** The worker thread ends after this long without work, in milliseconds; 30 s unless said. */
  readonly idleMs?: number;
  /** Heap of the worker thread; 512 MiB unless said. */
  readonly maxHeapMib?: number;
}

/** Small bodies are read at once, large ones where they hold nobody up. */
export function createPayloadNormaliser({
  xmlInlineBytes = 100_000,
  inlineBytes = 1024 * 1024,
  idleMs = 30_000,
  maxHeapMib = 512,
}: PayloadNormaliserOptions = {}): PayloadNormaliser {
  const thread = createPayloadThread({ idleMs, maxHeapMib });

  const isLarge = ({ body, contentType }: PayloadInput): boolean =>
    body.length > inlineBytes ||
    (body.length > xmlInlineBytes && kindOf(body, contentType) === 'xml');

  return {
    normalise: (input) => (isLarge(input) ? thread.read(input) : readPayload(input)),
    close: () => thread.close(),
  };
}
