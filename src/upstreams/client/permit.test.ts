import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { Cancellation } from '../../platform/kernel/cancellation.ts';
import { type MisbehavingServer, startMisbehavingServer } from './testing/misbehaving-server.ts';
import { failureOf, newClient, sender } from './testing/sending.ts';

let server: MisbehavingServer;
beforeEach(async () => {
  server = await startMisbehavingServer();
});
afterEach(() => server.close());

const impatient = { circuit: { failures: 2, openMs: 50 }, retry: { maxRetries: 0 } };

describe('an origin that keeps failing', () => {
  it.each(['/503', '/reset-at-once', '/slow-headers'])(
    'as with %s is paused for a while',
    async (path) => {
      const warnings: unknown[] = [];
      const client = newClient({
        ...impatient,
        circuit: { failures: 2 },
        logger: { info: () => {}, warn: (...line) => warnings.push(line) },
      });
      const send = sender(client, server.origin);
      // Long enough for every request to arrive, also on a busy machine.
      for (let i = 0; i < 2; i++) await send(path, { deadlineMs: 1000 }).catch(() => {});
      const error = await failureOf(send('/ok'));
      expect(error.code).toBe('upstream_circuit_open');
      expect(error.details.retryAfterSeconds).toBe(10);
      expect(client.states()[0]?.circuit).toBe('open');
      expect(warnings).toEqual([
        [{ origin: server.origin }, 'upstream circuit opened for one tenant'],
      ]);
      expect(server.seen.length).toBe(2);
    },
  );

  it('is used again after a successful probe', async () => {
    const lines: unknown[] = [];
    const logger = { warn: () => {}, info: (...line: unknown[]) => lines.push(line) };
    const client = newClient({ ...impatient, logger });
    const send = sender(client, server.origin);
    for (let i = 0; i < 2; i++) await send('/503');
    await until(() => client.states()[0]?.circuit === 'half_open');
    expect((await send('/ok')).status).toBe(200);
    expect(client.loads()).toEqual([
      { origin: server.origin, circuit: 'closed', inFlight: 0, waiting: 0 },
    ]);
    expect(client.circuitsOpened()).toBe(1);
    expect(lines).toEqual([[{ origin: server.origin }, 'upstream circuit closed']]);
  });

  it('is not probed by more than one request', async () => {
    const client = newClient({ ...impatient, retry: { baseDelayMs: 1 } });
    const send = sender(client, server.origin);
    for (let i = 0; i < 2; i++) await send('/503', { idempotent: false });
    await until(() => client.states()[0]?.circuit === 'half_open');
    expect((await send('/503')).status).toBe(503);
    expect(server.seen.length).toBe(3);
  });

  it('does not block other origins', async () => {
    const client = newClient(impatient);
    const other = await startMisbehavingServer();
    for (let i = 0; i < 2; i++) await sender(client, server.origin)('/503');
    expect((await sender(client, other.origin)('/ok')).status).toBe(200);
    await other.close();
  });
});

describe('a circuit is not opened', () => {
  it.each(['/500', '/404', '/huge-headers', '/endless'])('by %s', async (path) => {
    const client = newClient(impatient);
    for (let i = 0; i < 3; i++) await sender(client, server.origin)(path).catch(() => {});
    expect(client.states()[0]?.circuit).toBe('closed');
  });

  it('by callers who disconnect', async () => {
    const client = newClient(impatient);
    for (let i = 0; i < 3; i++) {
      const cancellation = new Cancellation();
      const call = failureOf(sender(client, server.origin)('/slow-headers', { cancellation }));
      await until(() => server.seen.length === i + 1);
      cancellation.cancel();
      await call;
    }
    expect(client.states()[0]?.circuit).toBe('closed');
  });
});

describe('an origin without a free slot', () => {
  it('lets the same number of calls wait, and rejects the next', async () => {
    const send = sender(newClient({ concurrencyPerOrigin: 1 }), server.origin);
    let respond = (): void => {};
    server.on('/held', (response) => {
      respond = () => response.end();
    });
    const calls = [send('/held'), send('/ok')];
    const error = await failureOf(send('/ok'));
    expect(error.code).toBe('overloaded');
    expect(error.message).toContain('this upstream');
    await server.arrived('/held');
    expect(server.seen.length).toBe(1);
    respond();
    await Promise.all(calls);
    expect(server.connections()).toBe(1);
  });

  it('ends a wait at its deadline or when its caller disconnects, and removes it from the queue', async () => {
    const client = newClient({ concurrencyPerOrigin: 1 });
    const send = sender(client, server.origin);
    const held = failureOf(send('/slow-headers', { deadlineMs: 300 }));
    expect((await failureOf(send('/ok', { deadlineMs: 20 }))).code).toBe('upstream_timeout');
    const cancellation = new Cancellation();
    const waiting = failureOf(send('/ok', { cancellation }));
    cancellation.cancel();
    expect((await waiting).code).toBe('cancelled');
    const patient = send('/ok');
    expect((await held).code).toBe('upstream_timeout');
    expect((await patient).status).toBe(200);
    expect(client.states()[0]?.inFlight).toBe(0);
  });
});

describe('several tenants at one origin', () => {
  it('are served while one of them waits for responses that never arrive', async () => {
    const client = newClient({ concurrencyPerOrigin: 4 });
    const send = sender(client, server.origin);
    await send('/ok', { tenantId: 'occasional' });
    const cancellation = new Cancellation();
    const hung = Array.from({ length: 6 }, () =>
      failureOf(send('/slow-headers', { tenantId: 'busy', cancellation })),
    );
    for (let i = 0; i < 5; i++) {
      expect((await send('/ok', { tenantId: 'occasional' })).status).toBe(200);
    }
    expect(client.states()[0]?.inFlight).toBe(2);
    cancellation.cancel();
    for (const call of hung) expect((await call).code).toBe('cancelled');
    expect(client.states()[0]?.inFlight).toBe(0);
  });

  it('keep the origin when the calls of one of them always time out', async () => {
    const client = newClient({ circuit: { failures: 2 }, retry: { maxRetries: 0 } });
    const send = sender(client, server.origin);
    await send('/ok', { tenantId: 'good' });
    for (let i = 0; i < 3; i++) {
      await failureOf(send('/slow-headers', { tenantId: 'bad', deadlineMs: 20 }));
    }
    const refusal = await failureOf(send('/ok', { tenantId: 'bad' }));
    expect(refusal.code).toBe('upstream_circuit_open');
    expect((await send('/ok', { tenantId: 'good' })).status).toBe(200);
    expect(client.states()[0]?.circuit).toBe('closed');
  });
});

it('Requests aborted while they wait for a connection are bounded, and dropped when a connection opens', async () => {
  const { buildConnector } = await import('undici');
  const connect = buildConnector({});
  let openAll = (): void => {};
  const opened = new Promise<void>((resolve) => {
    openAll = resolve;
  });
  const client = newClient({
    concurrencyPerOrigin: 2,
    connect: (target, callback) => void opened.then(() => connect(target, callback)),
  });
  const send = sender(client, server.origin);
  for (let i = 0; i < 1000; i++) {
    const cancellation = new Cancellation();
    const call = failureOf(send('/ok', { cancellation }));
    cancellation.cancel();
    expect((await call).code).toBe('cancelled');
  }
  expect((await failureOf(send('/ok'))).code).toBe('overloaded');
  openAll();
  await until(() => server.openConnections() > 0);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect((await send('/ok')).status).toBe(200);
  expect(server.seen).toHaveLength(1);
});
