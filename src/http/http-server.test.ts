import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHttpServer } from './http-server.ts';
import { createResponseCounts, type ResponseCounts } from './response-counts.ts';

let server: Server;
const sockets: Socket[] = [];

let responses: ResponseCounts;

beforeEach(async () => {
  responses = createResponseCounts();
  server = createHttpServer((request, response) => {
    request.resume().once('end', () => response.end('done'));
  }, responses);
  // The interval at which they are checked stays the same: five seconds.
  server.headersTimeout = 100;
  server.requestTimeout = 200;
  server.keepAliveTimeout = 100;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
});

/** What the server sends on a connection until it closes it. */
async function say(text: string): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.write(text);
  return Buffer.concat(await socket.toArray()).toString();
}

const POST = 'POST / HTTP/1.1\r\nhost: a\r\n';

describe('a response', () => {
  const JOINED = 16 * 1024;
  /** A character of one byte in Latin-1, and of two in UTF-8. */
  const HEADER = 'h\u00e9';

  it.each([0, 1, JOINED, JOINED + 1, 200_000])(
    'with a body of %i bytes has its head once, and before the body, also if it must wait for another',
    async (bytes) => {
      const body = Buffer.alloc(bytes, 'b');
      server.removeAllListeners('request').on('request', ({ method, url }, response) => {
        response.setHeader('x-header', HEADER);
        response.setHeader('content-length', bytes);
        // The second response is ready before the first.
        if (url === '/first') setTimeout(() => response.end(body), 20);
        else response.end(method === 'HEAD' ? undefined : body);
      });
      const answer = await say(
        'GET /first HTTP/1.1\r\nhost: a\r\n\r\nGET / HTTP/1.1\r\nhost: a\r\n\r\nHEAD / HTTP/1.1\r\nhost: a\r\n\r\n',
      );
      const heads = answer.split('b'.repeat(bytes) || /(?<=\r\n\r\n)/);
      expect(heads).toHaveLength(3);
      for (const head of heads) {
        expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n(?!.*HTTP)[\s\S]*\r\n\r\n$/);
        expect(head).toContain(`x-header: ${Buffer.from(HEADER, 'latin1').toString()}`);
      }
    },
  );

  it('leaves in one piece if it is small', async () => {
    const writes: number[] = [];
    server.once('connection', (socket: Socket & { _handle: object }) => {
      const { write } = socket;
      socket.write = (...args: unknown[]) => {
        writes.push(Buffer.byteLength(args[0] as Buffer));
        return Reflect.apply(write, socket, args);
      };
    });
    server.removeAllListeners('request').on('request', (_request, response) => {
      response.end(Buffer.alloc(1000, 'b'));
    });
    await say('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    expect(writes.filter((bytes) => bytes > 0)).toHaveLength(1);
  });
});

describe('the timeouts of a connection', () => {
  it('refuse a late head or body with 408, and close an idle connection', async () => {
    const [head, body, idle] = await Promise.all([
      say(POST),
      say(`${POST}content-length: 10\r\n\r\n12345`),
      say(`${POST}content-length: 0\r\n\r\n`),
    ]);
    for (const answer of [head, body]) {
      expect(answer).toMatch(/^HTTP\/1\.1 408 /);
      expect(answer).toContain('"error":"Request Timeout"');
    }
    expect(idle).toMatch(/^HTTP\/1\.1 200 [\s\S]*done$/);
    expect([...responses.entries()]).toEqual([
      [200, 1],
      [408, 2],
    ]);
  });
});
