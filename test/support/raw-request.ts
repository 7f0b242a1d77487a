import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
} from 'node:http';
import { type DecodedSse, decodeSse } from './decode-sse.ts';

/** A request whose headers are all the test's own: nothing like `Accept` is added to them. */
export interface RawRequest {
  readonly method?: string;
  /** From the gateway's address on; `/mcp` unless said otherwise. */
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  /** Text goes out as it is, everything else as JSON. */
  readonly body?: unknown;
}

/** An answer that has come to its end. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** What the text says as JSON; undefined where it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape is what they test.
  readonly json: any;
  /** The messages of an answer that is an event stream. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape is what they test.
  readonly messages: readonly any[];
}

/** An answer that is still coming. */
export interface RawStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** All that has come so far. */
  text(): string;
  /** The messages that have come so far as events. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape is what they test.
  messages(): readonly any[];
  comments(): readonly string[];
  hasEnded(): boolean;
  /** Stays connected, but takes nothing more. */
  stopReading(): void;
  /** Goes away without waiting for the rest. */
  close(): void;
}

/** Sends a request and reads its whole answer. */
export async function sendRaw(url: string, raw: RawRequest): Promise<RawAnswer> {
  const incoming = await respond(start(url, raw));
  let text = '';
  incoming.setEncoding('utf8');
  for await (const chunk of incoming) text += chunk;
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    text,
    json: asJson(text),
    messages: readMessages(decodeSse(text)),
  };
}

/** Sends a request and hands out its answer as soon as the head is there. */
export async function openRaw(url: string, raw: RawRequest): Promise<RawStream> {
  const outgoing = start(url, raw);
  const incoming = await respond(outgoing);
  let text = '';
  let ended = false;
  incoming.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  for (const name of ['end', 'close', 'error'] as const) {
    incoming.on(name, () => {
      ended = true;
    });
  }
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    text: () => text,
    messages: () => readMessages(decodeSse(text)),
    comments: () => decodeSse(text).comments,
    hasEnded: () => ended,
    stopReading: () => incoming.pause(),
    close: () => outgoing.destroy(),
  };
}

/** Sends a request and gives up on its answer when told to. */
export function sendAndLeave(url: string, raw: RawRequest): { leave(): void } {
  const outgoing = start(url, raw);
  outgoing.on('error', () => undefined);
  return { leave: () => outgoing.destroy() };
}

function start(url: string, raw: RawRequest): ClientRequest {
  const { method = 'POST', path = '/mcp', headers = {}, body } = raw;
  const outgoing = request(`${url}${path}`, { method });
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) outgoing.setHeader(name, value);
  }
  if (body === undefined) return outgoing.end();
  return outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
}

const respond = (outgoing: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    outgoing.on('response', resolve).on('error', reject);
  });

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const readMessages = ({ events }: DecodedSse): unknown[] =>
  events.filter(({ name }) => name === 'message').map(({ data }) => asJson(data));
