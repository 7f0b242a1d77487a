import { crc32 } from 'node:zlib';
import type { UpstreamResponse } from '../upstreams/payload/upstream-response.ts';

/** Format and version, in four letters. A new layout needs a new version, which turns old values into misses. */
const MAGIC = Buffer.from('TGC4');
const CHECKSUM_AT = 4;
const HEADER_LENGTH_AT = 8;
const HEADER_AT = 12;

/** A response and its lifetimes. Durations, not timestamps, because the clocks of two replicas differ. */
export interface SharedEntry {
  readonly response: UpstreamResponse;
  /** From the write until the entry can no longer be used. */
  readonly lifetimeMs: number;
  /** The last part of the lifetime, in which the entry may only replace the response of a failed upstream. */
  readonly staleMs: number;
}

interface Header extends Omit<UpstreamResponse, 'json'>, Omit<SharedEntry, 'response'> {}

/** Layout: magic, CRC-32 of everything after it, header length, JSON header, the bytes of the response. */
export function encodeEntry({ response, lifetimeMs, staleMs }: SharedEntry): Buffer {
  const { json, ...facts } = response;
  const header = Buffer.from(JSON.stringify({ ...facts, lifetimeMs, staleMs } satisfies Header));
  const bytes = Buffer.concat([MAGIC, Buffer.alloc(HEADER_AT - MAGIC.length), header, json]);
  bytes.writeUInt32LE(header.length, HEADER_LENGTH_AT);
  bytes.writeUInt32LE(crc32(bytes.subarray(HEADER_LENGTH_AT)), CHECKSUM_AT);
  return bytes;
}

/** The entry; undefined for bytes that `encodeEntry` did not write: foreign, truncated or damaged. */
export function decodeEntry(bytes: Buffer): SharedEntry | undefined {
  if (bytes.length < HEADER_AT || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  if (bytes.readUInt32LE(CHECKSUM_AT) !== crc32(bytes.subarray(HEADER_LENGTH_AT))) return undefined;
  const jsonAt = HEADER_AT + bytes.readUInt32LE(HEADER_LENGTH_AT);
  // The checksum proves that `encodeEntry` wrote these bytes, so the header has the encoded shape.
  const header = JSON.parse(bytes.toString('utf8', HEADER_AT, jsonAt)) as Header;
  const { lifetimeMs, staleMs, ...facts } = header;
  return { response: { ...facts, json: bytes.subarray(jsonAt) }, lifetimeMs, staleMs };
}
