const LINE_END = /\r\n|\r|\n/;

/**
 * The data of each event in an event stream (HTML standard, section 9.2.6). Event names, ids and comments carry nothing
 * for JSON-RPC. As the standard requires, an event that is incomplete when the stream ends is dropped.
 */
export async function* readEvents(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const line of readTextLines(stream)) {
    if (line === '') {
      if (data.length > 0) yield data.join('\n');
      data = [];
    } else if (line === 'data' || line.startsWith('data:')) {
      data.push(line.slice('data:'.length).replace(/^ /, ''));
    }
  }
}

/** Yields each line as soon as a line feed, a carriage return or both end it. Drops an incomplete last line. */
async function* readTextLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let afterReturn = false;
  for await (const chunk of stream) {
    const text = decoder.decode(chunk, { stream: true });
    if (text === '') continue;
    const fresh = afterReturn && text.startsWith('\n') ? text.slice(1) : text;
    afterReturn = text.endsWith('\r');
    const [first = '', ...more] = fresh.split(LINE_END);
    const lines = [rest + first, ...more];
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
