import type { FastifyReply, FastifyRequest } from 'fastify';
import { respondCoded } from '../../dialects/rest/json-response.ts';
import { type CodedBytes, compress } from '../../platform/kernel/coded-bytes.ts';
import { sendBytes } from '../bodies/paced-body.ts';

/** A file in memory, once per coding, however many clients read it. */
export interface StaticFile {
  readonly contentType: string;
  readonly codings: CodedBytes;
}

export const prepareFile = async (contentType: string, bytes: Buffer): Promise<StaticFile> => ({
  contentType,
  codings: await compress(bytes),
});

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
  const { status, headers, body } = respondCoded(file.codings, request.headers);
  reply.code(status).headers({ ...headers, 'cache-control': cacheControl });
  return body ? sendBytes(reply.type(file.contentType), body) : reply.send();
}
