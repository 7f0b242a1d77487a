import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { GatewayError } from '../../src/platform/kernel/error.ts';
import { TEST_BACKENDS } from '../support/databases.ts';
import { openRegistrationServer, type RegistrationServer } from '../support/registration-server.ts';
import { description } from '../support/registrations.ts';

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

test('what needs none of the tools is answered meanwhile', async () => {
  await openFailing(new GatewayError('overloaded'));
  const { status, body } = await server.send('POST', '/api/v1/register', {
    name: 'Pets',
    spec_raw: description('list'),
  });
  const job = await server.json(`/api/v1/register/${body.job_id}/status`);
  const all = await server.json('/api/v1/registrations');
  expect([status, job.status, all.status]).toEqual([202, 200, 200]);
});

test('its body is not read without end', async () => {
  await openFailing(new GatewayError('unavailable'));
  const { port } = new URL(server.url);
  const socket = connect(Number(port), '127.0.0.1');
  const received: Buffer[] = [];
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined).on('data', (bytes: Buffer) => received.push(bytes));
  socket.write(
    `DELETE /api/v1/tools/x HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${server.key}\r\ncontent-type: application/json\r\ncontent-length: 1000000000000\r\n\r\n`,
  );
  const piece = Buffer.alloc(64 * 1024, 'x');
  const sending = setInterval(() => socket.write(piece), 5);
  await closed;
  clearInterval(sending);
  expect(Buffer.concat(received).toString()).toMatch(/^HTTP\/1\.1 503 /);
});
