import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Departure } from '../../platform/kernel/departure.ts';
import {
  type Behaviour,
  first,
  type MisbehavingServer,
  startMisbehavingServer,
} from './testing/misbehaving-server.ts';
import { failureOf, newClient, sender } from './testing/sending.ts';

let server: MisbehavingServer;
beforeEach(async () => {
  server = await startMisbehavingServer();
});
afterEach(() => server.close());

const answering =
  (status: number, retryAfter?: string): Behaviour =>
  (response) => {
    response.writeHead(status, retryAfter ? { 'retry-after': retryAfter } : {}).end();
  };

describe('a status that asks for patience', () => {
  it.each([502, 503, 504])('%i is tried again', async (status) => {
    server.on('/busy', first(2, answering(status)));
    expect((await sender(newClient(), server.origin)('/busy')).status).toBe(200);
    expect(server.seen.length).toBe(3);
  });

  it('is the answer after two retries', async () => {
    expect((await sender(newClient(), server.origin)('/503')).status).toBe(503);
    expect(server.seen.length).toBe(3);
  });

  it('is the answer at once where the request must not be sent twice', async () => {
    const send = sender(newClient(), server.origin);
    expect((await send('/503', { method: 'POST', idempotent: false })).status).toBe(503);
    expect(server.seen.length).toBe(1);
  });

  it.each([400, 404, 429, 500, 501])('is not %i', async (status) => {
    server.on('/busy', answering(status));
    expect((await sender(newClient(), server.origin)('/busy')).status).toBe(status);
    expect(server.seen.length).toBe(1);
  });

  it('is 429 with a Retry-After, which is waited for', async () => {
    server.on('/busy', first(1, answering(429, '1')));
    const answer = await sender(newClient(), server.origin)('/busy');
    expect(answer.status).toBe(200);
    expect(answer.upstreamMs).toBeGreaterThanOrEqual(999);
  });

  it('may name the moment as a date', async () => {
    const moment = new Date('2026-11-21T00:00:00Z');
    server.on('/busy', first(1, answering(429, moment.toUTCString())));
    const client = newClient({ clock: { now: () => moment.getTime() - 20 } });
    expect((await sender(client, server.origin)('/busy')).status).toBe(200);
  });

  it.each([
    ['5', 429],
    ['5', 503],
    ['Fri, 01 Jan 2100 00:00:00 GMT', 429],
    ['soon', 429],
  ])('is the answer if Retry-After is %s, beyond the deadline', async (retryAfter, status) => {
    server.on('/busy', answering(status, retryAfter));
    const answer = await sender(newClient(), server.origin)('/busy', { deadlineMs: 2000 });
    expect(answer.status).toBe(status);
    expect(server.seen.length).toBe(1);
  });

  it('is no longer waited for when the caller goes away', async () => {
    server.on('/busy', answering(503, '5'));
    const departure = new Departure();
    const call = failureOf(sender(newClient(), server.origin)('/busy', { departure }));
    await server.arrived('/busy');
    departure.leave();
    expect((await call).code).toBe('cancelled');
  });
});

describe('a connection', () => {
  it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])(
    'that failed with %s is tried again, since nothing was sent',
    async (code) => {
      let attempts = 0;
      const client = newClient({
        connect: (_target, callback) => {
          attempts += 1;
          setImmediate(() => callback(Object.assign(new Error('secret host'), { code }), null));
        },
      });
      const error = await failureOf(sender(client, server.origin)('/ok'));
      expect(error.code).toBe('upstream_unreachable');
      expect(error.message).not.toContain('secret');
      expect(attempts).toBe(3);
    },
  );

  it('that is really refused is tried again in vain', async () => {
    const { origin } = server;
    await server.close();
    const error = await failureOf(sender(newClient(), origin)('/ok'));
    expect(error.message).toBe('The upstream refused the connection.');
  });

  it('that a guard blocks is not tried again', async () => {
    const { GatewayError } = await import('../../platform/kernel/error.ts');
    let attempts = 0;
    const client = newClient({
      connect: (_target, callback) => {
        attempts += 1;
        callback(new GatewayError('upstream_blocked'), null);
      },
    });
    const error = await failureOf(sender(client, server.origin)('/ok'));
    expect(error.code).toBe('upstream_blocked');
    expect(attempts).toBe(1);
  });

  it('that was kept alive and is reset before the answer is replaced', async () => {
    const send = sender(newClient({ concurrencyPerOrigin: 1 }), server.origin);
    await send('/ok');
    server.on(
      '/stale',
      first(1, ({ socket }) => socket?.resetAndDestroy()),
    );
    expect((await send('/stale')).status).toBe(200);
  });

  it('that was kept alive is not replaced where the request must not be sent twice', async () => {
    const send = sender(newClient({ concurrencyPerOrigin: 1 }), server.origin);
    await send('/ok');
    server.on(
      '/stale',
      first(1, ({ socket }) => socket?.resetAndDestroy()),
    );
    const call = send('/stale', { method: 'POST', idempotent: false });
    expect((await failureOf(call)).code).toBe('upstream_unreachable');
  });

  it.each(['/reset-at-once', '/reset-mid-body'])(
    'new and broken, as of %s, is no reason to retry',
    async (path) => {
      await failureOf(sender(newClient(), server.origin)(path));
      expect(server.seen.length).toBe(1);
    },
  );

  it('kept alive but broken in the middle of an answer is no reason to retry', async () => {
    const send = sender(newClient({ concurrencyPerOrigin: 1 }), server.origin);
    await send('/ok');
    await failureOf(send('/reset-mid-body'));
    expect(server.seen.length).toBe(2);
  });
});
