const LINE_END = /\r\n|\r|\n/;

/**
 * The data of each event in an event stream, by the rules of the HTML standard, section 9.2.6. Names, ids and comments
 * are of no use to a reader of JSON-RPC messages. An event that the stream ends within is left out, as the standard has it.
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

/** Lines, as soon as a line feed, a carriage return or both have ended them; what no end comes for is no line. */
async function* readTextLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let afterReturn = false;
  for await (const chunk of stream) {
    const text = decoder.decode(chunk, { stream: true });
    if (text === '') continue;
    const news = afterReturn && text.startsWith('\n') ? text.slice(1) : text;
    afterReturn = text.endsWith('\r');
    const [first = '', ...more] = news.split(LINE_END);
    const lines = [rest + first, ...more];
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
