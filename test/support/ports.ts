import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** A server that accepts connections and never sends anything. */
export async function listenAnywhere(port = 0): Promise<{ server: Server; port: number }> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

/**
 * Below the ports that systems give to connections and to servers that do not choose one, of which there are many here, and
 * above the last port with which `fetch` refuses to connect (10080, https://fetch.spec.whatwg.org/#port-blocking).
 */
const FIRST_PORT = 10_081;
const LAST_PORT = 32_000;

/** A port that was free a moment ago, and that nothing takes by chance. */
export async function freePort(): Promise<number> {
  const port = randomInt(FIRST_PORT, LAST_PORT);
  const listening = await listenAnywhere(port).catch(() => undefined);
  if (!listening) return freePort();
  listening.server.close();
  await once(listening.server, 'close');
  return port;
}
