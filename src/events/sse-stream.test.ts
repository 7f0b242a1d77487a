import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeSse } from '../../test/support/decode-sse.ts';
import { until } from '../../test/support/until.ts';
import { createByteBudget } from '../platform/kernel/byte-budget.ts';
import { encodeSseEvent } from './event-stream.ts';
import { createSseStream, type SseStreamOptions } from './sse-stream.ts';
import type { ClientStream } from './stream-hub.ts';

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

/** The stream, and how often it has reported that it is closed. */
function streamTo(response: ServerResponse, options: Partial<SseStreamOptions> = {}) {
  let count = 0;
  const stream = createSseStream(response, {
    clientId: 'sse_1',
    endpoint: '../mcp?sessionId=sse_1',
    caller: { tenantId: 'ten_1', tenantSlug: 'one', apiKeyId: 'key_1', allowedTools: null },
    keepaliveMs: 60_000,
    maxBufferBytes: 64 * 1024,
    memory: () => createByteBudget(1024 * 1024 * 1024).open('ten_1'),
    onClose: () => {
      count++;
    },
    ...options,
  });
  return { stream, closed: () => count };
}

/** A client that reads everything it receives. */
async function openReader(options: Partial<SseStreamOptions> = {}) {
  const accepted = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  const outgoing = request({ host: '127.0.0.1', port, path: '/mcp/sse' }).end();
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

/** Sends until the kernel buffers are full and bytes remain in this process, or until the client is disconnected. */
async function fillKernelBuffers(stream: ClientStream, response: ServerResponse): Promise<void> {
  const data = 'x'.repeat(32 * 1024);
  await until(() => {
    stream.send(encodeSseEvent('message', data));
    return response.destroyed || response.writableLength > 200 * 1024;
  });
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('an event stream', () => {
  it('starts with ready and endpoint, with headers that keep proxies from buffering or changing it', async () => {
    const { incoming, received, raw } = await openReader();
    await until(() => received().events.length === 2);
    expect(raw()).toBe(
      'retry: 3000\nevent: ready\ndata: {"ok":true,"clientId":"sse_1"}\n\n' +
        'event: endpoint\ndata: ../mcp?sessionId=sse_1\n\n',
    );
    expect(incoming.statusCode).toBe(200);
    expect(incoming.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      connection: 'keep-alive',
      'x-accel-buffering': 'no',
    });
  });

  it('delivers events in the order in which they were sent', async () => {
    const { stream, received } = await openReader();
    const texts = Array.from({ length: 500 }, (_, i) => `{"n":${i}}`);
    for (const data of texts) stream.send(encodeSseEvent('message', data));
    await until(() => received().events.length === 502);
    expect(received().events.slice(2)).toEqual(texts.map((data) => ({ name: 'message', data })));
  });

  it('sends keepalive comments', async () => {
    const { received } = await openReader({ keepaliveMs: 10 });
    await until(() => received().comments.length >= 3);
    expect(new Set(received().comments)).toEqual(new Set([' keepalive']));
  });

  it('ends cleanly, sends nothing more, and reports that it is closed', async () => {
    const { stream, closed, incoming, received } = await openReader();
    stream.send(encodeSseEvent('message', 'last'));
    stream.end();
    stream.end();
    stream.send(encodeSseEvent('message', 'too late'));
    await once(incoming, 'end');
    expect(received().events.at(-1)).toEqual({ name: 'message', data: 'last' });
    await until(() => closed() === 1);
  });

  it('reports that it is closed when its client disconnects, and ignores further events', async () => {
    const { stream, closed, incoming } = await openReader({ keepaliveMs: 5 });
    incoming.destroy();
    await until(() => closed() === 1);
    stream.send(encodeSseEvent('message', 'too late'));
    stream.end();
    await turn();
    expect(closed()).toBe(1);
  });

  it('reports that it is closed if its client disconnected before it was opened', async () => {
    const accepted = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    const client = connect(port, '127.0.0.1');
    client.write('GET /mcp/sse HTTP/1.1\r\nHost: gateway\r\n\r\n');
    const [, response] = await accepted;
    client.destroy();
    await once(response, 'close');
    const { stream, closed } = streamTo(response, { keepaliveMs: 5 });
    stream.send(encodeSseEvent('message', 'too late'));
    expect(closed()).toBe(0);
    await until(() => closed() === 1);
  });
});

describe('responses to posted messages', () => {
  it('arrive complete and in order, however large they are, and before later events', async () => {
    const { stream, received } = await openReader({ maxBufferBytes: 1024 });
    const large = 'x'.repeat(4 * 1024 * 1024);
    const frame = (data: string) => ['event: message\ndata: ', Buffer.from(data), '\n\n'];
    void stream.reply(frame(large));
    void stream.reply(frame('second'));
    const left = stream.reply(frame('third'));
    stream.send(encodeSseEvent('message', 'an event'));
    await left;
    await until(() => received().events.length === 6);
    const texts = received()
      .events.slice(2)
      .map(({ data }) => data);
    expect(texts.filter((data) => data !== 'an event')).toEqual([large, 'second', 'third']);
  });

  it('make the stream a session, which is notified of changed tools', async () => {
    const { stream, received } = await openReader();
    stream.toolsChanged(null);
    await stream.reply(['event: message\ndata: {}\n\n']);
    stream.toolsChanged(null);
    stream.listChanged();
    await until(() => received().events.length === 5);
    const notification = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
    expect(
      received()
        .events.slice(2)
        .map(({ data }) => data),
    ).toEqual(['{}', notification, notification]);
  });

  it('are released when the client disconnects', async () => {
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
  it('is disconnected when too many bytes are unsent', async () => {
    const { stream, closed, response } = await openDeafClient({ maxBufferBytes: 100 * 1024 });
    const data = 'x'.repeat(16 * 1024);
    await until(() => {
      stream.send(encodeSseEvent('message', data));
      return response.destroyed;
    });
    await until(() => closed() === 1);
  });

  it('is disconnected when a keepalive is still unsent after two more are due', async () => {
    const { stream, closed, response } = await openDeafClient({
      keepaliveMs: 20,
      maxBufferBytes: 1024 * 1024,
    });
    await fillKernelBuffers(stream, response);
    await until(() => closed() === 1);
    expect(response.destroyed).toBe(true);
  });

  it('does not delay the end of its stream for long', async () => {
    const { stream, closed, response } = await openDeafClient({
      keepaliveMs: 20,
      maxBufferBytes: 1024 * 1024,
    });
    await fillKernelBuffers(stream, response);
    stream.end();
    await until(() => closed() === 1);
  });

  it('stays connected if it is slow but catches up in time', async () => {
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
