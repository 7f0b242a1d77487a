import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Cancellation } from '../../platform/kernel/cancellation.ts';
import { retryAfterMs, retryAfterSeconds } from './retries.ts';
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

const respondWith =
  (status: number, retryAfter?: string): Behaviour =>
  (response) => {
    response.writeHead(status, retryAfter ? { 'retry-after': retryAfter } : {}).end();
  };

describe('a temporary status', () => {
  it.each([502, 503, 504])('%i is retried', async (status) => {
    server.on('/busy', first(2, respondWith(status)));
    expect((await sender(newClient(), server.origin)('/busy')).status).toBe(200);
    expect(server.seen.length).toBe(3);
  });

  it('is the response after two retries', async () => {
    expect((await sender(newClient(), server.origin)('/503')).status).toBe(503);
    expect(server.seen.length).toBe(3);
  });

  it('is the response at once if the request must not be sent twice', async () => {
    const send = sender(newClient(), server.origin);
    expect((await send('/503', { method: 'POST', idempotent: false })).status).toBe(503);
    expect(server.seen.length).toBe(1);
  });

  it.each([400, 404, 429, 500, 501])('is not %i', async (status) => {
    server.on('/busy', respondWith(status));
    expect((await sender(newClient(), server.origin)('/busy')).status).toBe(status);
    expect(server.seen.length).toBe(1);
  });

  it('may be 429 with a Retry-After, which is respected', async () => {
    server.on('/busy', first(1, respondWith(429, '1')));
    const response = await sender(newClient(), server.origin)('/busy');
    expect(response.status).toBe(200);
    expect(response.upstreamMs).toBeGreaterThanOrEqual(999);
  });

  it.each([
    ['5', 429],
    ['5', 503],
    ['Fri, 01 Jan 2100 00:00:00 GMT', 429],
    ['soon', 429],
  ])('is the response if Retry-After is %s, beyond the deadline', async (retryAfter, status) => {
    server.on('/busy', respondWith(status, retryAfter));
    const response = await sender(newClient(), server.origin)('/busy', { deadlineMs: 2000 });
    expect(response.status).toBe(status);
    expect(server.seen.length).toBe(1);
  });

  it('ends its pause when the caller disconnects', async () => {
    server.on('/busy', respondWith(503, '5'));
    const cancellation = new Cancellation();
    const call = failureOf(sender(newClient(), server.origin)('/busy', { cancellation }));
    await server.arrived('/busy');
    cancellation.cancel();
    expect((await call).code).toBe('cancelled');
  });
});

describe('a connection', () => {
  it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])(
    'that failed with %s is retried, because nothing was sent',
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

  it('that a real server refuses is an error after its retries', async () => {
    const { origin } = server;
    await server.close();
    const error = await failureOf(sender(newClient(), origin)('/ok'));
    expect(error.message).toBe('The upstream refused the connection.');
  });

  it('that an address check blocks is not retried', async () => {
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

  it('that was kept alive and is reset before the response is replaced', async () => {
    const send = sender(newClient({ concurrencyPerOrigin: 1 }), server.origin);
    await send('/ok');
    server.on(
      '/stale',
      first(1, ({ socket }) => socket?.resetAndDestroy()),
    );
    expect((await send('/stale')).status).toBe(200);
  });

  it('that was kept alive is not replaced if the request must not be sent twice', async () => {
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
    'that is new and closes, as of %s, causes no retry',
    async (path) => {
      await failureOf(sender(newClient(), server.origin)(path));
      expect(server.seen.length).toBe(1);
    },
  );

  it('that was kept alive but closes during a response causes no retry', async () => {
    const send = sender(newClient({ concurrencyPerOrigin: 1 }), server.origin);
    await send('/ok');
    await failureOf(send('/reset-mid-body'));
    expect(server.seen.length).toBe(2);
  });
});

const NOW = Date.parse('2026-11-28T10:00:00Z');

describe('Retry-After', () => {
  it.each<[string, number | undefined]>([
    ['0', 0],
    ['7', 7],
    [' 30 ', 30],
    ['1.5', 2],
    ['0.2', 1],
    ['12.', 12],
    ['99999999999', 86_400],
    [`${'9'.repeat(400)}`, undefined],
    ['Sat, 28 Nov 2026 10:00:30 GMT', 30],
    ['Saturday, 28-Nov-26 10:01:00 GMT', 60],
    ['Sat, 28 Nov 2026 09:00:00 GMT', 0],
    ['Fri, 28 Nov 2036 10:00:00 GMT', 86_400],
    ['', undefined],
    ['-1', undefined],
    ['1,5', undefined],
    ['2001-01-05', undefined],
    ['soon', undefined],
  ])('of %j is %s seconds', (header, seconds) => {
    expect(retryAfterSeconds(header, NOW)).toBe(seconds);
  });

  it('never allows an early retry where it cannot be read', () => {
    expect(['soon', '1,5', '-1'].map((header) => retryAfterMs(header, NOW))).toEqual(
      Array(3).fill(Number.POSITIVE_INFINITY),
    );
    expect(retryAfterMs('', NOW)).toBeUndefined();
    expect(retryAfterMs('0.25', NOW)).toBe(250);
  });

  it('is never negative, and never more than a day', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double().map(String)), (header) => {
        const seconds = retryAfterSeconds(header, NOW) ?? 0;
        expect(seconds >= 0 && seconds <= 86_400 && Number.isInteger(seconds)).toBe(true);
      }),
    );
  });
});
