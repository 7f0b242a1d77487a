import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { GatewayError } from '../../src/platform/kernel/error.ts';
import { TEST_BACKENDS } from '../support/databases.ts';
import { openRegistrationServer, type RegistrationServer } from '../support/registration-server.ts';

const [backend] = TEST_BACKENDS;
let server: RegistrationServer;
afterEach(() => server.close());

async function openFailing(error: GatewayError): Promise<void> {
  if (!backend) throw new Error('No backend is given.');
  server = await openRegistrationServer({ backend, prepare: () => Promise.reject(error) });
}

test('a request whose tools cannot be loaded is refused with the reason', async () => {
  await openFailing(
    new GatewayError('overloaded', 'Not yet.', { details: { retryAfterSeconds: 2 } }),
  );
  const { status, headers, body } = await server.json('/api/v1/tools');
  expect([status, headers.get('retry-after'), body.message]).toEqual([503, '2', 'Not yet.']);
});

test('its body is not read without end', async () => {
  await openFailing(new GatewayError('unavailable'));
  const { port } = new URL(server.url);
  const socket = connect(Number(port), '127.0.0.1');
  const received: Buffer[] = [];
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined).on('data', (bytes: Buffer) => received.push(bytes));
  socket.write(
    `POST /api/v1/register HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${server.key}\r\ncontent-type: application/json\r\ncontent-length: 1000000000000\r\n\r\n`,
  );
  const piece = Buffer.alloc(64 * 1024, 'x');
  const sending = setInterval(() => socket.write(piece), 5);
  await closed;
  clearInterval(sending);
  expect(Buffer.concat(received).toString()).toMatch(/^HTTP\/1\.1 503 /);
});
