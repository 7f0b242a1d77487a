import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { Cancellation } from '../../platform/kernel/cancellation.ts';
import {
  GOOD_BODY,
  type MisbehavingServer,
  startMisbehavingServer,
} from './testing/misbehaving-server.ts';
import { failureOf, newClient, sender } from './testing/sending.ts';

let server: MisbehavingServer;
beforeAll(async () => {
  server = await startMisbehavingServer();
});
afterAll(() => server.close());

describe('a response', () => {
  it('has a status, a content type, a body and a duration', async () => {
    const response = await sender(newClient(), server.origin)('/ok');
    expect(response.status).toBe(200);
    expect(response.contentType).toBe('application/json; charset=utf-8');
    expect(response.body.toString()).toBe(GOOD_BODY);
    expect(response.upstreamMs).toBeGreaterThan(0);
  });

  it('is returned whatever its status', async () => {
    const send = sender(newClient(), server.origin);
    for (const status of [304, 404, 500]) expect((await send(`/${status}`)).status).toBe(status);
    expect((await send('/503', { idempotent: false })).status).toBe(503);
  });

  it('has its content type and bytes unchanged, even if they contradict each other', async () => {
    const response = await sender(newClient(), server.origin)('/wrong-charset');
    expect(response.contentType).toBe('text/xml; charset=UTF-8');
    expect([...response.body]).toEqual([0xb0, 0xa1]);
  });

  it('is the final one after early hints', async () => {
    expect((await sender(newClient(), server.origin)('/early-hints')).status).toBe(200);
  });

  it('is rejected when early hints never end', async () => {
    const error = await failureOf(sender(newClient(), server.origin)('/endless-hints'));
    expect(error.code).toBe('upstream_bad_payload');
    expect(error.message).toContain('20 interim');
  });

  it('says how long a refused client should wait', async () => {
    const wait = { 'retry-after': '61.5' };
    server.on('/wait-long', (response) => response.writeHead(429, wait).end());
    const { retryAfterSeconds } = await sender(newClient(), server.origin)('/wait-long', {
      idempotent: false,
    });
    expect(retryAfterSeconds).toBe(62);
  });

  it('has an empty body when the request is a HEAD', async () => {
    const response = await sender(newClient(), server.origin)('/announced-too-large', {
      method: 'HEAD',
    });
    expect(response.body.length).toBe(0);
  });
});

describe('the sender of a request', () => {
  it.each([
    ['/ok', 200],
    ['/404', 404],
    ['/reset-mid-body', 200],
    ['/announced-too-large', 200],
    ['/reset-at-once', null],
    ['/redirect-elsewhere', null],
  ])('is told the status of %s: %s', async (path, status) => {
    const told: (number | null)[] = [];
    const onSent = (sent: { status: number | null }) => void told.push(sent.status);
    await sender(newClient(), server.origin)(path, { onSent }).catch(() => undefined);
    expect(told).toEqual([status]);
  });

  it('is told nothing if nothing was sent', async () => {
    const cancellation = new Cancellation();
    cancellation.cancel();
    const onSent = () => expect.unreachable();
    const call = sender(newClient(), server.origin)('/ok', { cancellation, onSent });
    expect((await failureOf(call)).code).toBe('cancelled');
  });
});

describe('a request', () => {
  it('carries only its own headers and the encodings that the gateway reads', async () => {
    const send = sender(newClient(), server.origin);
    await send('/headers?q=1', { headers: { 'x-key': 'k', 'accept-encoding': 'made-up' } });
    const request = server.seen.find(({ url }) => url === '/headers?q=1');
    expect(request?.headers).toEqual({
      host: new URL(server.origin).host,
      connection: 'keep-alive',
      'x-key': 'k',
      'accept-encoding': 'gzip, deflate, br',
    });
  });

  it('carries its body', async () => {
    const send = sender(newClient(), server.origin);
    await send('/body', { method: 'POST', body: Buffer.from('{"a":1}'), idempotent: false });
    expect(server.seen.at(-1)).toMatchObject({ method: 'POST', url: '/body', body: '{"a":1}' });
  });

  it('never sends back a cookie that the upstream has set', async () => {
    const send = sender(newClient(), server.origin);
    await send('/cookies');
    await send('/cookies');
    expect(server.seen.at(-1)?.headers.cookie).toBeUndefined();
  });

  it('reuses the connection of the previous request', async () => {
    const send = sender(newClient(), server.origin);
    const before = server.connections();
    for (let i = 0; i < 5; i++) await send('/ok');
    // A connection is free again one turn of the event loop after its response, hence the second one.
    expect(server.connections() - before).toBeLessThanOrEqual(2);
  });

  it('that cannot be sent is an internal error', async () => {
    const error = await failureOf(sender(newClient(), server.origin)('no slash'));
    expect(error.code).toBe('internal');
  });

  it('to a name that is not an origin is an internal error', async () => {
    expect((await failureOf(sender(newClient(), 'nowhere')('/ok'))).code).toBe('internal');
  });
});

