import type { Dispatcher } from 'undici';
import { BodyCollector } from '../../platform/kernel/body-collector.ts';
import { type ByteSource, overBudget } from '../../platform/kernel/byte-budget.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { headerText, type ResponseHeaders } from '../../platform/kernel/http-names.ts';
import type { Abortable, AbortableCall } from './abortable-call.ts';
import { createDecoder, type Decoder, type DecoderOutput } from './decoder.ts';
import { type Failure, toFailure } from './network-errors.ts';

export interface ResponseLimits {
  /** Applies to the body as sent and as decompressed. */
  readonly maxBytes: number;
  /** Charged once the response is no longer small. */
  readonly memory: ByteSource;
}

export interface ReceivedResponse {
  readonly error: null;
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Buffer;
  /** What the body holds of the memory budget; release it if the response is not used. */
  readonly takenBytes: number;
}

export type Outcome = ReceivedResponse | Failure;

const EMPTY = Buffer.alloc(0);

/** Interim responses (status 1xx) before the final one. */
const MAX_INTERIM = 20;

/** The connections to one origin. */
export interface Connections {
  readonly pool: Dispatcher;
  /** The tenant that chose the upstream; null for the upstream of a preset. */
  readonly tenantId: string | null;
  /** Aborted requests that still wait in undici's queue for a connection. */
  readonly abandoned: { count: number };
}

/** Sends one request once. Never rejects: the kind of failure decides what happens next. */
export function attempt(
  connections: Connections,
  request: Dispatcher.DispatchOptions,
  limits: ResponseLimits,
  call: AbortableCall,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const isHead = request.method === 'HEAD';
    const handler = new AttemptHandler(isHead, connections, limits, resolve);
    call.setStep(handler);
    if (handler.isSettled) return;
    handler.isDispatched = true;
    connections.pool.dispatch(request, handler);
  });
}

/** Reads one response. `dispatch` with a handler costs half of undici's `request`, which builds a stream for every body. */
class AttemptHandler implements Dispatcher.DispatchHandler, DecoderOutput, Abortable {
  isSettled: boolean = false;
  isDispatched: boolean = false;
  #isAbandoned = false;
  readonly #isHead: boolean;
  readonly #connections: Connections;
  readonly #limits: ResponseLimits;
  readonly #settle: (outcome: Outcome) => void;
  #controller: Dispatcher.DispatchController | null = null;
  #responseStarted = false;
  #interim = 0;
  #status = 0;
  #headers: ResponseHeaders = {};
  #body: BodyCollector | null = null;
  #decoder: Decoder | null = null;

  constructor(
    isHead: boolean,
    connections: Connections,
    limits: ResponseLimits,
    settle: (outcome: Outcome) => void,
  ) {
    this.#isHead = isHead;
    this.#connections = connections;
    this.#limits = limits;
    this.#settle = settle;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Aborted while it waited for a connection. Throwing drops the request and keeps the connection, which
    // `controller.abort` would close.
    if (this.isSettled) throw new GatewayError('cancelled'); // `onResponseError` decrements the count
    this.#controller = controller;
  }

  onResponseStarted(): void {
    this.#responseStarted = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: ResponseHeaders,
  ): void {
    if (status < 200) {
      this.#interim += 1; // 103 Early Hints, for example
      if (this.#interim > MAX_INTERIM) this.abort(tooManyInterim());
      return;
    }
    this.#status = status;
    this.#headers = headers;
    const { maxBytes, memory } = this.#limits;
    // For a HEAD or a 304, the length describes a body that is not sent (RFC 9110 section 8.6).
    const hasBody = !this.#isHead && status !== 304;
    const announced = hasBody ? Number(headerText(headers, 'content-length')) : 0;
    if (announced > maxBytes) {
      this.abort(new GatewayError('upstream_too_large'));
      return;
    }
    const encoding = headers['content-encoding'];
    if (encoding) this.#decoder = createDecoder(String(encoding), maxBytes, this);
    if (this.isSettled) return;
    const expectedBytes = this.#decoder ? 0 : announced;
    this.#body = new BodyCollector({ maxBytes, expectedBytes, memory });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#decoder) this.chunk(chunk);
    else if (!this.#decoder.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#decoder) this.#decoder.end();
    else this.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#isAbandoned) {
      this.#isAbandoned = false;
      this.#connections.abandoned.count -= 1;
      return;
    }
    const isOfTenant = this.#connections.tenantId !== null;
    this.#finish(toFailure(error, { responseStarted: this.#responseStarted, isOfTenant }));
  }

  chunk(plain: Buffer): void {
    const refusal = this.#body?.add(plain) ?? null;
    if (refusal === null) return;
    this.abort(refusal === 'too_large' ? new GatewayError('upstream_too_large') : overBudget());
  }

  drain(): void {
    this.#controller?.resume();
  }

  end(): void {
    this.#finish({
      error: null,
      status: this.#status,
      headers: this.#headers,
      body: this.#body?.finish() ?? EMPTY,
      takenBytes: this.#body?.takenBytes ?? 0,
    });
  }

  /** Rejects the response and closes its connection, which would otherwise have to be read to the end. */
  abort(error: GatewayError): void {
    if (this.isSettled) return;
    this.#finish({ error, delivery: 'unknown' });
    if (this.#controller) this.#controller.abort(error);
    else if (this.isDispatched && !this.#isAbandoned) {
      this.#isAbandoned = true;
      this.#connections.abandoned.count += 1;
    }
  }

  #finish(outcome: Outcome): void {
    if (this.isSettled) return;
    this.isSettled = true;
    if (outcome.error) {
      this.#decoder?.destroy();
      this.#limits.memory.give(this.#body?.takenBytes ?? 0);
      this.#body?.discard();
      this.#body = null;
    }
    this.#settle(outcome.error && this.#status ? { ...outcome, status: this.#status } : outcome);
  }
}

const tooManyInterim = (): GatewayError =>
  new GatewayError(
    'upstream_bad_payload',
    `The upstream sent more than ${MAX_INTERIM} interim responses.`,
  );
