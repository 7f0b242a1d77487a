import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesEtag } from '../../dialects/rest/json-answer.ts';
import { sendBytes } from '../bodies/paced-body.ts';
import { type ContentCoding, chooseCoding } from './content-coding.ts';

/** A file that is in memory once, in every coding, however many clients read it. */
export interface StaticFile {
  readonly contentType: string;
  readonly codings: Readonly<
    Record<ContentCoding, { readonly bytes: Buffer; readonly etag: string }>
  >;
}

/** Above this, brotli takes four times as long for 2 % less. */
const BROTLI_QUALITY = 6;

/** Compresses a file, off the event loop. */
export async function prepareFile(contentType: string, bytes: Buffer): Promise<StaticFile> {
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
    promisify(gzip)(bytes),
  ]);
  return {
    contentType,
    codings: {
      identity: { bytes, etag: `"${hash}"` },
      br: { bytes: br, etag: `"${hash}-br"` },
      gzip: { bytes: zipped, etag: `"${hash}-gzip"` },
    },
  };
}

/** For an address that names what it holds by its hash. */
export const FOR_EVER = 'public, max-age=31536000, immutable';
/** For every other: kept, but asked about each time. */
export const REVALIDATED = 'no-cache';

/** Sends the file in the coding that the client wants, or 304 when it has it already. */
export function sendFile(
  file: StaticFile,
  request: FastifyRequest,
  reply: FastifyReply,
  cacheControl: typeof FOR_EVER | typeof REVALIDATED,
): FastifyReply {
  const coding = chooseCoding(request.headers['accept-encoding']);
  const { bytes, etag } = file.codings[coding];
  const varies = [reply.getHeader('vary'), 'Accept-Encoding'].filter(Boolean).join(', ');
  reply.headers({ etag, 'cache-control': cacheControl, vary: varies });
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (coding !== 'identity') reply.header('content-encoding', coding);
  return sendBytes(reply.type(file.contentType), bytes);
}

/** Loads at first use, once however many ask at the same time. A failure is not kept. */
export function lazily<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}
