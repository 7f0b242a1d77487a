import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
} from 'node:http';
import { type DecodedSse, decodeSse } from './decode-sse.ts';

/** A request with exactly the headers of the test: no `Accept` or the like is added. */
export interface RawRequest {
  readonly method?: string;
  /** The path after the gateway's address; `/mcp` by default. */
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  /** Strings are sent unchanged, everything else as JSON. */
  readonly body?: unknown;
}

/** A complete response. */
export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The text parsed as JSON; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses whose shape is under test.
  readonly json: any;
  /** The messages of a response that is an event stream. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses whose shape is under test.
  readonly messages: readonly any[];
}

/** A response that is still being received. */
export interface RawStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Everything received so far. */
  text(): string;
  /** The messages received as events so far. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses whose shape is under test.
  messages(): readonly any[];
  comments(): readonly string[];
  hasEnded(): boolean;
  /** Stays connected, but reads nothing more. */
  stopReading(): void;
  /** Disconnects without waiting for the rest. */
  close(): void;
}

/** Sends a request and reads the whole response. */
export async function sendRaw(url: string, raw: RawRequest): Promise<RawResponse> {
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

/** Sends a request and returns the response as soon as its head has been received. */
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

/** Sends a request and disconnects on demand. */
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
