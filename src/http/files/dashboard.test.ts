import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSendError } from '../errors/error-edge.ts';
import { installDashboard } from './dashboard.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const PAGE = `<meta property="csp-nonce" nonce="__NONCE__">
  <link rel="icon" type="image/svg+xml" href="/admin/assets/icon-5678.svg" />
  <script nonce="__NONCE__"></script>`;

let dir: string;
let app: FastifyInstance;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dashboard-'));
  app = fastify();
  app.decorate('isClosing', false);
  app.setErrorHandler(createSendError(app.log));
  installDashboard(app, dir);
});
afterEach(async () => {
  await app.close();
  await rm(dir, { recursive: true });
});

async function build(): Promise<void> {
  await mkdir(join(dir, 'assets'));
  await writeFile(join(dir, 'index.html'), PAGE);
  await writeFile(join(dir, 'assets/icon-5678.svg'), '<svg/>');
  await writeFile(join(dir, 'assets/app-1234.js'), 'run()');
  await writeFile(join(dir, 'assets/app-1234.js.br'), 'compressed');
}

const get = (url: string, headers: Record<string, string> = {}) =>
  app.inject({ method: 'GET', url, headers });

it('sends its page with a nonce of its own to every browser', async () => {
  await build();
  const nonces = new Set<string>();
  for (const url of ['/', '/admin', '/admin/audit?tool=x', '/admin/settings/keys']) {
    const { statusCode, headers, body } = await get(url, BROWSER);
    const nonce = /'nonce-([^']+)' 'strict-dynamic'/.exec(
      String(headers['content-security-policy']),
    )?.[1];
    expect([url, statusCode, headers['cache-control']]).toEqual([url, 200, 'no-store']);
    expect(body).toBe(PAGE.replaceAll('__NONCE__', String(nonce)));
    nonces.add(String(nonce));
  }
  expect(nonces.size).toBe(4);
});

it('sends a browser the page for an unknown address, and a program JSON', async () => {
  await build();
  const forBrowser = await get('/no/such/page', BROWSER);
  expect([forBrowser.statusCode, forBrowser.headers['content-type']]).toEqual([
    404,
    'text/html; charset=utf-8',
  ]);
  for (const [url, headers] of [
    ['/no/such/page', { accept: '*/*' }],
    ['/', { accept: 'application/json' }],
    ['/admin', { accept: 'application/json' }],
    ['/admin/audit/x', { accept: 'application/json' }],
    ['/api/v1/none', BROWSER],
    ['/admin/api/none', BROWSER],
    ['/admin/assets/none.js', BROWSER],
  ] as const) {
    const { statusCode, body } = await get(url, headers);
    expect([url, statusCode, JSON.parse(body).error]).toEqual([url, 404, 'Not Found']);
  }
});

it('sends files that never change, compressed as they were built', async () => {
  await build();
  const plain = await get('/admin/assets/app-1234.js');
  expect([plain.body, plain.headers['content-encoding']]).toEqual(['run()', undefined]);
  expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  const small = await get('/admin/assets/app-1234.js', { 'accept-encoding': 'br, gzip' });
  expect([small.body, small.headers['content-encoding']]).toEqual(['compressed', 'br']);
  // Without a copy in this coding, the file itself.
  const other = await get('/admin/assets/app-1234.js', { 'accept-encoding': 'gzip' });
  expect([other.body, other.headers['content-encoding']]).toEqual(['run()', undefined]);
  const again = await get('/admin/assets/app-1234.js', {
    'if-none-match': String(plain.headers['etag']),
  });
  expect(again.statusCode).toBe(304);
  expect((await get('/favicon.ico')).headers['content-type']).toBe('image/svg+xml');
});

it('never leaves its folder', async () => {
  await build();
  await writeFile(join(dir, 'secret.js'), 'secret');
  for (const name of ['..%2fsecret.js', '%2e%2e/secret.js', '..\\secret.js', 'app-1234.js.br']) {
    const { body } = await get(`/admin/assets/${name}`);
    expect(body).not.toContain('secret');
    expect(body).not.toBe('compressed');
  }
});

it('says how to build it where it is not built', async () => {
  const { statusCode, body } = await get('/admin', BROWSER);
  expect(statusCode).toBe(503);
  expect(body).toContain('npm run dashboard:build');
  expect((await get('/no/such/page', BROWSER)).statusCode).toBe(404);
});
