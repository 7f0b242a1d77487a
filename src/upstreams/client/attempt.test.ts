import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { Cancellation } from '../../platform/kernel/cancellation.ts';
import {
  GOOD_BODY,
  LARGE_BODY,
  type MisbehavingServer,
  startMisbehavingServer,
} from './testing/misbehaving-server.ts';
import { failureOf, newClient, type Send, sender } from './testing/sending.ts';

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
    'of %s is decompressed',
    async (path) => {
      expect((await send(path)).body.toString()).toBe(GOOD_BODY);
    },
  );

  it.each(['/deflate-gzip', '/twice-with-charset', '/codings-in-two-fields'])(
    'of %s is decompressed from the last coding to the first',
    async (path) => {
      expect((await send(path)).body.toString()).toBe(GOOD_BODY);
    },
  );

  it('of three codings waits for each of them, and of more is a bad payload', async () => {
    const large = { maxBytes: 8 * 1024 * 1024 };
    const { body } = await sender(newClient(large), server.origin)('/three-codings');
    expect(body.equals(LARGE_BODY)).toBe(true);
    expect((await failureOf(send('/four-codings'))).code).toBe('upstream_bad_payload');
  });

  it('with a charset as its content encoding is not decoded', async () => {
    expect((await send('/charset-as-encoding')).body.toString()).toBe(GOOD_BODY);
  });

  it('that is empty is not decoded', async () => {
    expect((await send('/gzip-empty')).body.length).toBe(0);
    expect((await send('/twice-empty')).body.length).toBe(0);
  });

  it.each(['/gzip-lie', '/gzip-cut', '/gzip-and-more', '/deflate-gzip-lie', '/deflate-gzip-cut'])(
    'of %s is a bad payload',
    async (path) => {
      const error = await failureOf(send(path));
      expect(error.code).toBe('upstream_bad_payload');
      expect(error.message).toBe('The upstream sent compressed data that could not be decoded.');
    },
  );

  it('longer than its content-length ends there, and does not affect a later call', async () => {
    const client = newClient();
    const sendMore = sender(client, server.origin);
    expect((await sendMore('/length-too-short')).body.toString()).toBe('{}');
    expect((await sendMore('/ok')).body.toString()).toBe(GOOD_BODY);
  });
});

describe('an incomplete response', () => {
  it.each(['/reset-mid-body', '/end-mid-chunks', '/length-too-long'])(
    'as of %s is an error',
    async (path) => {
      const error = await failureOf(send(path));
      expect(error.code).toBe('upstream_unreachable');
      expect(error.message).toBe(
        'The upstream closed the connection before its response was complete.',
      );
    },
  );

  it.each(['/reset-at-once', '/close-at-once'])(
    'without a byte, as of %s, is a closed connection',
    async (path) => {
      const error = await failureOf(send(path));
      expect(error.code).toBe('upstream_unreachable');
      expect(error.message).toBe('The upstream closed the connection.');
    },
  );

  it.each(['/not-http', '/huge-headers'])(
    'that is not valid HTTP, as of %s, is a bad payload',
    async (path) => {
      expect((await failureOf(send(path))).code).toBe('upstream_bad_payload');
    },
  );
});

describe('a response over the limit', () => {
  it.each(['/endless', '/announced-too-large'])(
    'as of %s is rejected, and its connection is closed',
    async (path) => {
      const own = await startMisbehavingServer();
      const call = sender(newClient(), own.origin)(path);
      expect((await failureOf(call)).code).toBe('upstream_too_large');
      await until(() => own.openConnections() === 0);
      await own.close();
    },
  );

  it.each(['/gzip-large', '/gzip-bomb', '/twice-bomb'])(
    'after decompression, as of %s, is rejected',
    async (path) => {
      expect((await failureOf(send(path))).code).toBe('upstream_too_large');
    },
  );

  it('of the compression ratio is rejected long before the limit of bytes', async () => {
    const large = { maxBytes: 1024 * 1024 * 1024 };
    const error = await failureOf(sender(newClient(large), server.origin)('/gzip-bomb'));
    expect(error.code).toBe('upstream_too_large');
  });

  it('of exactly the limit is accepted', async () => {
    const exact = { maxBytes: GOOD_BODY.length };
    const response = await sender(newClient(exact), server.origin)('/tiny-chunks');
    expect(response.body.toString()).toBe(GOOD_BODY);
  });
});

it('A call that is cancelled while its body is decompressed ends once', async () => {
  const cancellation = new Cancellation();
  const call = send('/gzip-large', { cancellation });
  await server.arrived('/gzip-large');
  cancellation.cancel();
  expect((await failureOf(call)).code).toBe('cancelled');
});

it('A connection that opens after its caller has disconnected serves the next call', async () => {
  const { buildConnector } = await import('undici');
  const connect = buildConnector({});
  const mayOpen = Promise.withResolvers<void>();
  let opened = 0;
  let isOpen = false;
  const client = newClient({
    connect: (target, callback) => {
      opened += 1;
      const whenOpen: typeof callback = (...result) => {
        callback(...result);
        isOpen = true;
      };
      void mayOpen.promise.then(() => connect(target, whenOpen));
    },
  });
  const sendSlowly = sender(client, server.origin);
  expect((await failureOf(sendSlowly('/ok', { deadlineMs: 20 }))).code).toBe('upstream_timeout');
  mayOpen.resolve();
  await until(() => isOpen);
  await sendSlowly('/ok');
  expect(opened).toBe(1);
});
