import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { freePort } from '../support/ports.ts';
import { sendRaw } from '../support/raw-request.ts';
import { openSocket } from '../support/raw-socket.ts';

let gateway: TestGateway;
let url: string;
beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  gateway = await startTestGateway({
    env: {
      PORT: String(port),
      BASE_URL: 'https://tools.example.com/gateway',
      ADMIN_URL: 'http://admin.example.com:8443/console',
    },
  });
});
afterAll(() => gateway.close());

const get = (path: string, host: string) =>
  sendRaw(url, { method: 'GET', path, headers: { host, 'x-api-key': gateway.key } });

test.each([
  'tools.example.com',
  'Tools.Example.com',
  'tools.example.com:443',
  'admin.example.com:8443',
  'localhost',
  'localhost:9999',
  '127.0.0.1:80',
  '[::1]:8080',
])('a gateway with a BASE_URL answers for its own hosts and this machine: %s', async (host) => {
  expect((await get('/api/v1/tools?limit=1', host)).status).toBe(200);
});

test.each([
  'evil.example',
  'tools.example.com.evil.example',
  'tools.example.com:8080',
  'admin.example.com',
  '127.0.0.1.evil.example',
  '203.0.113.7',
  '',
])('and for no other: "%s" is 421', async (host) => {
  const { status, json, headers } = await get('/api/v1/tools?limit=1', host);
  expect(status).toBe(421);
  expect(json).toEqual({
    error: 'Misdirected Request',
    message: expect.stringContaining('tools.example.com and admin.example.com:8443'),
  });
  expect(headers['x-request-id']).toMatch(/^req_/);
  expect((await sendRaw(url, { headers: { host }, body: {} })).status).toBe(421);
});

test.each(['/health', '/health/ready', '/health/detailed', '/health?probe=1'])(
  'probes may use any host: %s',
  async (path) => {
    expect((await get(path, '10.1.2.3:8080')).status).not.toBe(421);
  },
);

test('the host in an absolute target takes precedence over the header', async () => {
  const ask = async (target: string, host: string) => {
    const socket = await openSocket(url);
    socket.write(`GET ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
    return Number((await socket.closed).split(' ')[1]);
  };
  const path = '/registry/tools?limit=1';
  expect(await ask(`http://evil.example${path}`, 'localhost')).toBe(421);
  expect(await ask(`https://tools.example.com${path}`, 'evil.example')).toBe(200);
  expect(await ask(path, 'tools.example.com')).toBe(200);
});

test('only the exact paths of probes are exempt', async () => {
  for (const path of ['/healthy', '/x/health', '/healthx/ready']) {
    expect((await get(path, 'evil.example')).status).toBe(421);
  }
});

describe('behind https', () => {
  test.each(['/health', '/docs/', '/openapi.json', '/registry/tools?limit=1', '/nowhere'])(
    'browsers are told to keep using https: %s',
    async (path) => {
      const { headers } = await get(path, 'tools.example.com');
      expect(headers['strict-transport-security']).toBe('max-age=31536000');
    },
  );
});
