import { createReadStream } from 'node:fs';
import { StartupError } from '../../platform/kernel/error.ts';
import { MAX_DOCUMENT_LENGTH } from '../../tools/document/document-limits.ts';

/** A description as it was read. */
export interface DocumentText {
  /** For messages. */
  readonly name: string;
  readonly text: string;
  /** Where it was fetched from, against which relative server addresses are resolved. */
  readonly url?: string;
}

/** Reads a description from a file or pipe of bounded size. Throws StartupError. */
export async function readDocumentFile(path: string): Promise<DocumentText> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > MAX_DOCUMENT_LENGTH) break;
      pieces.push(piece);
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new StartupError(`${path} cannot be read (${String(error.code)}).`);
  }
  if (size > MAX_DOCUMENT_LENGTH) {
    throw new StartupError(`${path} has more than ${MAX_DOCUMENT_LENGTH} bytes. Split it.`);
  }
  return { name: path, text: Buffer.concat(pieces).toString('utf8') };
}
