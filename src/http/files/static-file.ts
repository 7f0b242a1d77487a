import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesEtag } from '../../dialects/rest/json-response.ts';
import { sendBytes } from '../bodies/paced-body.ts';
import { type ContentCoding, chooseCoding } from './content-coding.ts';

/** A file in memory, once per coding, however many clients read it. */
export interface StaticFile {
  readonly contentType: string;
  readonly codings: Readonly<
    Record<ContentCoding, { readonly bytes: Buffer; readonly etag: string }>
  >;
}

/** A higher quality takes four times as long and saves 2 %. */
const BROTLI_QUALITY = 6;

/** Compresses a file outside the event loop. */
export async function prepareFile(contentType: string, bytes: Buffer): Promise<StaticFile> {
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
    promisify(gzip)(bytes),
  ]);
  return fileOf(contentType, bytes, { br, gzip: zipped });
}

/** A file whose compressed copies exist. Without one, clients that prefer it get the file as it is. */
export function fileOf(
  contentType: string,
  bytes: Buffer,
  { br, gzip: zipped }: { readonly br: Buffer | undefined; readonly gzip: Buffer | undefined },
): StaticFile {
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  const identity = { bytes, etag: `"${hash}"` };
  return {
    contentType,
    codings: {
      identity,
      br: br ? { bytes: br, etag: `"${hash}-br"` } : identity,
      gzip: zipped ? { bytes: zipped, etag: `"${hash}-gzip"` } : identity,
    },
  };
}

/** For an address that contains the hash of the file. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';
/** For every other address: cached, but revalidated each time. */
export const REVALIDATED = 'no-cache';

/** Sends the file in the coding that the client prefers, or 304 if the client already has it. */
export function sendFile(
  file: StaticFile,
  request: FastifyRequest,
  reply: FastifyReply,
  cacheControl: typeof IMMUTABLE | typeof REVALIDATED,
): FastifyReply {
  const coding = chooseCoding(request.headers['accept-encoding']);
  const { bytes, etag } = file.codings[coding];
  const varies = [reply.getHeader('vary'), 'Accept-Encoding'].filter(Boolean).join(', ');
  reply.headers({ etag, 'cache-control': cacheControl, vary: varies });
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (bytes !== file.codings.identity.bytes) reply.header('content-encoding', coding);
  return sendBytes(reply.type(file.contentType), bytes);
}

/** Loads on first use, once for all concurrent callers. A failure is not cached. */
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
