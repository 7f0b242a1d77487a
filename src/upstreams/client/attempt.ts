import type { Dispatcher } from 'undici';
import { BodyCollector } from '../../platform/kernel/body-collector.ts';
import { type ByteSource, overBudget } from '../../platform/kernel/byte-budget.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { createDecoder, type Decoder, type DecoderLimits, type DecoderOutput } from './decoder.ts';
import { type Failure, toFailure } from './faults.ts';
import type { Interruptible, Interruption } from './interruption.ts';

/** `maxBytes` counts as sent and as decompressed. */
export interface ResponseLimits extends DecoderLimits {
  /** Asked once the answer is no longer small. */
  readonly memory: ByteSource;
}

/** Header fields by lower-case name; a list where a field was sent more than once. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface Answer {
  readonly error: null;
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Buffer;
  /** What its body holds of the memory budget; to be given back when the answer is not used. */
  readonly takenBytes: number;
}

export type Outcome = Answer | Failure;

const EMPTY = Buffer.alloc(0);

/** Answers of status 1xx before the one that counts. */
const MAX_INTERIM = 20;

/** The first value of a header field; an empty string if it was not sent. */
export function headerText(headers: ResponseHeaders, name: string): string {
  const value = headers[name];
  return (typeof value === 'string' ? value : value?.[0]) ?? '';
}

/** The requests to one origin that were given up and still wait in undici's queue for a connection. */
export interface LeftBehind {
  count: number;
}

/** Sends one request once. Never rejects: how it failed decides what happens next. */
export function attempt(
  dispatcher: Dispatcher,
  leftBehind: LeftBehind,
  request: Dispatcher.DispatchOptions,
  limits: ResponseLimits,
  interruption: Interruption,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const handler = new AttemptHandler(request.method === 'HEAD', leftBehind, limits, resolve);
    interruption.watch(handler);
    if (handler.isSettled) return;
    handler.isDispatched = true;
    dispatcher.dispatch(request, handler);
  });
}

/**
 * Reads one answer. A handler of our own on `dispatch` costs half of undici's `request`, which builds a stream
 * for every body.
 */
class AttemptHandler implements Dispatcher.DispatchHandler, DecoderOutput, Interruptible {
  isSettled: boolean = false;
  isDispatched: boolean = false;
  #isLeftBehind = false;
  readonly #isHead: boolean;
  readonly #leftBehind: LeftBehind;
  readonly #limits: ResponseLimits;
  readonly #settle: (outcome: Outcome) => void;
  #controller: Dispatcher.DispatchController | null = null;
  #answerBegan = false;
  #interim = 0;
  #status = 0;
  #headers: ResponseHeaders = {};
  #body: BodyCollector | null = null;
  #decoder: Decoder | null = null;

  constructor(
    isHead: boolean,
    leftBehind: LeftBehind,
    limits: ResponseLimits,
    settle: (outcome: Outcome) => void,
  ) {
    this.#isHead = isHead;
    this.#leftBehind = leftBehind;
    this.#limits = limits;
    this.#settle = settle;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Given up while it waited for a connection. Throwing drops the request and keeps the connection, which
    // `controller.abort` would close.
    if (this.isSettled) throw new GatewayError('cancelled'); // counted off by `onResponseError`
    this.#controller = controller;
  }

  onResponseStarted(): void {
    this.#answerBegan = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: ResponseHeaders,
  ): void {
    if (status < 200) {
      this.#countInterim(); // 103 Early Hints and the like
      return;
    }
    this.#status = status;
    this.#headers = headers;
    const { maxBytes, memory } = this.#limits;
    // To a HEAD, and with a 304, the length is that of a body which does not come (RFC 9110 section 8.6).
    const hasBody = !this.#isHead && status !== 304;
    const announced = hasBody ? Number(headerText(headers, 'content-length')) : 0;
    if (announced > maxBytes) {
      this.fail(new GatewayError('upstream_too_large'));
      return;
    }
    const encoding = headerText(headers, 'content-encoding');
    if (encoding) this.#decoder = createDecoder(encoding, this.#limits, this);
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
    if (this.#isLeftBehind) {
      this.#isLeftBehind = false;
      this.#leftBehind.count -= 1;
    } else this.#finish(toFailure(error, this.#answerBegan));
  }

  chunk(plain: Buffer): void {
    const refusal = this.#body?.add(plain) ?? null;
    if (refusal === null) return;
    this.fail(refusal === 'too_large' ? new GatewayError('upstream_too_large') : overBudget());
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

  /** Gives the answer up and closes its connection: what is still to come would have to be read. */
  fail(error: GatewayError): void {
    if (this.isSettled) return;
    this.#finish({ error, fate: 'unknown' });
    if (this.#controller) this.#controller.abort(error);
    else if (this.isDispatched && !this.#isLeftBehind) {
      this.#isLeftBehind = true;
      this.#leftBehind.count += 1;
    }
  }

  interrupt(error: GatewayError): void {
    this.fail(error);
  }

  #countInterim(): void {
    this.#interim += 1;
    if (this.#interim <= MAX_INTERIM) return;
    this.fail(
      new GatewayError(
        'upstream_bad_payload',
        `The upstream sent more than ${MAX_INTERIM} interim answers.`,
      ),
    );
  }

  #finish(outcome: Outcome): void {
    if (this.isSettled) return;
    this.isSettled = true;
    if (outcome.error) {
      this.#decoder?.destroy();
      this.#limits.memory.give(this.#body?.takenBytes ?? 0);
    }
    this.#settle(outcome);
  }
}
