import type { Readable } from 'node:stream';

/** Collects the output of a process; the function returns all of it so far. */
export function collectOutput(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}
