import { IncomingMessage } from 'node:http';
import { BodyCollector, type BodyRefusal } from '../../platform/kernel/body-collector.ts';
import { type ByteSource, overBudget } from '../../platform/kernel/byte-budget.ts';
import { GatewayError } from '../../platform/kernel/error.ts';

const GONE = new GatewayError('cancelled');

/**
 * Each piece of a body costs some 400 bytes of memory until it is collected, however small it is: a body in pieces of
 * one byte, while it waits to be read, would take 20 MB of what counts as 64 KB. No client writes like that.
 */
const MAX_PIECES = 1000;
const MIN_MEAN_PIECE_BYTES = 32;

type Done = (error: Error | null, body?: Buffer) => void;

export interface ReadLimits {
  readonly maxBytes: number;
  /** Asked once the body is no longer small. */
  readonly memory: ByteSource;
}

/**
 * A request whose body can be had in one piece. As a stream, the few hundred bytes of a call pass through half a dozen
 * events and as many ticks of the event loop, which took a tenth of a cached call; here the parser hands them over.
 */
export class WholeRequest extends IncomingMessage {
  #done: Done | null = null;
  #body: BodyCollector | null = null;
  #tellWanted: (() => void) | null = null;
  #pieces = 0;
  #pieceBytes = 0;

  /** Calls the listener when the body is about to be read: its client waits for a word before sending it. */
  whenWanted(listener: () => void): void {
    this.#tellWanted = listener;
  }

  /** Is the client still waiting to be told that its body is wanted? */
  get isWaiting(): boolean {
    return this.#tellWanted !== null;
  }

  /**
   * Reads the whole body, once. Fails with `too_large` as soon as it is known to be longer than `maxBytes`, and with
   * `overloaded` when the memory budget has no room for it; what is still to come can then be read as from any stream.
   * Fails with `cancelled` when the client goes away.
   */
  readWhole({ maxBytes, memory }: ReadLimits, done: Done): void {
    const announced = Number(this.headers['content-length'] ?? 0);
    if (announced > maxBytes) {
      done(new GatewayError('too_large'));
      return;
    }
    if (this.destroyed || this.#isCrumbled()) {
      done(this.destroyed ? GONE : crumbled());
      return;
    }
    this.#tellWanted?.();
    this.#tellWanted = null;
    // What came while the caller's key was looked up, say.
    const early: Buffer | null = this.readableLength > 0 ? this.read(this.readableLength) : null;
    this.#body = new BodyCollector({ maxBytes, expectedBytes: announced, memory });
    this.#done = done;
    if (early && !this.#take(early)) return;
    if (this.complete) this.#finish(null);
    else this._read(0); // tells the server that the body is being read
  }

  /** What the server calls with each piece of a body, and with null at its end. */
  override push(chunk: Buffer | null): boolean {
    if (chunk !== null && this.#addsCrumb(chunk)) {
      if (this.#done !== null) this.#refuseCrumbs();
      return false; // the server stops reading
    }
    if (this.#done === null) return super.push(chunk);
    if (chunk === null) this.#finish(null);
    else this.#take(chunk);
    return true;
  }

  /** The answer may not arrive, since the rest is not read: reading it would cost as much again. */
  #refuseCrumbs(): void {
    this.#finish(crumbled());
    setImmediate(() => this.socket.destroySoon());
  }

  /** Has the body come in too many small pieces? Nothing of it is kept then. */
  #addsCrumb(chunk: Buffer): boolean {
    this.#pieces++;
    this.#pieceBytes += chunk.length;
    return this.#isCrumbled();
  }

  #isCrumbled(): boolean {
    return this.#pieces > MAX_PIECES && this.#pieceBytes < this.#pieces * MIN_MEAN_PIECE_BYTES;
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#finish(GONE);
    super._destroy(error, callback);
  }

  /** False once there is too much. */
  #take(chunk: Buffer): boolean {
    const refusal = this.#body?.add(chunk) ?? null;
    if (refusal === null) return true;
    this.#finish(REFUSALS[refusal]());
    return false;
  }

  #finish(error: Error | null): void {
    const done = this.#done;
    if (done === null) return;
    const body = this.#body;
    this.#done = null;
    this.#body = null;
    if (error) done(error);
    else done(null, body?.whole());
  }
}

const crumbled = (): GatewayError =>
  new GatewayError('invalid_request', 'The body comes in too many small pieces.');

const REFUSALS: Readonly<Record<BodyRefusal, () => GatewayError>> = {
  too_large: () => new GatewayError('too_large'),
  over_budget: overBudget,
};
