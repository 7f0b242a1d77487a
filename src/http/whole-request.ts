import { IncomingMessage } from 'node:http';
import { GatewayError } from '../kernel/error.ts';

const GONE = new GatewayError('cancelled');

type Done = (error: Error | null, body?: Buffer) => void;

/**
 * A request whose body can be had in one piece. As a stream, the few hundred bytes of a call pass through half a dozen
 * events and as many ticks of the event loop, which took a tenth of a cached call; here the parser hands them over.
 */
export class WholeRequest extends IncomingMessage {
  #done: Done | null = null;
  #chunks: Buffer[] = [];
  #length = 0;
  #maxBytes = 0;

  /**
   * Reads the whole body, once. Fails with `too_large` as soon as it is known to be longer than `maxBytes`; what is
   * still to come can then be read as from any stream. Fails with `cancelled` when the client goes away.
   */
  readWhole(maxBytes: number, done: Done): void {
    if (Number(this.headers['content-length']) > maxBytes) {
      done(new GatewayError('too_large'));
      return;
    }
    if (this.destroyed) {
      done(GONE);
      return;
    }
    // What came while the caller's key was looked up, say.
    const early: Buffer | null = this.readableLength > 0 ? this.read(this.readableLength) : null;
    this.#maxBytes = maxBytes;
    this.#done = done;
    if (early && !this.#take(early)) return;
    if (this.complete) this.#finish(null);
    else this._read(0); // tells the server that the body is being read
  }

  /** What the server calls with each piece of a body, and with null at its end. */
  override push(chunk: Buffer | null): boolean {
    if (this.#done === null) return super.push(chunk);
    if (chunk === null) this.#finish(null);
    else this.#take(chunk);
    return true;
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#finish(GONE);
    super._destroy(error, callback);
  }

  /** False once there is too much. */
  #take(chunk: Buffer): boolean {
    this.#length += chunk.length;
    this.#chunks.push(chunk);
    if (this.#length <= this.#maxBytes) return true;
    this.#finish(new GatewayError('too_large'));
    return false;
  }

  #finish(error: Error | null): void {
    const done = this.#done;
    if (done === null) return;
    const chunks = this.#chunks;
    this.#done = null;
    this.#chunks = [];
    if (error) done(error);
    else done(null, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
  }
}
