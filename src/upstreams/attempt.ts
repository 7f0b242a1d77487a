import type { Dispatcher } from 'undici';
import { GatewayError } from '../kernel/error.ts';
import { BodyCollector } from './body-collector.ts';
import { createDecoder, type Decoder, type DecoderLimits, type DecoderOutput } from './decoder.ts';
import { type Failure, toFailure } from './faults.ts';
import type { Interruptible, Interruption } from './interruption.ts';

/** `maxBytes` counts as sent and as decompressed. */
export type AnswerLimits = DecoderLimits;

/** Header fields by lower-case name; a list where a field was sent more than once. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface Answer {
  readonly error: null;
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: Buffer;
}

export type Outcome = Answer | Failure;

const EMPTY = Buffer.alloc(0);

/** The first value of a header field; an empty string if it was not sent. */
export function headerText(headers: AnswerHeaders, name: string): string {
  const value = headers[name];
  return (typeof value === 'string' ? value : value?.[0]) ?? '';
}

/** Sends one request once. Never rejects: how it failed decides what happens next. */
export function attempt(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limits: AnswerLimits,
  interruption: Interruption,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const handler = new AttemptHandler(request.method === 'HEAD', limits, resolve);
    interruption.watch(handler);
    if (!handler.isSettled) dispatcher.dispatch(request, handler);
  });
}

/**
 * Reads one answer. A handler of our own on `dispatch` costs half of undici's `request`, which builds a stream
 * for every body.
 */
class AttemptHandler implements Dispatcher.DispatchHandler, DecoderOutput, Interruptible {
  isSettled: boolean = false;
  readonly #isHead: boolean;
  readonly #limits: AnswerLimits;
  readonly #settle: (outcome: Outcome) => void;
  #controller: Dispatcher.DispatchController | null = null;
  #answerBegan = false;
  #status = 0;
  #headers: AnswerHeaders = {};
  #body: BodyCollector | null = null;
  #decoder: Decoder | null = null;

  constructor(isHead: boolean, limits: AnswerLimits, settle: (outcome: Outcome) => void) {
    this.#isHead = isHead;
    this.#limits = limits;
    this.#settle = settle;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Given up while it waited for a connection. Throwing drops the request and keeps the connection, which
    // `controller.abort` would close.
    if (this.isSettled) throw new GatewayError('cancelled');
    this.#controller = controller;
  }

  onResponseStarted(): void {
    this.#answerBegan = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: AnswerHeaders,
  ): void {
    if (status < 200) return; // 103 Early Hints and the like
    this.#status = status;
    this.#headers = headers;
    const { maxBytes } = this.#limits;
    // To a HEAD, and with a 304, the length is that of a body which does not come (RFC 9110 section 8.6).
    const hasBody = !this.#isHead && status !== 304;
    const announced = hasBody ? Number(headerText(headers, 'content-length')) : 0;
    if (announced > maxBytes) {
      this.fail(new GatewayError('upstream_too_large'));
      return;
    }
    const encoding = headerText(headers, 'content-encoding');
    if (encoding) this.#decoder = createDecoder(encoding, this.#limits, this);
    this.#body = new BodyCollector(maxBytes, this.#decoder ? 0 : announced);
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
    this.#finish(toFailure(error, this.#answerBegan));
  }

  chunk(plain: Buffer): void {
    if (this.#body?.add(plain) === false) this.fail(new GatewayError('upstream_too_large'));
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
    });
  }

  /** Gives the answer up and closes its connection: what is still to come would have to be read. */
  fail(error: GatewayError): void {
    this.#finish({ error, fate: 'unknown' });
    this.#controller?.abort(error);
  }

  interrupt(error: GatewayError): void {
    this.fail(error);
  }

  #finish(outcome: Outcome): void {
    if (this.isSettled) return;
    this.isSettled = true;
    if (outcome.error) this.#decoder?.destroy();
    this.#settle(outcome);
  }
}
