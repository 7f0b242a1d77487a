import { createServer, type RequestListener } from 'node:http';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { boundPort } from '../../http/listen.ts';
import { runWithin as run } from '../testing/run-within.ts';
import { MAX_OUTPUT_BYTES } from './operation-runner.ts';

const KEY = 'tg_live_recognisable';

beforeEach(() => {
  vi.stubEnv('TOOL_GATEWAY_URL', '');
  vi.stubEnv('TOOL_GATEWAY_API_KEY', KEY);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** A server that is not a gateway, or a bad one. */
async function serverWith(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${boundPort(server)}`;
}

const failureOf = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).not.toContain(KEY);
  expect(stderr).not.toMatch(/^ +at /m);
  return stderr;
};

test('needs an API key', async () => {
  vi.stubEnv('TOOL_GATEWAY_API_KEY', '');
  expect(await failureOf('keys', 'list', '--url', 'https://gateway.example')).toMatch(
    /^Set TOOL_GATEWAY_API_KEY to an API key with a scope\. .* keys create --tenant <slug> --scope/,
  );
});

test('sends the key over http to this machine only, unless that is allowed', async () => {
  const args = ['keys', 'list', '--url', 'http://gateway.invalid'];
  expect(await failureOf(...args)).toContain('would travel unencrypted');
  expect(await failureOf(...args, '--allow-http')).toContain('No gateway responds at http://gat');
});

test.each<[string, RequestListener, string]>([
  ['a page', (_request, response) => response.end('<html>'), 'does not respond as expected'],
  ['other JSON', (_request, response) => response.end('{"a":1}'), 'does not respond as expected'],
  [
    'a redirect',
    (_request, response) => response.writeHead(302, { location: '/x' }).end('{"keys":[]}'),
    'responded with status 302',
  ],
  [
    'an unknown address',
    (_request, response) => response.writeHead(404).end('Not found'),
    'responded with status 404. Check that --url is the address of a Tool Gateway.',
  ],
  [
    'an error that repeats the key',
    (request, response) =>
      response.writeHead(400).end(JSON.stringify({ message: request.headers['x-api-key'] })),
    '[redacted]',
  ],
  [
    'a response without end',
    (_request, response) => {
      const piece = Buffer.alloc(1024 * 1024, 32);
      const write = (): void => void response.write(piece, (error) => error || write());
      write();
    },
    `has more than ${MAX_OUTPUT_BYTES} bytes`,
  ],
])('reports %s', async (_what, listener, words) => {
  vi.stubEnv('TOOL_GATEWAY_URL', await serverWith(listener));
  expect(await failureOf('keys', 'list')).toContain(words);
});

test('does not wait forever', async () => {
  const { timeout } = AbortSignal;
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 1000));
  const url = await serverWith(() => undefined);
  expect(await failureOf('keys', 'revoke', 'key_1', '--url', url)).toContain(
    'did not respond in time. Before you repeat a change, check whether it was made.',
  );
});

test.each(['audit export', 'audit dead-letters', 'secrets rotate'])(
  '%s runs only on the machine of the gateway, and says so',
  async (line) => {
    vi.stubEnv('TOOL_GATEWAY_URL', 'https://gateway.example');
    expect(await failureOf(...line.split(' '))).toContain(
      'This runs only on the machine of the gateway.',
    );
  },
);