describe('the deadline', () => {
  it.each(['/slow-headers', '/slow-body'])('ends %s and closes the connection', async (path) => {
    const own = await startMisbehavingServer();
    const call = sender(newClient(), own.origin)(path, { deadlineMs: 100 });
    expect((await failureOf(call)).code).toBe('upstream_timeout');
    await until(() => own.openConnections() === 0);
    await own.close();
  });

  it('covers connecting', async () => {
    const client = newClient({ connect: () => {} });
    const error = await failureOf(sender(client, server.origin)('/ok', { deadlineMs: 50 }));
    expect(error.code).toBe('upstream_timeout');
  });

  it('that has passed sends nothing', async () => {
    const error = await failureOf(sender(newClient(), server.origin)('/never', { deadlineMs: 0 }));
    expect(error.code).toBe('upstream_timeout');
    expect(server.seen.some(({ url }) => url === '/never')).toBe(false);
  });
});

describe('a caller who disconnects', () => {
  it('ends the request at once and closes its connection', async () => {
    const own = await startMisbehavingServer();
    const cancellation = new Cancellation();
    const call = failureOf(sender(newClient(), own.origin)('/slow-body', { cancellation }));
    await own.arrived('/slow-body');
    cancellation.cancel();
    expect((await call).code).toBe('cancelled');
    await until(() => own.openConnections() === 0);
    await own.close();
  });

  it('before the start prevents the request', async () => {
    const cancellation = new Cancellation();
    cancellation.cancel();
    const call = sender(newClient(), server.origin)('/never', { cancellation });
    expect((await failureOf(call)).code).toBe('cancelled');
    expect(server.seen.some(({ url }) => url === '/never')).toBe(false);
  });
});

describe('closing', () => {
  it('lets calls in flight finish, and rejects new ones', async () => {
    const client = newClient({ closeGraceMs: 5000 });
    const send = sender(client, server.origin);
    let respond = (): void => {};
    server.on('/late', (response) => {
      respond = () => response.end('done');
    });
    const call = send('/late');
    await server.arrived('/late');
    const closed = client.close();
    expect((await failureOf(send('/ok'))).code).toBe('overloaded');
    respond();
    expect((await call).body.toString()).toBe('done');
    await closed;
  });

  it('aborts calls that take longer than the grace period, even those that wait for a retry', async () => {
    const client = newClient({ closeGraceMs: 50 });
    const send = sender(client, server.origin);
    server.on('/come-back', (response) => response.writeHead(503, { 'retry-after': '5' }).end());
    const calls = [failureOf(send('/slow-headers')), failureOf(send('/come-back'))];
    await server.arrived('/come-back');
    await client.close();
    for (const call of calls) expect((await call).code).toBe('overloaded');
  });

  it('may be requested twice', async () => {
    const client = newClient();
    await sender(client, server.origin)('/ok');
    await Promise.all([client.close(), client.close()]);
    await client.close();
    expect(client.states()).toEqual([]);
  });
});

describe('the states', () => {
  it('list every origin with its circuit, its calls in flight and its latencies', async () => {
    const client = newClient();
    const send = sender(client, server.origin);
    expect(client.states()).toEqual([]);
    const call = send('/ok');
    expect(client.states()).toEqual([
      { origin: server.origin, circuit: 'closed', inFlight: 1, p50Ms: null, p99Ms: null },
    ]);
    await call;
    const [state] = client.states();
    expect(state?.inFlight).toBe(0);
    expect(state?.p50Ms).toBeGreaterThan(0);
    expect(state?.p99Ms).toBe(state?.p50Ms);
  });
});
