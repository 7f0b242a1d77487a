import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { until } from '../../../test/support/until.ts';
import type { UpstreamClient } from '../client/create-upstream-client.ts';
import {
  type MisbehavingServer,
  startMisbehavingServer,
} from '../client/testing/misbehaving-server.ts';
import { failureOf, sender } from '../client/testing/sending.ts';
import type { Guard } from './guard.ts';
import { createGuardedClient } from './guarded-client.ts';
import { createTestGuard, under } from './testing/test-guard.ts';

const HOP_MARK = 'mark-of-this-gateway';
const BLOCKED =
  'The gateway does not connect to the address of this upstream: it must be on the public internet, and not the gateway itself.';

let server: MisbehavingServer;
beforeEach(async () => {
  server = await startMisbehavingServer();
});
afterEach(() => server.close());

function newClient(guard: Guard): UpstreamClient {
  const client = createGuardedClient({
    guard,
    hopMark: HOP_MARK,
    maxBytes: 64 * 1024,
    concurrencyPerOrigin: 8,
    closeGraceMs: 0,
    retry: { baseDelayMs: 1 },
    circuit: { failures: 2, openMs: 60_000 },
  });
  onTestFinished(() => client.close());
  return client;
}

describe('the guarded client', () => {
  it('calls a public upstream, and marks its requests', async () => {
    const client = newClient(createTestGuard());
    const send = sender(client, under('api.example.com', server));
    expect((await send('/ok')).status).toBe(200);
    expect(server.seen[0]?.headers['x-tool-gateway-hop']).toBe(HOP_MARK);
  });

  it('sends no header that names another host, forges its mark or frames the request', async () => {
    const origin = under('api.example.com', server);
    const send = sender(newClient(createTestGuard()), origin);
    const headers = {
      host: 'admin.example.com',
      connection: 'upgrade',
      'transfer-encoding': 'chunked',
      'x-tool-gateway-hop': 'another',
      'x-kept': 'yes',
    };
    expect((await send('/ok', { headers })).status).toBe(200);
    expect(server.seen[0]?.headers).toMatchObject({
      host: new URL(origin).host,
      connection: 'keep-alive',
      'x-tool-gateway-hop': HOP_MARK,
      'x-kept': 'yes',
    });
    expect(server.seen[0]?.headers['transfer-encoding']).toBeUndefined();
  });

  it.each([
    ['a private address', ['10.0.0.1']],
    ['a private address beside public ones', ['127.0.0.1', '10.0.0.1']],
    ['this machine in IPv6', ['::1']],
    ['a metadata service', ['169.254.169.254']],
  ])(
    'blocks a name that resolves to %s: at once, without a retry, without its address',
    async (_, addresses) => {
      const resolve = vi.fn(() => Promise.resolve(addresses));
      const client = newClient(createTestGuard({}, { resolve }));
      const send = sender(client, under('rebound.example.com', server));
      for (let n = 0; n < 4; n++) {
        const error = await failureOf(send('/ok'));
        expect([error.code, error.message]).toEqual(['upstream_blocked', BLOCKED]);
      }
      expect(resolve).toHaveBeenCalledTimes(4);
      expect(client.states('tenant')[0]?.circuit).toBe('closed');
      expect(server.connections()).toBe(0);
    },
  );

  it.each([
    'http://127.0.0.1',
    'http://[::1]:8080',
    'http://0x7f.1',
    'http://gateway.example.com',
    'http://localhost',
    'ftp://api.example.com',
    'http://api.example.com:0',
  ])('blocks %s before it connects, and remembers nothing of it', async (origin) => {
    const client = newClient(createTestGuard());
    expect((await failureOf(sender(client, origin)('/ok'))).code).toBe('upstream_blocked');
    expect(client.states('tenant')).toEqual([]);
  });

  it('connects again only to addresses that are public then', async () => {
    const zone: Record<string, string[]> = { 'flip.example.com': ['127.0.0.1'] };
    const send = sender(newClient(createTestGuard(zone)), under('flip.example.com', server));
    server.on('/last', (response) => response.writeHead(200, { connection: 'close' }).end('{}'));
    expect((await send('/last')).status).toBe(200);
    zone['flip.example.com'] = ['10.0.0.1'];
    expect((await failureOf(send('/last'))).code).toBe('upstream_blocked');
  });

  it('follows a redirect within its origin, and never to another one', async () => {
    const other = await startMisbehavingServer();
    onTestFinished(() => other.close());
    server.on('/away', (response) =>
      response.writeHead(307, { location: `${under('other.example.com', other)}/ok` }).end(),
    );
    const send = sender(newClient(createTestGuard()), under('api.example.com', server));
    expect((await send('/redirect')).status).toBe(200);
    const error = await failureOf(send('/away', { headers: { authorization: 'Bearer secret' } }));
    expect(error.code).toBe('upstream_blocked');
    expect(other.seen).toEqual([]);
  });

  it('uses no proxy of the environment and no alternative service', async () => {
    const proxy = await startMisbehavingServer();
    onTestFinished(() => proxy.close());
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']) {
      vi.stubEnv(name, name.startsWith('NODE') ? '1' : proxy.origin);
    }
    onTestFinished(() => void vi.unstubAllEnvs());
    server.on('/alternative', (response) => {
      response.setHeader('alt-svc', `h2="${new URL(proxy.origin).host}"; ma=3600`);
      response.writeHead(200, { connection: 'close' }).end('{}');
    });
    const send = sender(newClient(createTestGuard()), under('api.example.com', server));
    await send('/alternative');
    await send('/alternative');
    expect([server.seen.length, proxy.connections()]).toEqual([2, 0]);
  });
});

