import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { readSettings } from '../platform/config/settings.ts';
import { createByteBudget } from '../platform/kernel/byte-budget.ts';
import { createClosingStack } from '../platform/kernel/closing.ts';
import { systemClock } from '../platform/kernel/time.ts';
import { VERSION } from '../platform/kernel/version.ts';
import {
  type MisbehavingServer,
  startMisbehavingServer,
} from '../upstreams/client/testing/misbehaving-server.ts';
import { failureOf, sender } from '../upstreams/client/testing/sending.ts';
import { createGuarded, userAgentOf } from './guarded.ts';

let server: MisbehavingServer;
beforeEach(async () => {
  server = await startMisbehavingServer();
});
afterEach(() => server.close());

function newGuarded(env: Readonly<Record<string, string>> = {}) {
  const parts = createClosingStack();
  onTestFinished(() => parts.close());
  const settings = readSettings({ SHUTDOWN_GRACE_MS: '0', ...env });
  const logger = pino({ level: 'silent' });
  return createGuarded(
    { settings, logger, parts, clock: systemClock },
    createByteBudget(1024 * 1024),
  );
}

const ALLOWED = { ALLOW_PRIVATE_UPSTREAMS: 'true' };

it('By default, registered APIs reach no private upstream', async () => {
  const { client } = newGuarded();
  const { port } = new URL(server.origin);
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '2130706433']) {
    const { code } = await failureOf(sender(client, `http://${host}:${port}`)('/ok'));
    expect([host, code]).toEqual([host, 'upstream_blocked']);
  }
  expect(server.connections()).toBe(0);
});

it('With ALLOW_PRIVATE_UPSTREAMS they do, by address and by a name of the hosts file', async () => {
  const { client } = newGuarded(ALLOWED);
  expect((await sender(client, server.origin)('/ok')).status).toBe(200);
  const byName = server.origin.replace('127.0.0.1', 'localhost');
  expect((await sender(client, byName)('/ok')).status).toBe(200);
});

it('The gateway itself is never one of them', async () => {
  const { port } = new URL(server.origin);
  for (const env of [{}, ALLOWED]) {
    const { client, ownPorts } = newGuarded({
      BASE_URL: `http://tools.example.com:${port}`,
      ...env,
    });
    ownPorts.add(Number(port));
    for (const host of ['127.0.0.1', 'localhost', '0.0.0.0', 'tools.example.com']) {
      const { code } = await failureOf(sender(client, `http://${host}:${port}`)('/ok'));
      expect([host, code]).toEqual([host, 'upstream_blocked']);
    }
  }
  expect(server.seen).toEqual([]);
});

it('A loopback BASE_URL does not block the other programs of the machine', async () => {
  const { client } = newGuarded({ BASE_URL: 'http://127.0.0.1:8080', ...ALLOWED });
  expect((await sender(client, server.origin)('/ok')).status).toBe(200);
});

it.each([
  [{}, ''],
  [{ BASE_URL: 'http://tools.example' }, ''],
  [
    { BASE_URL: 'https://user:hunter2@tools.example/gateway/' },
    ' (+https://tools.example/gateway)',
  ],
  [{ UPSTREAM_CONTACT: 'ops@example.com', BASE_URL: 'https://a.example' }, ' (+ops@example.com)'],
])('with %j, providers are told the version%s', (environment, contact) => {
  expect(userAgentOf(readSettings(environment))).toBe(`tool-gateway/${VERSION}${contact}`);
});
