import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createResponseCounts, type ResponseCounts } from './access-log.ts';
import { createHttpServer } from './http-server.ts';

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
