/** A part that holds resources open. `close` may be called twice. */
export interface Closeable {
  close(): Promise<void>;
}
