/** A part that holds something open. `close` may be called twice. */
export interface Closeable {
  close(): Promise<void>;
}
