import type { Closeable } from '../../platform/kernel/closeable.ts';
import { kindOf } from './body-kind.ts';
import type { NormalisePayload, PayloadInput } from './normalise-payload.ts';
import type { PayloadDomain } from './payload-domain.ts';
import { createPayloadThread } from './payload-thread.ts';
import { createPayloadReader } from './read-payload.ts';

/** Converts upstream bodies to JSON. `normalise` throws GatewayError `upstream_bad_payload`. */
interface PayloadNormaliser extends Closeable {
  readonly normalise: NormalisePayload;
}

export interface PayloadNormaliserOptions {
  readonly domain: PayloadDomain;
  /** Script of the worker thread, which calls `servePayloads` with the same domain. */
  readonly workerScript: URL;
  /** XML larger than this, in bytes, is read on a worker thread. Default: 100 KB. */
  readonly xmlInlineBytes?: number;
  /** The same for any other body. Default: 1 MiB. */
  readonly inlineBytes?: number;
  /** The worker thread ends after this long without work, in milliseconds. Default: 30 s. */
  readonly idleMs?: number;
  /** Heap of the worker thread. Default: 512 MiB. */
  readonly maxHeapMib?: number;
}

/** Reads small bodies at once, and large ones on a thread, where they do not block the event loop. */
export function createPayloadNormaliser({
  domain,
  workerScript,
  xmlInlineBytes = 100_000,
  inlineBytes = 1024 * 1024,
  idleMs = 30_000,
  maxHeapMib = 512,
}: PayloadNormaliserOptions): PayloadNormaliser {
  const thread = createPayloadThread({ script: workerScript, idleMs, maxHeapMib });
  const readPayload = createPayloadReader(domain);

  const isLarge = ({ body, contentType }: PayloadInput): boolean =>
    body.length > inlineBytes ||
    (body.length > xmlInlineBytes && kindOf(body, contentType) === 'xml');

  return {
    normalise: (input) => (isLarge(input) ? thread.read(input) : readPayload(input)),
    close: () => thread.close(),
  };
}
