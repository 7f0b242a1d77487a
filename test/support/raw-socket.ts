import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { until } from './until.ts';

/** A connection on which a test writes its bytes itself. */
export interface RawSocket {
  write(text: string): void;
  /** All that has come so far. */
  text(): string;
  /** Resolves with all that has come once the other side has closed the connection. */
  readonly closed: Promise<string>;
  /** Resolves when this has come. */
  saw(part: string): Promise<void>;
  close(): void;
}

export async function openSocket(url: string): Promise<RawSocket> {
  const socket = await connectTo(url);
  let text = '';
  let hasClosed = false;
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
  });
  const closed = new Promise<string>((resolve) => {
    socket.once('close', () => {
      hasClosed = true;
      resolve(text);
    });
  });
  return {
    write: (bytes) => void socket.write(bytes),
    text: () => text,
    closed,
    saw: (part) =>
      until(() => {
        if (hasClosed && !text.includes(part)) throw new Error(`Closed after: ${text}`);
        return text.includes(part);
      }),
    close: () => socket.destroy(),
  };
}

/** A connection that asks and never takes anything of the answer. */
export async function askAndNotRead(url: string, request: string): Promise<Socket> {
  const socket = await connectTo(url);
  socket.pause();
  socket.write(request);
  return socket;
}

async function connectTo(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // A test sees from what came, or did not, how the connection ended.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}
