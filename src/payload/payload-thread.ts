import { Worker } from 'node:worker_threads';
import type { Closeable } from '../kernel/closeable.ts';
import { GatewayError } from '../kernel/error.ts';
import type { NormalisedPayload, NormalisePayload, PayloadInput } from './normalise-payload.ts';
import type { PayloadJob, PayloadResult } from './payload-worker.ts';

/** Reads payloads on a thread of its own, one after another. */
interface PayloadThread extends Closeable {
  readonly read: NormalisePayload;
}

interface Waiting {
  readonly resolve: (payload: NormalisedPayload) => void;
  readonly reject: (error: GatewayError) => void;
}

// From source the worker is TypeScript; compiled, it is the JavaScript beside this file.
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './payload-worker.ts' : './payload-worker.js',
  import.meta.url,
);

/** Enough for the largest body that settings usually allow; what needs more ends the thread, not the process. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 1024 };

/** The thread starts with the first body and ends after `idleMs` without one. */
export function createPayloadThread(idleMs: number): PayloadThread {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let idleTimer: NodeJS.Timeout | undefined;
  let lastId = 0;

  const stop = async (reason: GatewayError): Promise<void> => {
    clearTimeout(idleTimer);
    const stopped = worker;
    worker = undefined;
    for (const { reject } of waiting.values()) reject(reason);
    waiting.clear();
    await stopped?.terminate();
  };

  const settle = ({ id, payload, reason }: PayloadResult): void => {
    const call = waiting.get(id);
    if (!call) return; // a last word of a thread that has been stopped
    waiting.delete(id);
    if (waiting.size === 0) rest();
    if (payload) call.resolve({ ...payload, json: Buffer.from(payload.json.buffer) });
    else call.reject(new GatewayError('upstream_bad_payload', undefined, { cause: reason }));
  };

  /** Without work the thread must not keep the process alive; with work it must, or an answer would be lost. */
  const rest = (): void => {
    worker?.unref();
    idleTimer = setTimeout(() => void stop(new GatewayError('unavailable')), idleMs).unref();
  };

  const start = (): Worker => {
    const started = new Worker(WORKER, { env: {}, execArgv: [], resourceLimits: RESOURCE_LIMITS });
    started.on('message', settle);
    // The thread dies of a body that is too much for it.
    started.on('error', (cause) => {
      if (started !== worker) return;
      void stop(new GatewayError('upstream_bad_payload', undefined, { cause }));
    });
    return started;
  };

  return {
    read(input: PayloadInput): Promise<NormalisedPayload> {
      return new Promise((resolve, reject) => {
        clearTimeout(idleTimer);
        worker ??= start();
        worker.ref();
        const id = ++lastId;
        waiting.set(id, { resolve, reject });
        const body = new Uint8Array(input.body); // a copy: the bytes may be a slice of a shared pool
        worker.postMessage({ ...input, id, body } satisfies PayloadJob, [body.buffer]);
      });
    },
    close: () => stop(new GatewayError('unavailable')),
  };
}
