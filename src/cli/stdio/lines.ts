const LINE_FEED = 0x0a;
const NOTHING = Buffer.alloc(0);

/**
 * The lines of a byte stream, without their line feeds. Yields null for a line longer than `maxBytes`, as soon as the
 * bound is exceeded. What follows the last line feed counts as a line.
 */
export async function* readLines(
  input: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<Buffer | null> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    let from = 0;
    while (from < chunk.length) {
      const end = chunk.indexOf(LINE_FEED, from);
      const part = chunk.subarray(from, end < 0 ? chunk.length : end);
      const fitted = size <= maxBytes;
      size += part.length;
      if (size <= maxBytes) parts.push(part);
      else if (fitted) {
        parts = [];
        yield null;
      }
      if (end < 0) break;
      if (size <= maxBytes) yield Buffer.concat(parts);
      parts = [];
      size = 0;
      from = end + 1;
    }
  }
  const rest = size <= maxBytes ? Buffer.concat(parts) : NOTHING;
  if (rest.length > 0) yield rest;
}
