import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { ModelWire, Turn } from './model-wire.ts';

/** A model server that follows a script, whatever it is asked. */
export interface ScriptedModel {
  readonly url: string;
  /** The requests that it got, in their order. */
  readonly requests: readonly unknown[];
  close(): Promise<void>;
}

/** Starts a model server that responds to each request with the next turn, and refuses requests after the last. */
export async function startScriptedModel(
  wire: ModelWire,
  turns: readonly Turn[],
): Promise<ScriptedModel> {
  const requests: unknown[] = [];
  const respond = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(incoming.url ?? '/', 'http://model');
    if (incoming.method !== 'POST' || pathname !== wire.path) return refuse(response, 404);
    const number = requests.push(await json(incoming));
    const turn = turns[number - 1];
    if (!turn) return refuse(response, 400);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of wire.encode(turn, number)) {
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    }
    response.end();
  };
  const server = createServer((incoming, response) => {
    respond(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function refuse(response: ServerResponse, status: number): void {
  const error = {
    type: 'invalid_request_error',
    message: 'The script has nothing to say to this.',
  };
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ type: 'error', error }));
}
