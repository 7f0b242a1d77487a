import { afterAll, beforeAll, expect, it } from 'vitest';
import { type MisbehavingServer, startMisbehavingServer } from './testing/misbehaving-server.ts';
import { failureOf, newClient, sender, until } from './testing/sending.ts';

let servers: MisbehavingServer[];
beforeAll(async () => {
  servers = await Promise.all([1, 2, 3].map(startMisbehavingServer));
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
});

function origin(index: number): string {
  return servers[index]?.origin ?? '';
}

it('The origin unused for longest makes room for a new one, and its connections are closed', async () => {
  const client = newClient({ maxOrigins: 2 });
  for (const index of [0, 1, 0, 2]) await sender(client, origin(index))('/ok');
  expect(client.states().map((state) => state.origin)).toEqual([origin(0), origin(2)]);
  await until(() => servers[1]?.openConnections() === 0);
});

it('An origin in use is not forgotten: a new one is refused while all are', async () => {
  const client = newClient({ maxOrigins: 1 });
  const held = failureOf(sender(client, origin(0))('/slow-headers', { deadlineMs: 100 }));
  const refusal = await failureOf(sender(client, origin(1))('/ok'));
  expect(refusal.code).toBe('overloaded');
  expect(refusal.details).toEqual({ retryAfterSeconds: 1 });
  expect((await held).code).toBe('upstream_timeout');
  expect((await sender(client, origin(1))('/ok')).status).toBe(200);
});

it('An origin that nobody has used for a while is forgotten', async () => {
  const client = newClient({ idleOriginMs: 20 });
  await sender(client, origin(0))('/ok');
  await until(() => client.states().length === 0);
});
