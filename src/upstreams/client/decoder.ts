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

/** What the gateway asks for. zstd is read but not asked for: few upstreams have it, and it is rarely the best they have. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';

/** Below this size a high ratio is no bomb: a table of zeros shrinks a thousandfold. */
const RATIO_FLOOR_BYTES = 1024 * 1024;

export interface DecoderOutput {
  chunk(decoded: Buffer): void;
  end(): void;
  fail(error: GatewayError): void;
  /** The input may flow again. */
  drain(): void;
}

/** Turns the compressed chunks of one body into plain ones, on zlib's own threads. */
export interface Decoder {
  /** False: no more before `drain`. */
  write(chunk: Buffer): boolean;
  end(): void;
  destroy(): void;
}

type Opener = (first: Buffer) => Transform;

const OPENERS: ReadonlyMap<string, Opener> = new Map<string, Opener>([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  // RFC 9110 section 8.4.1.2 means the zlib format, but some servers send the bare stream.
  ['deflate', (first) => (hasZlibHeader(first) ? createInflate() : createInflateRaw())],
  ['br', () => createBrotliDecompress()],
  // RFC 9659 allows a window of 8 MiB; zlib's default would let a sender claim 128.
  ['zstd', () => createZstdDecompress({ params: { [zlib.ZSTD_d_windowLogMax]: 23 } })],
]);

function hasZlibHeader(bytes: Buffer): boolean {
  return ((bytes[0] ?? 0) & 0x0f) === 8;
}

export interface DecoderLimits {
  /** Largest body, compressed: some formats can go on for ever without any output. */
  readonly maxBytes: number;
  /** Decoded bytes for each compressed byte. */
  readonly decompressionRatio: number;
}

/**
 * A decoder for a `content-encoding`; null if the body is to be taken as it is. That goes for unknown names too:
 * the gateway asks only for those it knows, and what some upstreams write there is a charset.
 * Beyond the limits the answer is `upstream_too_large`.
 */
export function createDecoder(
  encoding: string,
  limits: DecoderLimits,
  output: DecoderOutput,
): Decoder | null {
  const open = OPENERS.get(encoding.trim().toLowerCase());
  return open ? decodeWith(open, limits, output) : null;
}

function decodeWith(open: Opener, limits: DecoderLimits, output: DecoderOutput): Decoder {
  let stream: Transform | null = null;
  let read = 0;
  let written = 0;
  let inputEnded = false;

  function start(first: Buffer): Transform {
    return open(first)
      .on('data', (decoded: Buffer) => {
        written += decoded.length;
        if (written > Math.max(RATIO_FLOOR_BYTES, read * limits.decompressionRatio)) {
          output.fail(new GatewayError('upstream_too_large'));
        } else output.chunk(decoded);
      })
      .on('drain', () => output.drain())
      .on('end', () => (inputEnded ? output.end() : output.fail(undecodable('trailing bytes'))))
      .on('error', (cause) => output.fail(undecodable(cause)));
  }

  return {
    write(chunk) {
      stream ??= start(chunk);
      read += chunk.length;
      if (read <= limits.maxBytes) return stream.write(chunk);
      output.fail(new GatewayError('upstream_too_large'));
      return true;
    },
    end() {
      inputEnded = true;
      // Answers to HEAD and empty bodies name an encoding too, but there is nothing to decode.
      if (stream) stream.end();
      else output.end();
    },
    destroy() {
      stream?.destroy();
    },
  };
}

function undecodable(cause: unknown): GatewayError {
  return new GatewayError(
    'upstream_bad_payload',
    'The upstream answered with compressed data that could not be read.',
    { cause },
  );
}
