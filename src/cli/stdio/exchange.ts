import { type Dispatcher, request } from 'undici';
import { readEvents } from './events.ts';
import { ExchangeFailure, notTheGateway, refusedBy, unanswered } from './failure.ts';

/** The gateway as the bridge reaches it. */
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

/** Sends a message, and gives the JSON texts that the gateway answers with as they come. Throws ExchangeFailure. */
export async function* exchange(
  { address, key, dispatcher }: GatewayConnection,
  { body, headers, signal }: Outgoing,
): AsyncGenerator<string> {
  try {
    const answer = await request(address, {
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
    if (answer.statusCode === 202) return await answer.body.dump();
    if (answer.statusCode !== 200) {
      throw refusedBy(answer.statusCode, await answer.body.text());
    }
    const type = String(answer.headers['content-type']);
    if (/^text\/event-stream\b/i.test(type)) yield* readEvents(answer.body);
    else if (/^application\/json\b/i.test(type)) yield await answer.body.text();
    else throw notTheGateway(address);
  } catch (error) {
    throw error instanceof ExchangeFailure ? error : unanswered(address, body.length, error);
  }
}
