import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { openRaw, type RawStream } from '../support/raw-request.ts';
import { until } from '../support/until.ts';

const MIB = 1024 * 1024;
/** 64 MiB for large bodies and responses: 24 for the cache, and half of the rest for one tenant. */
const ENV = { MEMORY_LIMIT_BYTES: String(342 * MIB), CACHE_MAX_BYTES: String(24 * MIB) };
/** More than the buffers of a socket hold. */
const ROWS_BYTES = 8 * MIB;
const RESPONSE = JSON.stringify({ rows: 'x'.repeat(ROWS_BYTES) });

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
    response.setHeader('content-type', 'application/json').end(RESPONSE);
  });

const request = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'fixture_uncached', arguments: {} },
});

/** Makes calls over a connection whose response is never read. */
async function callUnread(id: number): Promise<void> {
  const stream = await openRaw(gateway.url, {
    headers: { 'x-api-key': gateway.key, 'content-type': 'application/json' },
    body: request(id),
  });
  stream.stopReading();
  streams.push(stream);
}

describe('responses that are never read', () => {
  test('fill the share of their tenant, whose further calls are refused at once while others are served', async () => {
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

  test('are recorded when refused', async () => {
    large();
    for (let id = 0; id < 4; id++) await callUnread(id);
    const { body } = await gateway.rpc(request(11));
    const record = await gateway.json(`/api/v1/audit/${body.error.data.auditId}`);
    expect(record.body).toMatchObject({ outcome: 'error', error: { code: 'overloaded' } });
  });

  test('release their share when their readers disconnect', async () => {
    large();
    for (let id = 0; id < 4; id++) await callUnread(id);
    expect((await gateway.rpc(request(12))).body.error).toBeDefined();
    for (const stream of streams.splice(0)) stream.close();
    await until(async () => (await gateway.rpc(request(13))).body.result !== undefined);
  });
});

describe('responses of an HTTP+SSE session that are never read', () => {
  test('are refusals on the stream beyond the share, while other tenants are served', async () => {
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

describe('bodies that are never completed', () => {
  /** Sends all but the last byte of a body, and collects what the gateway sends back, if anything. */
  function sendUnfinished(bytes: number): { received: () => string } {
    const { hostname, port } = new URL(gateway.url);
    let received = '';
    const socket = connect(Number(port), hostname)
      .setEncoding('utf8')
      .on('data', (text: string) => {
        received += text;
      })
      .on('error', () => undefined);
    sockets.push(socket);
    socket.write(
      `POST /mcp HTTP/1.1\r\nhost: ${hostname}\r\nx-api-key: ${gateway.key}\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`,
    );
    socket.write(`"${'x'.repeat(bytes - 2)}`);
    return { received: () => received };
  }

  test('are refused with 503 and Retry-After once the share is full, while those of other tenants are read', async () => {
    const unfinished = Array.from({ length: 8 }, () => sendUnfinished(3 * MIB));
    await until(() => unfinished.some(({ received }) => received().includes('503')));
    const refused = unfinished.find(({ received }) => received().includes('503'));
    expect(refused?.received()).toMatch(/^HTTP\/1\.1 503[\s\S]*retry-after: 1\r\n/i);
    expect(refused?.received()).toContain('"error":"Service Unavailable"');
    gateway.upstream.answer((_request, response) => {
      response.setHeader('content-type', 'application/json').end('{}');
    });
    const padded = { ...request(1), padding: 'x'.repeat(MIB / 2) };
    const other = await gateway.rpc(padded, otherKey);
    expect(other.body.result).toBeDefined();
  });
});
