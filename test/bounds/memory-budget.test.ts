import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { openRaw, type RawStream } from '../support/raw-request.ts';
import { until } from '../support/until.ts';

const MIB = 1024 * 1024;
/** 64 MiB for what is large, 24 of them the cache, half of the rest for one tenant. */
const ENV = { MEMORY_LIMIT_BYTES: String(342 * MIB), CACHE_MAX_BYTES: String(24 * MIB) };
/** More than the buffers of a socket take in. */
const ROWS_BYTES = 8 * MIB;
const ANSWER = JSON.stringify({ rows: 'x'.repeat(ROWS_BYTES) });

let gateway: TestGateway;
let otherKey: string;
const streams: RawStream[] = [];
const sockets: Socket[] = [];

beforeAll(async () => {
  gateway = await startTestGateway({ env: { ...ENV, MAX_BODY_BYTES: String(4 * MIB) } });
  otherKey = (await gateway.createKey('other')).key;
});
afterEach(async () => {
  for (const stream of streams.splice(0)) stream.close();
  for (const socket of sockets.splice(0)) socket.destroy();
  await until(async () => (await gateway.call('fixture_uncached')).body.result !== undefined);
});
afterAll(() => gateway.close());

const large = () =>
  gateway.upstream.answer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(ANSWER);
  });

const request = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'fixture_uncached', arguments: {} },
});

/** Calls over a connection whose answer nobody reads. */
async function callUnread(id: number): Promise<void> {
  const stream = await openRaw(gateway.url, {
    headers: { 'x-api-key': gateway.key, 'content-type': 'application/json' },
    body: request(id),
  });
  stream.stopReading();
  streams.push(stream);
}

describe('answers that nobody reads', () => {
  test('fill their tenant’s share, after which its calls are refused at once, and others are served', async () => {
    large();
    for (let id = 0; id < 4; id++) await callUnread(id);
    const { status, body } = await gateway.rpc(request(9));
    expect(status).toBe(200);
    expect(body.error).toMatchObject({
      code: -32000,
      data: { reason: 'overloaded', retryable: true, retryAfterSeconds: 1 },
    });
    const other = await gateway.rpc(request(10), otherKey);
    expect(other.body.result.data.rows).toHaveLength(ROWS_BYTES);
  });

  test('are recorded when they are refused', async () => {
    large();
    for (let id = 0; id < 4; id++) await callUnread(id);
    const { body } = await gateway.rpc(request(11));
    const record = await gateway.json(`/api/v1/audit/${body.error.data.auditId}`);
    expect(record.body).toMatchObject({ outcome: 'error', error: { code: 'overloaded' } });
  });

  test('give their share back when their readers go', async () => {
    large();
    for (let id = 0; id < 4; id++) await callUnread(id);
    expect((await gateway.rpc(request(12))).body.error).toBeDefined();
    for (const stream of streams.splice(0)) stream.close();
    await until(async () => (await gateway.rpc(request(13))).body.result !== undefined);
  });
});

describe('replies of one HTTP+SSE session that nobody reads', () => {
  test('beyond the share are refusals on the stream; other tenants are served', async () => {
    large();
    const session = await openRaw(gateway.url, {
      method: 'GET',
      path: '/mcp/sse',
      headers: { 'x-api-key': gateway.key, accept: 'text/event-stream' },
    });
    streams.push(session);
    await until(() => session.text().includes('sessionId'));
    const path = /\/mcp\?sessionId=\S+/.exec(session.text())?.[0] ?? '';
    session.stopReading();
    for (let id = 0; id < 20; id++) {
      const posted = await gateway.json(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(request(id)),
      });
      expect(posted.status).toBe(202);
    }
    await until(async () => {
      const { body } = await gateway.json('/api/v1/audit?status=error&limit=50');
      return body.records.some(
        (record: { error: { code: string } }) => record.error.code === 'overloaded',
      );
    });
    const other = await gateway.rpc(request(10), otherKey);
    expect(other.body.result.data.rows).toHaveLength(ROWS_BYTES);
  });
});

describe('bodies that never end', () => {
  /** Sends all but the last byte of a body; resolves with what the gateway says, if it says anything. */
  function sendUnfinished(bytes: number): { answer: () => string } {
    const { hostname, port } = new URL(gateway.url);
    let answer = '';
    const socket = connect(Number(port), hostname)
      .setEncoding('utf8')
      .on('data', (text: string) => {
        answer += text;
      })
      .on('error', () => undefined);
    sockets.push(socket);
    socket.write(
      `POST /mcp HTTP/1.1\r\nhost: ${hostname}\r\nx-api-key: ${gateway.key}\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`,
    );
    socket.write(`"${'x'.repeat(bytes - 2)}`);
    return { answer: () => answer };
  }

  test('are refused with 503 and Retry-After once the share is full, and other tenants’ are read', async () => {
    const unfinished = Array.from({ length: 8 }, () => sendUnfinished(3 * MIB));
    await until(() => unfinished.some(({ answer }) => answer().includes('503')));
    const refused = unfinished.find(({ answer }) => answer().includes('503'));
    expect(refused?.answer()).toMatch(/^HTTP\/1\.1 503[\s\S]*retry-after: 1\r\n/i);
    expect(refused?.answer()).toContain('"error":"Service Unavailable"');
    gateway.upstream.answer((_request, response) => {
      response.setHeader('content-type', 'application/json').end('{}');
    });
    const padded = { ...request(1), padding: 'x'.repeat(MIB / 2) };
    const other = await gateway.rpc(padded, otherKey);
    expect(other.body.result).toBeDefined();
  });
});
