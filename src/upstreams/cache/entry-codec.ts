import { crc32 } from 'node:zlib';
import type { UpstreamResponse } from '../payload/upstream-response.ts';

/** A successful response and its two expiry times, in milliseconds of this process's steady clock. */
export interface CacheEntry {
  readonly response: UpstreamResponse;
  /** Before this time the entry is a HIT. */
  readonly freshUntil: number;
  /** Before this time the entry may replace the response of a failed upstream. */
  readonly staleUntil: number;
}

/** Format and version, in four letters. A new layout needs a new version, which turns old values into misses. */
const MAGIC = 'TGC5';
const CHECKSUM_AT = 4;
const HEADER_LENGTH_AT = 8;
const STALE_MS_AT = 12;
const LIFETIME_MS_AT = 20;
const HEADER_AT = 28;

const MAGIC_BYTES = Buffer.from(MAGIC);

/** A response and its lifetimes. Durations, not timestamps, because the clocks of two replicas differ. */
interface SharedEntry {
  readonly response: UpstreamResponse;
  /** From the write until the entry can no longer be used. */
  readonly lifetimeMs: number;
  /** The last part of the lifetime, in which the entry may only replace the response of a failed upstream. */
  readonly staleMs: number;
}

type Header = Omit<UpstreamResponse, 'json'>;

/**
 * Layout: magic, CRC-32 of everything after it, header length, both lifetimes, JSON header, the bytes of the response.
 */
export function encodeEntry({ response, lifetimeMs, staleMs }: SharedEntry): Buffer {
  const { json, ...facts } = response;
  const header = JSON.stringify(facts satisfies Header);
  const headerLength = Buffer.byteLength(header);
  const bytes = Buffer.allocUnsafe(HEADER_AT + headerLength + json.length);
  MAGIC_BYTES.copy(bytes);
  bytes.writeUInt32LE(headerLength, HEADER_LENGTH_AT);
  bytes.writeDoubleLE(staleMs, STALE_MS_AT);
  bytes.writeDoubleLE(lifetimeMs, LIFETIME_MS_AT);
  bytes.write(header, HEADER_AT);
  json.copy(bytes, HEADER_AT + headerLength);
  bytes.writeUInt32LE(crc32(bytes.subarray(HEADER_LENGTH_AT)), CHECKSUM_AT);
  return bytes;
}

/** The entry; undefined for bytes that `encodeEntry` did not write: foreign, truncated or damaged. */
export function decodeEntry(bytes: Buffer): SharedEntry | undefined {
  if (bytes.length < HEADER_AT || !bytes.subarray(0, MAGIC.length).equals(MAGIC_BYTES)) {
    return undefined;
  }
  if (bytes.readUInt32LE(CHECKSUM_AT) !== crc32(bytes.subarray(HEADER_LENGTH_AT))) return undefined;
  const jsonAt = HEADER_AT + bytes.readUInt32LE(HEADER_LENGTH_AT);
  // The checksum proves that `encodeEntry` wrote these bytes, so the header has the encoded shape.
  const facts = JSON.parse(bytes.toString('utf8', HEADER_AT, jsonAt)) as Header;
  return {
    response: { ...facts, json: bytes.subarray(jsonAt) },
    lifetimeMs: bytes.readDoubleLE(LIFETIME_MS_AT),
    staleMs: bytes.readDoubleLE(STALE_MS_AT),
  };
}
