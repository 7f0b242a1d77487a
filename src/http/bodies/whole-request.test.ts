import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WholeRequest } from './whole-request.ts';

const MAX_BYTES = 10_000;

let server: Server<typeof WholeRequest>;
/** How long the server waits before it reads, as it does while a key is looked up. */
let waitMs: number;
/** The result for each body. */
let seen: string[];

beforeEach(async () => {
  waitMs = 0;
  seen = [];
  server = createServer({ IncomingMessage: WholeRequest }, async (request, response) => {
    if (waitMs > 0) await sleep(waitMs);
    request.readWhole(
      { maxBytes: MAX_BYTES, memory: { take: () => true, give: () => undefined } },
      (error, body) => {
        seen.push(error ? `error: ${error.message}` : `body: ${body}`);
        if (error) request.resume().once('end', () => response.writeHead(413).end());
        else response.end(body);
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const open = (headers: Record<string, string | number> = {}) =>
  httpRequest({ port: (server.address() as AddressInfo).port, method: 'POST', headers });

/** Sends a body in pieces, each as a separate packet, and returns the response. */
function send(pieces: readonly Buffer[], headers?: Record<string, number>, pauseMs = 0) {
  return new Promise<{ status: number; body: Buffer }>((resolve, reject) => {
    const request = open(headers).once('error', reject);
    request.once('response', async (response) => {
      const body = Buffer.concat(await response.toArray());
      resolve({ status: response.statusCode ?? 0, body });
    });
    request.flushHeaders();
    void (async () => {
      for (const piece of pieces) {
        request.write(piece);
        if (pauseMs > 0) await sleep(pauseMs);
      }
      request.end();
    })();
  });
}

describe('a body within the limit', () => {
  it.each([0, 20])('is the same however it was split (read after %d ms)', async (ms) => {
    waitMs = ms;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 100 }), { maxLength: 8 }),
        fc.boolean(),
        async (arrays, isMeasured) => {
          const pieces = arrays.map((array) => Buffer.from(array));
          const whole = Buffer.concat(pieces);
          const { status, body } = await send(
            pieces,
            isMeasured ? { 'content-length': whole.length } : undefined,
          );
          expect([status, body]).toEqual([200, whole]);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('may arrive slowly, before and after it is read', async () => {
    waitMs = 30;
    const pieces = ['one ', 'two ', 'three'].map((text) => Buffer.from(text));
    expect(String((await send(pieces, undefined, 20)).body)).toBe('one two three');
  });

  it('is read separately for the next request on the same connection', async () => {
    const { Agent } = await import('node:http');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { port } = server.address() as AddressInfo;
    for (const text of ['first', '', 'third']) {
      const body = await new Promise<string>((resolve, reject) => {
        httpRequest({ port, agent, method: 'POST' }, async (response) =>
          resolve(String(Buffer.concat(await response.toArray()))),
        )
          .once('error', reject)
          .end(text);
      });
      expect(body).toBe(text);
    }
    agent.destroy();
  });
});

describe('a body beyond the limit', () => {
  const large = Buffer.alloc(MAX_BYTES + 1, 'x');

  it.each([0, 20])('is refused, and the rest can be discarded (read after %d ms)', async (ms) => {
    waitMs = ms;
    const pieces = [large.subarray(0, 600), large.subarray(600), large];
    expect((await send(pieces, undefined, 10)).status).toBe(413);
    expect((await send(pieces, { 'content-length': 2 * large.length })).status).toBe(413);
    expect(seen.every((line) => line.startsWith('error: '))).toBe(true);
  });

  it('is refused at once when its declared length exceeds the limit', async () => {
    const request = open({ 'content-length': MAX_BYTES + 1 }).on('error', () => {});
    request.flushHeaders();
    await expect.poll(() => seen.length).toBe(1);
    request.destroy();
  });
});

describe('a body in many small pieces', () => {
  it.each([0, 20])('is refused, however small it is (read after %d ms)', async (ms) => {
    waitMs = ms;
    const crumbs = `POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(1500)}0\r\n\r\n`;
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(crumbs);
    const [answer] = await once(socket, 'data');
    socket.destroy();
    expect(String(answer)).toMatch(/^HTTP\/1.1 413 /);
    expect(seen).toEqual(['error: The request body comes in too many small pieces.']);
  });
});

describe('a client that disconnects', () => {
  it.each([0, 20])('ends the reading with an error (read after %d ms)', async (ms) => {
    waitMs = ms;
    const request = open({ 'content-length': 100 }).on('error', () => {});
    request.write('only a part');
    await once(server, 'request');
    await sleep(10);
    request.destroy();
    await expect.poll(() => seen.length).toBe(1);
    expect(seen[0]).toMatch(/^error: /);
  });
});