describe('tenants of the guarded client', () => {
  it('share no connection, circuit or figures of the same origin', async () => {
    const client = newClient(createTestGuard());
    const send = sender(client, under('api.example.com', server));
    for (let n = 0; n < 2; n++) await send('/503', { tenantId: 'failing', idempotent: false });
    expect((await failureOf(send('/ok', { tenantId: 'failing' }))).code).toBe(
      'upstream_circuit_open',
    );
    const connections = server.connections();
    expect((await send('/ok', { tenantId: 'other' })).status).toBe(200);
    expect(server.connections()).toBe(connections + 1);
    expect(client.states('failing').map(({ circuit }) => circuit)).toEqual(['open']);
    expect(client.states('other').map(({ circuit }) => circuit)).toEqual(['closed']);
    expect([client.states('third'), client.states()]).toEqual([[], []]);
  });

  it('may each have 100 origins in use; another one is rejected for that tenant alone', async () => {
    const client = newClient(createTestGuard());
    const to = (n: number) => sender(client, under(`api-${n}.example.com`, server));
    const calls: Promise<unknown>[] = [];
    for (let n = 0; n < 100; n++) {
      calls.push(failureOf(to(n)('/slow-headers', { deadlineMs: 60_000 })));
      await until(() => server.seen.length === n + 1);
    }
    expect((await failureOf(to(100)('/ok'))).code).toBe('overloaded');
    expect((await to(100)('/ok', { tenantId: 'other' })).status).toBe(200);
    await client.close();
    await Promise.all(calls);
  });
});

describe('the gateway itself', () => {
  it('is not called, even if private upstreams are allowed', async () => {
    let requests = 0;
    const gateway = createServer((_request, response) => {
      requests++;
      response.end('{}');
    });
    await new Promise<void>((done) => gateway.listen(0, done));
    onTestFinished(() => void gateway.close());
    const { port } = gateway.address() as AddressInfo;
    const options = { allowPrivate: true, ownPorts: new Set([port]) };
    const zone = { 'alias.example.com': ['::1'] };
    const client = newClient(createTestGuard(zone, options));
    const hosts = ['127.0.0.1', '127.9.9.9', '0.0.0.0', '[::1]', '[::ffff:127.0.0.1]'];
    for (const host of [...hosts, 'alias.example.com', 'gateway.example.com']) {
      const { code } = await failureOf(sender(client, `http://${host}:${port}`)('/'));
      expect([host, code]).toEqual([host, 'upstream_blocked']);
    }
    expect(requests).toBe(0);
    expect((await sender(client, server.origin)('/ok')).status).toBe(200);
  });
});
