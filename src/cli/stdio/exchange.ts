import { type Dispatcher, request } from 'undici';
import { readEvents } from './events.ts';
import { ExchangeFailure, notTheGateway, refusedBy, unanswered } from './failure.ts';

/** How the bridge reaches the gateway. */
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
