/** An event stream as a client decodes it; `rest` is the incomplete part at the end. */
export interface DecodedSse {
  readonly events: { name: string; data: string }[];
  readonly comments: string[];
  readonly rest: string;
}

/** Follows the HTML standard, section 9.2.6, as far as the gateway's streams need it. */
export function decodeSse(text: string): DecodedSse {
  const events: DecodedSse['events'] = [];
  const comments: string[] = [];
  let block: string[] = [];
  let lineAt = 0;
  let blockAt = 0;
  for (const end of text.matchAll(/\r\n|\r|\n/g)) {
    const line = text.slice(lineAt, end.index);
    lineAt = end.index + end[0].length;
    if (line !== '') {
      block.push(line);
      continue;
    }
    const event = decodeBlock(block, comments);
    if (event) events.push(event);
    block = [];
    blockAt = lineAt;
  }
  return { events, comments, rest: text.slice(blockAt) };
}

function decodeBlock(lines: readonly string[], comments: string[]) {
  let name = 'message';
  const data: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1);
    if (field === '') comments.push(value);
    if (field === 'event') name = value.replace(/^ /, '');
    if (field === 'data') data.push(value.replace(/^ /, ''));
  }
  return data.length > 0 ? { name, data: data.join('\n') } : undefined;
}
