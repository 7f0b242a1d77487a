import type { Transform } from 'node:stream';
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  constants as zlib,
} from 'node:zlib';
import { GatewayError } from '../../platform/kernel/error.ts';

/** The encodings that the gateway requests. zstd is decoded but not requested: few upstreams offer it, rarely as their best. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';

/** Decompressed bytes allowed for each compressed byte. */
const MAX_RATIO = 100;

/** Below this size a high ratio is harmless: a table of zeros shrinks a thousandfold. */
const RATIO_FLOOR_BYTES = 1024 * 1024;

export interface DecoderOutput {
  chunk(decoded: Buffer): void;
  end(): void;
  abort(error: GatewayError): void;
  /** More input may be written. */
  drain(): void;
}

/** Decompresses the chunks of one body, on zlib's own threads. */
export interface Decoder {
  /** Returns false if the caller must wait for `drain`. */
  write(chunk: Buffer): boolean;
  end(): void;
  destroy(): void;
}

type Opener = (first: Buffer) => Transform;

const OPENERS: ReadonlyMap<string, Opener> = new Map<string, Opener>([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  // RFC 9110 section 8.4.1.2 specifies the zlib format, but some servers send the bare stream.
  ['deflate', (first) => (hasZlibHeader(first) ? createInflate() : createInflateRaw())],
  ['br', () => createBrotliDecompress()],
  // RFC 9659 allows a window of 8 MiB; zlib's default would let a sender claim 128.
  ['zstd', () => createZstdDecompress({ params: { [zlib.ZSTD_d_windowLogMax]: 23 } })],
]);

const hasZlibHeader = (bytes: Buffer): boolean => ((bytes[0] ?? 0) & 0x0f) === 8;

/**
 * A decoder for a `content-encoding`; null if the body needs no decoding. That includes unknown names: the gateway
 * requests only encodings it knows, and some upstreams put a charset there.
 * `maxBytes` bounds the compressed body: some formats can continue forever without any output. Beyond a limit, the
 * decoder fails with `upstream_too_large`.
 */
export function createDecoder(
  encoding: string,
  maxBytes: number,
  output: DecoderOutput,
): Decoder | null {
  const open = OPENERS.get(encoding.trim().toLowerCase());
  if (!open) return null;
  let stream: Transform | null = null;
  let read = 0;
  let written = 0;
  let inputEnded = false;

  const start = (first: Buffer): Transform =>
    open(first)
      .on('data', (decoded: Buffer) => {
        written += decoded.length;
        if (written > Math.max(RATIO_FLOOR_BYTES, read * MAX_RATIO)) {
          output.abort(new GatewayError('upstream_too_large'));
        } else output.chunk(decoded);
      })
      .on('drain', () => output.drain())
      .on('end', () => (inputEnded ? output.end() : output.abort(undecodable('trailing bytes'))))
      .on('error', (cause) => output.abort(undecodable(cause)));

  return {
    write(chunk) {
      stream ??= start(chunk);
      read += chunk.length;
      if (read <= maxBytes) return stream.write(chunk);
      output.abort(new GatewayError('upstream_too_large'));
      return true;
    },
    end() {
      inputEnded = true;
      // Responses to HEAD and empty bodies also declare an encoding, but have nothing to decode.
      if (stream) stream.end();
      else output.end();
    },
    destroy() {
      stream?.destroy();
    },
  };
}

const undecodable = (cause: unknown): GatewayError =>
  new GatewayError(
    'upstream_bad_payload',
    'The upstream sent compressed data that could not be decoded.',
    { cause },
  );
