import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { openRaw, type RawRequest, sendAndLeave, sendRaw } from '../support/raw-request.ts';
import { ACCEPTS_EVENTS, notification, rpc, toolCall } from '../support/rpc-requests.ts';
import { openSse } from '../support/sse-client.ts';
import { until } from '../support/until.ts';
import { STATELESS_META, stateless, statelessCall } from './mcp-requests.ts';
import { verifies } from './requirements.ts';

const CANCELLED = { outcome: 'error', error: { code: 'cancelled' } };

let gateway: TestGateway;
let held: ServerResponse[] = [];
beforeAll(async () => {
  gateway = await startTestGateway({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
  gateway.upstream.answer((_request, response) => void held.push(response));
});
beforeEach(() => {
  held = [];
});
afterAll(() => gateway.close());

const keyed = ({ headers, ...rest }: RawRequest): RawRequest => ({
  ...rest,
  headers: { 'content-type': 'application/json', 'x-api-key': gateway.key, ...headers },
});

// biome-ignore lint/suspicious/noExplicitAny: tests read records whose shape is under test.
async function records(): Promise<any[]> {
  return (await gateway.json('/api/v1/audit?limit=100')).body.records;
}

/** Resolves with the records that `act` causes, once there are `count` of them. */
async function recordsOf(count: number, act: () => Promise<void>) {
  const [latest] = await records();
  const since = async () => {
    const all = await records();
    const known = all.findIndex(({ auditId }) => auditId === latest?.auditId);
    return known === -1 ? all : all.slice(0, known);
  };
  await act();
  await until(async () => (await since()).length >= count);
  return since();
}

/** Disconnects once the upstream has received `calls` requests, and waits until all of them are aborted. */
async function disconnectDuring(request: RawRequest, calls = 1): Promise<void> {
  const client = sendAndLeave(gateway.url, keyed(request));
  await until(() => held.length === calls);
  client.leave();
  await until(() => held.every(({ destroyed }) => destroyed));
}

const withToken = (request: { readonly params?: unknown }) => ({
  ...request,
  params: { ...(request.params as object), _meta: { progressToken: 'p' } },
});

describe(verifies('leaving.frees', 'mcp.stateless.cancel'), () => {
  const uncached = toolCall('fixture_uncached');
  const streamable = { ...ACCEPTS_EVENTS };
  const batch = [1, 2, 3].map((n) => toolCall('fixture_cached', { n: 100 + n }, n));

  test.each<[string, string, RawRequest, number]>([
    ['plain', 'plain', { body: uncached }, 1],
    ['plain, of a cached tool', 'plain', { body: toolCall('fixture_cached', { n: 200 }) }, 1],
    ['a plain batch', 'plain', { body: batch }, 3],
    ['Streamable HTTP', 'streamable-http', { headers: streamable, body: uncached }, 1],
    [
      'Streamable HTTP, a write',
      'streamable-http',
      { headers: streamable, body: toolCall('fixture_write', { title: 't' }) },
      1,
    ],
    ['a batch of Streamable HTTP', 'streamable-http', { headers: streamable, body: batch }, 3],
    ['stateless', 'stateless', statelessCall('fixture_uncached'), 1],
  ])('%s', async (_title, dialect, request, calls) => {
    const added = await recordsOf(calls, () => disconnectDuring(request, calls));
    expect(added).toHaveLength(calls);
    for (const record of added) expect(record).toMatchObject({ dialect, ...CANCELLED });
  });

  test.each<[string, RawRequest]>([
    ['Streamable HTTP', { headers: streamable, body: withToken(uncached) }],
    [
      'stateless',
      {
        headers: {
          ...stateless('tools/call', { name: 'fixture_uncached' }).headers,
          ...streamable,
        },
        body: rpc('tools/call', {
          name: 'fixture_uncached',
          _meta: { ...STATELESS_META, progressToken: 'p' },
        }),
      },
    ],
  ])('%s, while progress is reported', async (_title, request) => {
    const [record] = await recordsOf(1, async () => {
      const stream = await openRaw(gateway.url, keyed(request));
      expect(stream.headers['content-type']).toMatch(/^text\/event-stream/);
      await until(() => stream.messages().length > 0);
      stream.close();
      await until(() => held[0]?.destroyed === true);
    });
    expect(record).toMatchObject(CANCELLED);
  });

  test('an HTTP+SSE client closes its stream', async () => {
    const stream = await openSse(gateway.url, gateway.key);
    await until(() => stream.events.length >= 2);
    const path = (stream.events[1]?.data ?? '').replace('..', '');
    const added = await recordsOf(2, async () => {
      for (const id of [1, 2]) {
        await sendRaw(gateway.url, keyed({ path, body: toolCall('fixture_uncached', {}, id) }));
      }
      await until(() => held.length === 2);
      stream.close();
      await until(() => held.every(({ destroyed }) => destroyed));
    });
    for (const record of added) expect(record).toMatchObject({ dialect: 'http-sse', ...CANCELLED });
  });

  test('also calls whose responses are queued behind another on one connection', async () => {
    const added = await recordsOf(3, async () => {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
      const body = JSON.stringify(uncached);
      const request = `POST /mcp HTTP/1.1\r\nhost: x\r\nx-api-key: ${gateway.key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
      socket.write(request.repeat(3));
      await until(() => held.length === 3);
      socket.destroy();
      await until(() => held.every(({ destroyed }) => destroyed));
    });
    for (const record of added) expect(record).toMatchObject(CANCELLED);
  });

  test('but not a call that arrives on the same connection after the response to another', async () => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    let responses = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      responses += text;
    });
    const count = 20;
    for (let n = 1; n <= count; n++) {
      const body = JSON.stringify(toolCall('fixture_uncached', {}, n));
      socket.write(
        `POST /mcp HTTP/1.1\r\nhost: x\r\nx-api-key: ${gateway.key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      await until(() => held.length === n);
      held[n - 1]?.setHeader('content-type', 'application/json').end('{}');
      await until(() => responses.includes(`"id":${n},"result"`));
    }
    socket.destroy();
    expect(responses).not.toContain('"error"');
  });
});

test(verifies('leaving.joined'), async () => {
  const call = toolCall('fixture_cached', { n: 300 });
  const added = await recordsOf(2, async () => {
    const leader = sendAndLeave(gateway.url, keyed({ body: call }));
    await until(() => held.length === 1);
    const joiner = gateway.rpc(call);
    const mayLeave = gateway.call('fixture_cached', { n: 301 });
    await until(() => held.length === 2);
    leader.leave();
    await until(async () => (await records())[0]?.error?.code === 'cancelled');
    for (const response of held) {
      expect(response.destroyed).toBe(false);
      response.setHeader('content-type', 'application/json').end('{"ok":true}');
    }
    expect((await joiner).body.result).toMatchObject({
      data: { ok: true },
      cacheStatus: 'COALESCED',
    });
    await mayLeave;
  });
  expect(added.filter(({ outcome }) => outcome === 'ok')).toHaveLength(2);
  expect(added.filter(({ error }) => error?.code === 'cancelled')).toHaveLength(1);
});

test(verifies('leaving.notification'), async () => {
  const [record] = await recordsOf(1, async () => {
    const client = sendAndLeave(
      gateway.url,
      keyed({ body: notification('tools/call', { name: 'fixture_uncached', arguments: {} }) }),
    );
    await until(() => held.length === 1);
    client.leave();
    // Once the gateway has responded to a newer request, it has noticed the disconnect.
    await gateway.rpc(rpc('tools/list'));
    held[0]?.setHeader('content-type', 'application/json').end('{}');
  });
  expect(record).toMatchObject({ outcome: 'ok' });
});
