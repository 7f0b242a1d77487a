import type { IncomingMessage } from 'node:http';
import { isObject, type JsonObject } from '../platform/kernel/plain-json.ts';

/** Bytes of a body that the sandbox reads. */
const MAX_BYTES = 64 * 1024;

/** The JSON object in a request's body; undefined for anything else, or if it is too large. */
export async function readSmallBody(request: IncomingMessage): Promise<JsonObject | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes <= MAX_BYTES) pieces.push(piece);
  }
  try {
    const value: unknown = JSON.parse(bytes > MAX_BYTES ? '' : Buffer.concat(pieces).toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
