import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Departure } from '../../platform/kernel/departure.ts';
import {
  GOOD_BODY,
  type MisbehavingServer,
  startMisbehavingServer,
} from './testing/misbehaving-server.ts';
import { failureOf, newClient, type Send, sender, until } from './testing/sending.ts';

let server: MisbehavingServer;
beforeAll(async () => {
  server = await startMisbehavingServer();
});
afterAll(() => server.close());

const send: Send = (path, tuning) =>
  sender(newClient({ retry: { maxRetries: 0 } }), server.origin)(path, tuning);

describe('a body', () => {
  it('in chunks of one byte arrives whole', async () => {
    expect((await send('/tiny-chunks')).body.toString()).toBe(GOOD_BODY);
  });

  it.each(['/gzip', '/deflate', '/raw-deflate', '/br', '/zstd'])(
    'of %s is decoded',
    async (path) => {
      expect((await send(path)).body.toString()).toBe(GOOD_BODY);
    },
  );

  it('with a charset for an encoding is taken as it is', async () => {
    expect((await send('/charset-as-encoding')).body.toString()).toBe(GOOD_BODY);
  });

  it('that is empty needs no decoding', async () => {
    expect((await send('/gzip-empty')).body.length).toBe(0);
  });

  it.each(['/gzip-lie', '/gzip-cut', '/gzip-and-more'])('of %s is a bad payload', async (path) => {
    const error = await failureOf(send(path));
    expect(error.code).toBe('upstream_bad_payload');
    expect(error.message).toBe(
      'The upstream answered with compressed data that could not be read.',
    );
  });

  it('longer than announced ends where it was announced to end, and harms no later call', async () => {
    const client = newClient();
    const sendMore = sender(client, server.origin);
    expect((await sendMore('/length-too-short')).body.toString()).toBe('{}');
    expect((await sendMore('/ok')).body.toString()).toBe(GOOD_BODY);
  });
});

describe('a broken-off answer', () => {
  it.each(['/reset-mid-body', '/end-mid-chunks', '/length-too-long'])(
    'as of %s is no answer',
    async (path) => {
      const error = await failureOf(send(path));
      expect(error.code).toBe('upstream_unreachable');
      expect(error.message).toBe('The upstream broke off in the middle of its answer.');
    },
  );

  it.each(['/reset-at-once', '/close-at-once'])(
    'without a byte, as of %s, says so',
    async (path) => {
      const error = await failureOf(send(path));
      expect(error.code).toBe('upstream_unreachable');
      expect(error.message).toBe('The upstream closed the connection.');
    },
  );

  it.each(['/not-http', '/huge-headers'])(
    'that is not one, as of %s, is a bad payload',
    async (path) => {
      expect((await failureOf(send(path))).code).toBe('upstream_bad_payload');
    },
  );
});

describe('an answer over the limit', () => {
  it.each(['/endless', '/announced-too-large'])(
    'as of %s is refused and its connection closed',
    async (path) => {
      const own = await startMisbehavingServer();
      const call = sender(newClient(), own.origin)(path);
      expect((await failureOf(call)).code).toBe('upstream_too_large');
      await until(() => own.openConnections() === 0);
      await own.close();
    },
  );

  it.each(['/gzip-large', '/gzip-bomb'])('after decoding, as of %s, is refused', async (path) => {
    expect((await failureOf(send(path))).code).toBe('upstream_too_large');
  });

  it('of decompression is refused long before the limit of bytes', async () => {
    const large = { maxBytes: 1024 * 1024 * 1024 };
    const error = await failureOf(sender(newClient(large), server.origin)('/gzip-bomb'));
    expect(error.code).toBe('upstream_too_large');
  });

  it('of exactly the limit is accepted', async () => {
    const exact = { maxBytes: GOOD_BODY.length };
    const answer = await sender(newClient(exact), server.origin)('/tiny-chunks');
    expect(answer.body.toString()).toBe(GOOD_BODY);
  });
});

it('An answer given up while its body is being decoded ends once', async () => {
  const departure = new Departure();
  const call = send('/gzip-large', { departure });
  await server.arrived('/gzip-large');
  departure.leave();
  expect((await failureOf(call)).code).toBe('cancelled');
});

it('A connection that opens after its caller has gone serves the next call', async () => {
  const { buildConnector } = await import('undici');
  const connect = buildConnector({});
  let opened = 0;
  const client = newClient({
    connect: (target, callback) => {
      opened += 1;
      setTimeout(() => connect(target, callback), 100);
    },
  });
  const sendSlowly = sender(client, server.origin);
  expect((await failureOf(sendSlowly('/ok', { deadlineMs: 20 }))).code).toBe('upstream_timeout');
  await new Promise((resolve) => setTimeout(resolve, 200));
  await sendSlowly('/ok');
  expect(opened).toBe(1);
});
