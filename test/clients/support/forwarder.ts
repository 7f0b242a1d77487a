import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

/** A small HTTP proxy of a test's own, which leaves every header as it is, Host and Origin too. */
export interface Forwarder {
  readonly url: string;
  close(): Promise<void>;
}

/** Sends each request to the address that `pick` names for it, with headers added. */
export async function startForwarder(
  pick: () => string,
  added: Readonly<Record<string, string>> = {},
): Promise<Forwarder> {
  const server = createServer((incoming, answer) => forward(incoming, answer, pick(), added));
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

/** Passes both ends' going away on to the other: a closed answer is how stateless calls are cancelled. */
function forward(
  incoming: IncomingMessage,
  answer: ServerResponse,
  target: string,
  added: Readonly<Record<string, string>>,
): void {
  const outgoing = request(new URL(incoming.url ?? '/', target), {
    method: incoming.method,
    headers: { ...incoming.headers, ...added },
  });
  outgoing.on('response', (received) => {
    answer.writeHead(received.statusCode ?? 502, received.headers);
    // A stream's first bytes may be long in coming.
    answer.flushHeaders();
    received.pipe(answer);
    received.on('error', () => answer.destroy());
  });
  outgoing.on('error', () => answer.destroy());
  answer.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}
