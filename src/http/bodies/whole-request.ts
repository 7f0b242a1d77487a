import { IncomingMessage } from 'node:http';
import { BodyCollector, type BodyRefusal } from '../../platform/kernel/body-collector.ts';
import { type ByteSource, overBudget } from '../../platform/kernel/byte-budget.ts';
import { GatewayError } from '../../platform/kernel/error.ts';

const DISCONNECTED = new GatewayError('cancelled');

/**
 * Each piece of a body costs about 400 bytes of memory until it is collected, however small it is. Unread, a body of
 * 64 KB in one-byte pieces would take 20 MB. No real client sends such bodies.
 */
const MAX_PIECES = 1000;
const MIN_MEAN_PIECE_BYTES = 32;

type Done = (error: Error | null, body?: Buffer) => void;

export interface ReadLimits {
  readonly maxBytes: number;
  /** Charged once the body is no longer small. */
  readonly memory: ByteSource;
}

/**
 * A request whose body can be read in one piece. As a stream, the few hundred bytes of a call pass through half a dozen
 * events and as many ticks of the event loop, a tenth of the cost of a cached call. Here the parser delivers them.
 */
export class WholeRequest extends IncomingMessage {
  #done: Done | null = null;
  #body: BodyCollector | null = null;
  #onRead: (() => void) | null = null;
  #pieces = 0;
  #pieceBytes = 0;

  /** Calls the listener when the body is about to be read. Its client waits for 100 (Continue) before sending it. */
  onRead(listener: () => void): void {
    this.#onRead = listener;
  }

  /** Whether the client still waits for 100 (Continue). */
  get awaitsContinue(): boolean {
    return this.#onRead !== null;
  }

  /**
   * Reads the whole body, once. Fails with `too_large` as soon as it is known to be longer than `maxBytes`, and with
   * `overloaded` when the memory budget has no room for it. The rest can then be read as from any stream. Fails with
   * `cancelled` when the client disconnects.
   */
  readWhole({ maxBytes, memory }: ReadLimits, done: Done): void {
    const announced = Number(this.headers['content-length'] ?? 0);
    if (announced > maxBytes) {
      done(new GatewayError('too_large'));
      return;
    }
    if (this.destroyed || this.#isFragmented()) {
      done(this.destroyed ? DISCONNECTED : fragmented());
      return;
    }
    this.#onRead?.();
    this.#onRead = null;
    // Data that arrived earlier, for example while the API key was looked up.
    const early: Buffer | null = this.readableLength > 0 ? this.read(this.readableLength) : null;
    this.#body = new BodyCollector({ maxBytes, expectedBytes: announced, memory });
    this.#done = done;
    if (early && !this.#take(early)) return;
    if (this.complete) this.#finish(null);
    else this._read(0); // lets the server know that the body is being read
  }

  /** Called by the server with each piece of a body, and with null at its end. */
  override push(chunk: Buffer | null): boolean {
    if (chunk !== null && this.#countPiece(chunk)) {
      if (this.#done !== null) this.#refuseFragments();
      return false; // the server stops reading
    }
    if (this.#done === null) return super.push(chunk);
    if (chunk === null) this.#finish(null);
    else this.#take(chunk);
    return true;
  }

  /** The response may be lost because the rest is not read. Reading it would cost as much again. */
  #refuseFragments(): void {
    this.#finish(fragmented());
    setImmediate(() => this.socket.destroySoon());
  }

  /** Counts a piece. Returns true when the body has come in too many small ones, and nothing of it is kept. */
  #countPiece(chunk: Buffer): boolean {
    this.#pieces++;
    this.#pieceBytes += chunk.length;
    return this.#isFragmented();
  }

  #isFragmented(): boolean {
    return this.#pieces > MAX_PIECES && this.#pieceBytes < this.#pieces * MIN_MEAN_PIECE_BYTES;
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#finish(DISCONNECTED);
    super._destroy(error, callback);
  }

  /** Collects a chunk. Returns false once the body has been refused. */
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
    if (error) {
      body?.discard();
      done(error);
    } else done(null, body?.whole());
  }
}

const fragmented = (): GatewayError =>
  new GatewayError('invalid_request', 'The request body comes in too many small pieces.');

const REFUSALS: Readonly<Record<BodyRefusal, () => GatewayError>> = {
  too_large: () => new GatewayError('too_large'),
  over_budget: overBudget,
};
