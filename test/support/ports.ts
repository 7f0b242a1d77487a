import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** A server that accepts connections and never says a word. */
export async function listenAnywhere(): Promise<{ server: Server; port: number }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

/** A port that nothing listened on a moment ago. */
export async function freePort(): Promise<number> {
  const { server, port } = await listenAnywhere();
  server.close();
  await once(server, 'close');
  return port;
}
