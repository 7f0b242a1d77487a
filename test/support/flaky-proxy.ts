import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy in front of a real server, whose connection can be cut and restored. */
export interface FlakyProxy {
  readonly port: number;
  /** Closes every connection and refuses new ones. */
  cut(): void;
  /** Keeps every connection open but forwards nothing, like a dead switch. */
  silence(): void;
  /** Holds back everything in both directions for that long. */
  delay(ms: number): void;
  mend(): void;
  close(): Promise<void>;
}

export async function startFlakyProxy(target: { host: string; port: number }): Promise<FlakyProxy> {
  const sockets = new Set<Socket>();
  let state: 'whole' | 'cut' | 'silent' = 'whole';
  let delayMs = 0;

  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const forward = (from: Socket, to: Socket): void => {
    from.on('data', (chunk) => {
      if (state !== 'whole') return;
      if (delayMs > 0) setTimeout(() => to.write(chunk), delayMs);
      else to.write(chunk);
    });
    from.on('close', () => to.destroy());
  };
  const server = createServer((inward) => {
    if (state === 'cut') return inward.destroy();
    const outward = connect(target.port, target.host);
    track(inward);
    track(outward);
    forward(inward, outward);
    forward(outward, inward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');

  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: address.port,
    cut: () => {
      state = 'cut';
      breakAll();
    },
    silence: () => {
      state = 'silent';
    },
    delay: (ms) => {
      delayMs = ms;
    },
    mend: () => {
      state = 'whole';
      delayMs = 0;
    },
    close: async () => {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}
