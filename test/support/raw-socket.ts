import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { until } from './until.ts';

/** A connection on which a test writes raw bytes. */
export interface RawSocket {
  write(text: string): void;
  /** Everything received so far. */
  text(): string;
  /** Resolves with everything received once the other side has closed the connection. */
  readonly closed: Promise<string>;
  /** Resolves when this text has been received. */
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

/** A connection that sends a request and never reads the response. */
export async function sendWithoutReading(url: string, request: string): Promise<Socket> {
  const socket = await connectTo(url);
  socket.pause();
  socket.write(request);
  return socket;
}

async function connectTo(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // A test sees from what was received how the connection ended.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}
