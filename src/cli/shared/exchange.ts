import { type Dispatcher, request } from 'undici';
import { ExchangeFailure, notTheGateway, refusedBy, unanswered } from './failure.ts';

/** How the MCP endpoint of a gateway is reached. */
export interface GatewayConnection {
  /** Address of its MCP endpoint. */
  readonly address: string;
  readonly key: string;
  readonly dispatcher: Dispatcher;
}

export interface Outgoing {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** Closes the connection, which is how a request is cancelled. */
  readonly signal: AbortSignal;
}

/** Sends a message and yields the JSON texts of the response as they arrive. Throws ExchangeFailure. */
export async function* exchange(
  { address, key, dispatcher }: GatewayConnection,
  { body, headers, signal }: Outgoing,
): AsyncGenerator<string> {
  try {
    const response = await request(address, {
      method: 'POST',
      headers: {
        ...headers,
        'x-api-key': key,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body,
      signal,
      dispatcher,
    });
    if (response.statusCode === 202) return await response.body.dump();
    if (response.statusCode !== 200) {
      throw refusedBy(response.statusCode, await response.body.text());
    }
    const type = String(response.headers['content-type']);
    if (/^text\/event-stream\b/i.test(type)) yield* readEvents(response.body);
    else if (/^application\/json\b/i.test(type)) yield await response.body.text();
    else throw notTheGateway(address);
  } catch (error) {
    throw error instanceof ExchangeFailure ? error : unanswered(address, body.length, error);
  }
}

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
