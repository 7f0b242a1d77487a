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

/** Codings of one body, one over the other. */
const MAX_CODINGS = 3;

/**
 * A decoder for a `content-encoding`, which lists codings in the order in which they were applied (RFC 9110 section 8.4);
 * null if the body needs no decoding. Unknown names are ignored: the gateway requests only encodings it knows, and some
 * upstreams put a charset there.
 * `maxBytes` bounds what each coding takes: some formats can continue forever without any output. Beyond a limit, the
 * decoder fails with `upstream_too_large`.
 */
export function createDecoder(
  encoding: string,
  maxBytes: number,
  output: DecoderOutput,
): Decoder | null {
  const openers = encoding
    .toLowerCase()
    .split(',', MAX_NAMES)
    .flatMap((name) => OPENERS.get(name.trim()) ?? []);
  if (openers.length > MAX_CODINGS) output.abort(undecodable('too many codings'));
  let decoder: Stage | null = null;
  for (const open of openers.slice(0, MAX_CODINGS)) {
    decoder = decoder
      ? createOuterStage(open, maxBytes, decoder, output)
      : createStage(open, maxBytes, output);
  }
  return decoder;
}

/** Names in a `content-encoding` that are read. */
const MAX_NAMES = 16;

/** Undoes one coding. */
interface Stage extends Decoder {
  pause(): void;
  resume(): void;
  /** Called when more input may be written. */
  onDrain: () => void;
}

function createStage(open: Opener, maxBytes: number, output: DecoderOutput): Stage {
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
      .on('drain', () => stage.onDrain())
      .on('end', () => (inputEnded ? output.end() : output.abort(undecodable('trailing bytes'))))
      .on('error', (cause) => output.abort(undecodable(cause)));

  const stage: Stage = {
    onDrain: () => output.drain(),
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
    pause() {
      stream?.pause();
    },
    resume() {
      stream?.resume();
    },
    destroy() {
      stream?.destroy();
    },
  };
  return stage;
}

/** Undoes a coding that was applied after the coding of the stage within. */
function createOuterStage(
  open: Opener,
  maxBytes: number,
  inner: Stage,
  output: DecoderOutput,
): Stage {
  const outer = createStage(open, maxBytes, {
    chunk(decoded) {
      if (!inner.write(decoded)) outer.pause();
    },
    end: () => inner.end(),
    abort: (error) => output.abort(error),
    drain: () => output.drain(),
  });
  inner.onDrain = () => outer.resume();
  const { destroy } = outer;
  outer.destroy = () => {
    destroy();
    inner.destroy();
  };
  return outer;
}

const undecodable = (cause: unknown): GatewayError =>
  new GatewayError(
    'upstream_bad_payload',
    'The upstream sent compressed data that could not be decoded.',
    { cause },
  );
