import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PACED_BYTES } from '../../src/http/bodies/paced-body.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { openRaw, sendRaw } from '../support/raw-request.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.close());

/** Adds no headers: `fetch` would request compression and decompress the response. */
async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number;
    headers: Record<string, string | string[] | undefined>;
    body: Buffer;
  }>();
  const { request } = await import('node:http');
  request(`${gateway.url}${path}`, { method, headers }, async (response) => {
    const body = Buffer.concat(await response.toArray());
    resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
  })
    .once('error', reject)
    .end();
  return promise;
}

const FILES = [
  '/docs/',
  '/openapi.json',
  '/openapi.json?tools=1',
  '/registry/servers',
  '/registry/tools',
];

describe.each(FILES)('GET %s', (path) => {
  test('is the same in every coding, each with its own ETag', async () => {
    const plain = await get(path);
    const brotli = await get(path, { 'accept-encoding': 'gzip, deflate, br' });
    const gzip = await get(path, { 'accept-encoding': 'gzip' });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(brotli.headers['content-encoding']).toBe('br');
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
    const responses = [plain, brotli, gzip];
    expect(new Set(responses.map(({ headers }) => headers['etag'])).size).toBe(3);
    for (const { headers } of responses) {
      expect(headers['vary']).toBe('Origin, Accept-Encoding');
      expect(headers['cache-control']).toBe('no-cache');
      expect(headers['etag']).toMatch(/^"[\w-]+"$/);
    }
  });

  test('is not sent again to a client that has it', async () => {
    for (const coding of ['identity', 'gzip', 'br']) {
      const first = await get(path, { 'accept-encoding': coding });
      const etag = String(first.headers['etag']);
      const again = await get(path, {
        'accept-encoding': coding,
        'if-none-match': `"other", W/${etag}`,
      });
      expect([again.status, again.body.length, again.headers['etag']]).toEqual([304, 0, etag]);
    }
  });

  test('answers HEAD with the headers of GET', async () => {
    const whole = await get(path);
    const head = await get(path, {}, 'HEAD');
    expect(head.body.length).toBe(0);
    expect(head.headers['content-length']).toBe(String(whole.body.length));
    expect(head.headers['etag']).toBe(whole.headers['etag']);
  });
});

test('a compressed response has less than 400 kB', async () => {
  for (const coding of ['gzip', 'br']) {
    const sizes = FILES.map(async (path) => (await get(path, { 'accept-encoding': coding })).body);
    for (const { length } of await Promise.all(sizes)) expect(length).toBeLessThan(400_000);
  }
});

test('a part of the registry is not compressed, and has its own ETag', async () => {
  const headers = { 'accept-encoding': 'br' };
  const whole = await get('/registry/tools', headers);
  const part = await get('/registry/tools?limit=1', headers);
  expect(part.headers['content-encoding']).toBeUndefined();
  expect(JSON.parse(part.body.toString()).tools).toHaveLength(1);
  expect(part.headers['etag']).not.toBe(whole.headers['etag']);
});

test('GET /docs redirects to the page', async () => {
  const { status, headers } = await get('/docs');
  expect([status, headers['location']]).toEqual([301, 'docs/']);
});

test('the response to a page of another origin also varies by origin', async () => {
  const { headers } = await get('/openapi.json', { origin: 'http://localhost:5173' });
  expect(headers['vary']).toBe('Origin, Accept-Encoding');
});

describe('security headers', () => {
  test('the page runs only its own scripts, and cannot be framed', async () => {
    const { headers } = await get('/docs/');
    // In one piece: a stream for each response to sockets that read nothing would fill the heap.
    expect(Number(headers['content-length'])).toBeLessThan(PACED_BYTES);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/style-src 'sha256-[^']+'; script-src 'sha256-[^']+';/);
    expect(policy).not.toMatch(/unsafe|connect-src/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
  });

  test('every response except a success of POST /mcp forbids content sniffing', async () => {
    const stream = await openRaw(gateway.url, {
      method: 'GET',
      path: '/mcp/sse',
      headers: { 'x-api-key': gateway.key },
    });
    stream.close();
    const responses = [
      stream,
      await sendRaw(gateway.url, { body: {} }),
      ...(await Promise.all(
        ['/health', '/docs', '/docs/', '/openapi.json', '/registry/tools', '/nowhere'].map((path) =>
          sendRaw(gateway.url, { method: 'GET', path }),
        ),
      )),
    ];
    for (const { headers } of responses) expect(headers['x-content-type-options']).toBe('nosniff');
    for (const { headers } of responses)
      expect(headers['strict-transport-security']).toBeUndefined();
  });
});
