import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MisbehavingServer, startMisbehavingServer } from './testing/misbehaving-server.ts';
import { failureOf, newClient, type Send, sender } from './testing/sending.ts';

let server: MisbehavingServer;
let send: Send;
beforeEach(async () => {
  server = await startMisbehavingServer();
  send = (path, tuning) => sender(newClient(), server.origin)(path, tuning);
});
afterEach(() => server.close());

describe('a redirect', () => {
  it.each(['GET', 'HEAD'] as const)(
    'within the origin is followed by a %s, with its headers',
    async (method) => {
      const response = await send('/redirect', { method, headers: { 'x-key': 'k' } });
      expect(response.status).toBe(200);
      expect(server.seen.at(-1)).toMatchObject({ method, url: '/ok?from=redirect' });
      expect(server.seen.at(-1)?.headers['x-key']).toBe('k');
    },
  );

  it('of a POST is its response', async () => {
    expect((await send('/redirect', { method: 'POST' })).status).toBe(302);
  });

  it('without an address is a response', async () => {
    expect((await send('/redirect-nowhere')).status).toBe(302);
  });

  it.each(['/redirect-elsewhere', '/redirect-scheme'])(
    'to another origin, as of %s, is not followed',
    async (path) => {
      const error = await failureOf(send(path));
      expect(error.code).toBe('upstream_blocked');
      expect(error.message).toBe(
        'The upstream redirected to another address, which the gateway does not follow.',
      );
    },
  );

  it('from https to http is not followed, nor to another port', async () => {
    const { port } = new URL(server.origin);
    for (const location of [`https://127.0.0.1:${port}/ok`, 'http://127.0.0.1:1/ok']) {
      server.on('/elsewhere', (response) => response.writeHead(302, { location }).end());
      expect((await failureOf(send('/elsewhere'))).code).toBe('upstream_blocked');
    }
  });

  it('to an invalid address is a bad payload', async () => {
    expect((await failureOf(send('/redirect-unreadable'))).code).toBe('upstream_bad_payload');
  });

  it('is followed at most three times', async () => {
    const error = await failureOf(send('/redirect-loop'));
    expect(error.code).toBe('upstream_bad_payload');
    expect(error.message).toBe('The upstream redirected more than 3 times.');
    expect(server.seen.length).toBe(4);
  });
});
