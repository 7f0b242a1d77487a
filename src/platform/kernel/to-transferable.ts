/**
 * Bytes that can be transferred to a thread. Large ones are transferred themselves: copying 10 MB would block the event loop
 * for 10 ms. Small ones may be in a shared pool, and are copied.
 */
export const toTransferable = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.length > Buffer.poolSize && bytes.buffer instanceof ArrayBuffer
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
    : new Uint8Array(bytes);
