import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

/** A small HTTP proxy for tests, which leaves every header unchanged, including Host and Origin. */
export interface Forwarder {
  readonly url: string;
  close(): Promise<void>;
}

/** Sends each request to the address that `pick` names for it, with headers added. */
export async function startForwarder(
  pick: () => string,
  added: Readonly<Record<string, string>> = {},
): Promise<Forwarder> {
  const server = createServer((incoming, response) => forward(incoming, response, pick(), added));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Forwards a disconnect of either end to the other: closing the response cancels a stateless call. */
function forward(
  incoming: IncomingMessage,
  response: ServerResponse,
  target: string,
  added: Readonly<Record<string, string>>,
): void {
  const outgoing = request(new URL(incoming.url ?? '/', target), {
    method: incoming.method,
    headers: { ...incoming.headers, ...added },
  });
  outgoing.on('response', (received) => {
    response.writeHead(received.statusCode ?? 502, received.headers);
    // The first bytes of a stream may take long to arrive.
    response.flushHeaders();
    received.pipe(response);
    received.on('error', () => response.destroy());
  });
  outgoing.on('error', () => response.destroy());
  response.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}
