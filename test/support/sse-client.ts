import { type IncomingMessage, request } from 'node:http';
import { decodeSse } from './decode-sse.ts';
import { until } from './until.ts';

export interface SseEvent {
  readonly name: string;
  readonly data: string;
}

/** A reader of one event stream, independent of the gateway's own framing code. */
export interface SseClient {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly events: SseEvent[];
  /** Comment lines as received. */
  readonly comments: string[];
  readonly clientId: string;
  /** The JSON-RPC messages received so far. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read messages whose shape is under test.
  messages(): any[];
  ended(): boolean;
  close(): void;
}

/** Opens `/mcp/sse` and waits for `ready` (or for a refusal). */
export async function openSse(url: string, key: string, query = ''): Promise<SseClient> {
  const events: SseEvent[] = [];
  const comments: string[] = [];
  let ended = false;
  const outgoing = request(`${url}/mcp/sse${query}`, {
    headers: { 'x-api-key': key, accept: 'text/event-stream' },
  });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve).on('error', reject).end();
  });
  let rest = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    const decoded = decodeSse(rest + chunk);
    rest = decoded.rest;
    events.push(...decoded.events);
    comments.push(...decoded.comments.map((text) => `:${text}`));
  });
  for (const name of ['end', 'close', 'error'] as const) {
    response.on(name, () => {
      ended = true;
    });
  }
  if (response.statusCode === 200) await until(() => events.length > 0 || ended);
  const ready = events[0]?.name === 'ready' ? JSON.parse(events[0].data) : {};
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    comments,
    clientId: String(ready.clientId),
    messages: () =>
      events.filter(({ name }) => name === 'message').map(({ data }) => JSON.parse(data)),
    ended: () => ended,
    close: () => outgoing.destroy(),
  };
}
