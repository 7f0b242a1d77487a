import type { Readable } from 'node:stream';

/** Keeps what a process writes; the function gives all of it so far. */
export function collectOutput(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}
