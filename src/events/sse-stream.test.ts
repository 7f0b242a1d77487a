import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeSse } from '../../test/support/decode-sse.ts';
import { until } from '../../test/support/until.ts';
import { createByteBudget } from '../platform/kernel/byte-budget.ts';
import type { ClientStream } from './client-stream.ts';
import { createSseStream, type SseStreamOptions } from './sse-stream.ts';

const server = createServer();
let port = 0;
const clients: Socket[] = [];

beforeEach(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

/** The stream, and how often it has said that it is closed. */
function streamTo(response: ServerResponse, options: Partial<SseStreamOptions> = {}) {
  let count = 0;
  const stream = createSseStream(response, {
    clientId: 'sse_1',
    caller: { tenantId: 'ten_1', apiKeyId: 'key_1', allowedTools: null },
    keepaliveMs: 60_000,
    maxBufferBytes: 64 * 1024,
    lease: () => createByteBudget(1024 * 1024 * 1024).open('ten_1'),
    onClose: () => {
      count++;
    },
    ...options,
  });
  return { stream, closed: () => count };
}

/** A client that reads all it is sent. */
async function openReader(options: Partial<SseStreamOptions> = {}) {
  const accepted = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  const outgoing = request({ port, path: '/mcp/sse' }).end();
  const [, response] = await accepted;
  const opened = streamTo(response, options);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  clients.push(incoming.socket);
  incoming.on('error', () => undefined);
  let text = '';
  incoming.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return { ...opened, incoming, received: () => decodeSse(text), raw: () => text };
}

/** A client that sends its request and never reads. */
async function openDeafClient(options: Partial<SseStreamOptions> = {}) {
  const accepted = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  const client = connect(port, '127.0.0.1').pause();
  clients.push(client.on('error', () => undefined));
  client.write('GET /mcp/sse HTTP/1.1\r\nHost: gateway\r\n\r\n');
  const [, response] = await accepted;
  return { ...streamTo(response, options), response, client };
}

/** Sends until the kernel takes no more and bytes are left in this process, or the client has been dropped for it. */
async function fillKernelBuffers(stream: ClientStream, response: ServerResponse): Promise<void> {
  const data = 'x'.repeat(32 * 1024);
  await until(() => {
    stream.send({ name: 'message', data });
    return response.destroyed || response.writableLength > 200 * 1024;
  });
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('an event stream', () => {
  it('begins with ready and endpoint, under headers that proxies neither buffer nor change', async () => {
    const { incoming, received, raw } = await openReader();
    await until(() => received().events.length === 2);
    expect(raw()).toBe(
      'event: ready\ndata: {"ok":true,"clientId":"sse_1"}\n\n' +
        'event: endpoint\ndata: /mcp?sessionId=sse_1\n\n',
    );
    expect(incoming.statusCode).toBe(200);
    expect(incoming.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      connection: 'keep-alive',
      'x-accel-buffering': 'no',
    });
  });

  it('brings events in the order they were sent', async () => {
    const { stream, received } = await openReader();
    const texts = Array.from({ length: 500 }, (_, i) => `{"n":${i}}`);
    for (const data of texts) stream.send({ name: 'message', data });
    await until(() => received().events.length === 502);
    expect(received().events.slice(2)).toEqual(texts.map((data) => ({ name: 'message', data })));
  });

  it('sends keepalive comments', async () => {
    const { received } = await openReader({ keepaliveMs: 10 });
    await until(() => received().comments.length >= 3);
    expect(new Set(received().comments)).toEqual(new Set([' keepalive']));
  });

  it('ends cleanly, sends nothing more, and says that it is closed', async () => {
    const { stream, closed, incoming, received } = await openReader();
    stream.send({ name: 'message', data: 'last' });
    stream.end();
    stream.end();
    stream.send({ name: 'message', data: 'too late' });
    await once(incoming, 'end');
    expect(received().events.at(-1)).toEqual({ name: 'message', data: 'last' });
    await until(() => closed() === 1);
  });

  it('says that it is closed when its client disconnects, and takes further events without a fault', async () => {
    const { stream, closed, incoming } = await openReader({ keepaliveMs: 5 });
    incoming.destroy();
    await until(() => closed() === 1);
    stream.send({ name: 'message', data: 'nobody reads this' });
    stream.end();
    await turn();
    expect(closed()).toBe(1);
  });

  it('says that it is closed when its client had left before it was opened', async () => {
    const accepted = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    const client = connect(port, '127.0.0.1');
    client.write('GET /mcp/sse HTTP/1.1\r\nHost: gateway\r\n\r\n');
    const [, response] = await accepted;
    client.destroy();
    await once(response, 'close');
    const { stream, closed } = streamTo(response, { keepaliveMs: 5 });
    stream.send({ name: 'message', data: 'nobody reads this' });
    expect(closed()).toBe(0);
    await until(() => closed() === 1);
  });
});

describe('answers to posted messages', () => {
  it('come whole and in order, however large they are, and before later events', async () => {
    const { stream, received } = await openReader({ maxBufferBytes: 1024 });
    const large = 'x'.repeat(4 * 1024 * 1024);
    const frame = (data: string) => ['event: message\ndata: ', Buffer.from(data), '\n\n'];
    void stream.reply(frame(large));
    void stream.reply(frame('second'));
    const left = stream.reply(frame('third'));
    stream.send({ name: 'message', data: 'an event' });
    await left;
    await until(() => received().events.length === 6);
    const texts = received()
      .events.slice(2)
      .map(({ data }) => data);
    expect(texts.filter((data) => data !== 'an event')).toEqual([large, 'second', 'third']);
  });

  it('make it a session, which is told of changed tools', async () => {
    const { stream, received } = await openReader();
    stream.toolsChanged(null);
    await stream.reply(['event: message\ndata: {}\n\n']);
    stream.toolsChanged(null);
    await until(() => received().events.length === 4);
    expect(
      received()
        .events.slice(2)
        .map(({ data }) => data),
    ).toEqual(['{}', '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}']);
  });

  it('are let go when the client has gone', async () => {
    const { stream, closed, response, client } = await openDeafClient({ maxBufferBytes: 1024 });
    const waiting = stream.reply(['x'.repeat(64 * 1024 * 1024)]);
    const behind = stream.reply(['y']);
    await until(() => response.writableLength > 0);
    client.destroy();
    await Promise.all([waiting, behind]);
    await until(() => closed() === 1 && stream.closed.aborted);
  });
});

describe('a client that does not read', () => {
  it('is dropped when too much is unsent', async () => {
    const { stream, closed, response } = await openDeafClient({ maxBufferBytes: 100 * 1024 });
    const data = 'x'.repeat(16 * 1024);
    await until(() => {
      stream.send({ name: 'message', data });
      return response.destroyed;
    });
    await until(() => closed() === 1);
  });

  it('is dropped when a keepalive is still unsent as the next but one is due', async () => {
    const { stream, closed, response } = await openDeafClient({
      keepaliveMs: 20,
      maxBufferBytes: 1024 * 1024,
    });
    await fillKernelBuffers(stream, response);
    await until(() => closed() === 1);
    expect(response.destroyed).toBe(true);
  });

  it('does not hold up the end of its stream for long', async () => {
    const { stream, closed, response } = await openDeafClient({
      keepaliveMs: 20,
      maxBufferBytes: 1024 * 1024,
    });
    await fillKernelBuffers(stream, response);
    stream.end();
    await until(() => closed() === 1);
  });

  it('is kept while it is merely slow and catches up in time', async () => {
    const { stream, closed, response, client } = await openDeafClient({
      keepaliveMs: 500,
      maxBufferBytes: 1024 * 1024,
    });
    await fillKernelBuffers(stream, response);
    client.resume();
    let comments = 0;
    client.on('data', (chunk: Buffer) => {
      if (chunk.includes(': keepalive')) comments++;
    });
    await until(() => comments >= 2);
    expect(closed()).toBe(0);
  });
});
