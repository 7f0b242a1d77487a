import { crc32 } from 'node:zlib';
import type { UpstreamResponse } from '../upstreams/payload/upstream-response.ts';

/** Four letters of format and version: a changed layout gets another one, so old values become misses. */
const MAGIC = Buffer.from('TGC2');
const CHECKSUM_AT = 4;
const HEADER_LENGTH_AT = 8;
const HEADER_AT = 12;

/** An answer with the lengths of its two lives: no moment, because the clocks of two replicas differ. */
export interface SharedEntry {
  readonly response: UpstreamResponse;
  /** From its writing to the end of its use. */
  readonly lifetimeMs: number;
  /** The last part of the lifetime, in which it may only stand in for a failed upstream. */
  readonly staleMs: number;
}

interface Header extends Omit<UpstreamResponse, 'json'>, Omit<SharedEntry, 'response'> {}

/** Layout: magic, CRC-32 of all that follows it, header length, header in JSON, and the answer's bytes untouched. */
export function encodeEntry({ response, lifetimeMs, staleMs }: SharedEntry): Buffer {
  const { json, ...facts } = response;
  const header = Buffer.from(JSON.stringify({ ...facts, lifetimeMs, staleMs } satisfies Header));
  const bytes = Buffer.concat([MAGIC, Buffer.alloc(HEADER_AT - MAGIC.length), header, json]);
  bytes.writeUInt32LE(header.length, HEADER_LENGTH_AT);
  bytes.writeUInt32LE(crc32(bytes.subarray(HEADER_LENGTH_AT)), CHECKSUM_AT);
  return bytes;
}

/** The entry, or undefined for anything that `encodeEntry` did not write: foreign, cut off or damaged. */
export function decodeEntry(bytes: Buffer): SharedEntry | undefined {
  if (bytes.length < HEADER_AT || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  if (bytes.readUInt32LE(CHECKSUM_AT) !== crc32(bytes.subarray(HEADER_LENGTH_AT))) return undefined;
  const jsonAt = HEADER_AT + bytes.readUInt32LE(HEADER_LENGTH_AT);
  // The checksum has shown that these bytes are our own, so the header has the shape that was encoded.
  const header = JSON.parse(bytes.toString('utf8', HEADER_AT, jsonAt)) as Header;
  const { lifetimeMs, staleMs, ...facts } = header;
  return { response: { ...facts, json: bytes.subarray(jsonAt) }, lifetimeMs, staleMs };
}
