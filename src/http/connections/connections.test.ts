import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { type ConnectionLimits, type Connections, createConnections } from './connections.ts';

const MANY = 1000;
const LARGE = Buffer.alloc(64 * 1024 * 1024, 'x');

let server: Server;
let connections: Connections;
let streams: ServerResponse[];

afterEach(async () => {
  await connections.close();
  server.closeAllConnections();
  server.close();
});

async function start(limits: Partial<ConnectionLimits>): Promise<void> {
  streams = [];
  server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    if (request.url === '/large') response.end(LARGE);
    else if (request.url === '/wait') streams.push(response);
    else if (request.url === '/stream') {
      response.writeHead(200).write('ready');
      streams.push(response);
    } else response.end('small');
  });
  connections = createConnections({
    maxConnections: MANY,
    maxConnectionsPerAddress: MANY,
    writeTimeoutMs: 60_000,
    ...limits,
  });
  connections.watch(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
}

/** A client that reads by default. */
class Client {
  readonly socket: Socket;
  text = '';
  isOpen = true;
  bytes = 0;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket
      .on('error', () => undefined)
      .on('close', () => {
        this.isOpen = false;
      });
    socket.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length;
      if (this.text.length < 2000) this.text += chunk.toString('latin1');
    });
  }

  static async open(path?: string, isReading = true): Promise<Client> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const client = new Client(socket);
    if (!isReading) socket.pause();
    await once(socket, 'connect');
    if (path) client.ask(path);
    return client;
  }

  ask(path: string): void {
    this.socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
  }

  /** Reads until the connection is closed, which only a reader notices. */
  async closed(): Promise<void> {
    this.socket.resume();
    await until(() => !this.isOpen);
  }
}

describe('a response that its client does not read', () => {
  it('is cut after the write timeout', async () => {
    await start({ writeTimeoutMs: 400 });
    const client = await Client.open('/large', false);
    await until(() => connections.stats().unread === 1);
    expect(connections.stats().open).toBe(0);
    await client.closed();
    expect(client.bytes).toBeLessThan(LARGE.length);
  });

  it('is cut even when it never ends', async () => {
    await start({ writeTimeoutMs: 400 });
    await Client.open('/stream', false);
    await expect.poll(() => streams.length).toBe(1);
    streams[0]?.write(LARGE);
    await until(() => connections.stats().unread === 1);
  });

  it('is not cut while it is read, however slowly', async () => {
    const writeTimeoutMs = 1600;
    await start({ writeTimeoutMs });
    const client = await Client.open('/large', false);
    let wanted = 0;
    client.socket.on('data', () => {
      if (client.bytes >= wanted) client.socket.pause();
    });
    const startedMs = performance.now();
    while (client.isOpen && client.bytes < LARGE.length) {
      // The kernel reports room to the server only when there is enough of it.
      wanted = Math.min(client.bytes + 1024 * 1024, LARGE.length);
      client.socket.resume();
      while (client.isOpen && client.bytes < wanted) await sleep(1);
      await sleep(80);
    }
    expect(client.bytes).toBeGreaterThanOrEqual(LARGE.length);
    expect(performance.now() - startedMs).toBeGreaterThan(2 * writeTimeoutMs);
    expect(connections.stats().unread).toBe(0);
  });
});

it('does not cut a connection that has nothing to read', async () => {
  await start({ writeTimeoutMs: 100 });
  const clients = [
    await Client.open(),
    await Client.open('/small'),
    await Client.open('/wait'),
    await Client.open('/stream'),
    await Client.open('/stream', false),
  ];
  await sleep(500);
  expect(clients.every(({ isOpen }) => isOpen)).toBe(true);
  expect(connections.stats()).toMatchObject({ open: 5, unread: 0 });
});

describe.each([
  ['in all', { maxConnections: 3 }],
  ['of one address', { maxConnectionsPerAddress: 3 }],
])('the bound on connections %s', (_what, limit) => {
  it('makes room by closing the connection unread for longest, then the one idle for longest', async () => {
    await start(limit);
    const idle = await Client.open('/small');
    await sleep(1100);
    const unread = await Client.open('/large', false);
    const busy = await Client.open('/wait');
    await sleep(4300);
    const fourth = await Client.open('/small');
    await unread.closed();
    expect([idle.isOpen, busy.isOpen]).toEqual([true, true]);
    const fifth = await Client.open('/small');
    await idle.closed();
    await expect.poll(() => [fourth.text, fifth.text].join()).toMatch(/small.*small/s);
    expect(busy.isOpen).toBe(true);
    expect(connections.stats()).toEqual({ open: 3, unread: 0, displaced: 2, refused: 0 });
  });

  it('refuses a new connection with 503 when all others are in use', async () => {
    let full = 0;
    await start({ ...limit, onFull: () => full++ });
    for (let i = 0; i < 3; i++) await Client.open('/wait');
    await expect.poll(() => streams.length).toBe(3);
    const fourth = await Client.open('/small');
    await expect.poll(() => fourth.isOpen).toBe(false);
    expect(fourth.text).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
    expect(fourth.text).toContain('retry-after: 1\r\n');
    expect(fourth.text).toMatch(/\r\n\r\n\{"error":"Service Unavailable","message":"[^"]+"\}$/);
    expect(connections.stats()).toEqual({ open: 3, unread: 0, displaced: 0, refused: 1 });
    expect(full).toBe(1);
  });

  it('does not count closed connections', async () => {
    await start(limit);
    for (let i = 0; i < 10; i++) {
      const client = await Client.open('/small');
      await expect.poll(() => client.text).toContain('small');
      client.socket.destroy();
      await expect.poll(() => connections.stats().open).toBe(0);
    }
    expect(connections.stats().refused).toBe(0);
  });
});

it('exempts addresses that stand for many clients from the bound on one address', async () => {
  await start({ maxConnectionsPerAddress: 1, isExempt: (address) => address === '127.0.0.1' });
  const clients = [await Client.open('/small'), await Client.open('/small')];
  for (const client of clients) await expect.poll(() => client.text).toContain('small');
});
