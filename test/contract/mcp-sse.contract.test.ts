import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { openRaw, type RawResponse, type RawStream, sendRaw } from '../support/raw-request.ts';
import { notification, type RequestId, rpc, toolCall } from '../support/rpc-requests.ts';
import { openSse, type SseClient } from '../support/sse-client.ts';
import { until } from '../support/until.ts';
import { initialize, schemaIssues } from './mcp-requests.ts';
import { verifies } from './requirements.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read messages whose shape is under test.
type Message = any;

/** A client of the old transport: its stream, and its posts. */
interface Session {
  readonly stream: SseClient;
  post(body: unknown, key?: string | null): Promise<RawResponse>;
  /** The responses with that id received so far. */
  answersTo(id: RequestId): Message[];
  /** Posts a request and waits for its response. */
  ask(body: { readonly id: RequestId }): Promise<Message>;
}

const open: Session[] = [];

async function connect(to: TestGateway, key = to.key): Promise<Session> {
  const stream = await openSse(to.url, key);
  await until(() => stream.events.length >= 2);
  const endpoint = new URL(stream.events[1]?.data ?? '', `${to.url}/mcp/sse`);
  const post: Session['post'] = (body, as = key) =>
    sendRaw(to.url, {
      path: endpoint.pathname + endpoint.search,
      headers: {
        accept: '*/*',
        'content-type': 'application/json',
        ...(as === null ? {} : { 'x-api-key': as }),
      },
      body,
    });
  const answersTo: Session['answersTo'] = (id) =>
    stream.messages().filter((message) => message.id === id);
  const ask: Session['ask'] = async (body) => {
    const { status, text } = await post(body);
    expect([status, text]).toEqual([202, '']);
    await until(() => answersTo(body.id).length > 0);
    return answersTo(body.id)[0];
  };
  const session = { stream, post, answersTo, ask };
  open.push(session);
  return session;
}

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
});
afterAll(async () => {
  for (const { stream } of open) stream.close();
  await gateway.close();
});

const hold = (): ServerResponse[] => {
  const held: ServerResponse[] = [];
  gateway.upstream.answer((_request, response) => void held.push(response));
  return held;
};
const respond = (response: ServerResponse | undefined, body = '{"ok":true}') =>
  response?.setHeader('content-type', 'application/json').end(body);
const upstreamResponds = (body = '{"ok":true}') =>
  gateway.upstream.answer((_request, response) => void respond(response, body));

const newestRecord = async (tool: string): Promise<Message> =>
  (await gateway.json(`/api/v1/audit?tool=${tool}&limit=1`)).body.records[0];

describe('a session', () => {
  test(verifies('mcp.sse.answered', 'mcp.ping', 'mcp.list', 'mcp.no-session'), async () => {
    upstreamResponds();
    const session = await connect(gateway);
    expect(await session.ask(rpc('ping', {}, 'p'))).toEqual({
      jsonrpc: '2.0',
      id: 'p',
      result: {},
    });
    const list = await session.ask(rpc('tools/list', {}, 'l'));
    expect(schemaIssues('ListToolsResult', list.result)).toEqual([]);
    expect(list.result.tools.length).toBeGreaterThan(50);

    const { result } = await session.ask(toolCall('fixture_uncached', {}, 'c'));
    expect(schemaIssues('CallToolResult', result)).toEqual([]);
    expect(result).toMatchObject({
      tool: 'fixture_uncached',
      data: { ok: true },
      content: [{ type: 'text', text: expect.stringMatching(/\n\n\{"ok":true\}\n$/) }],
      _meta: { 'toolgateway/auditId': result.auditId },
    });
    const record = await gateway.json(`/api/v1/audit/${result.auditId}`);
    expect(record.body).toMatchObject({ dialect: 'http-sse', outcome: 'ok' });
    expect(session.answersTo('c')).toHaveLength(1);
  });

  test(`${verifies('mcp.sse.answered')}: a fast one before a slow one`, async () => {
    const held = hold();
    const session = await connect(gateway);
    await session.post(toolCall('fixture_uncached', {}, 'slow'));
    await until(() => held.length === 1);
    await session.ask(rpc('ping', {}, 'quick'));
    expect(session.answersTo('slow')).toEqual([]);
    respond(held[0]);
    await until(() => session.answersTo('slow').length === 1);
    expect(session.answersTo('slow')[0].result.data).toEqual({ ok: true });
  });

  test(`${verifies('mcp.sse.answered')}: on its own stream only`, async () => {
    const [mine, other] = [await connect(gateway), await connect(gateway)];
    await mine.ask(rpc('ping', {}, 'mine'));
    await other.ask(rpc('ping', {}, 'other'));
    expect(other.answersTo('mine')).toEqual([]);
    expect(mine.answersTo('other')).toEqual([]);
  });
});

describe('the owner of a stream', () => {
  test(verifies('mcp.sse.bound', 'mcp.401'), async () => {
    const session = await connect(gateway);
    const { key: sameTenant } = await gateway.createKey('default');
    const { key: otherTenant } = await gateway.createKey('tenant-x');
    for (const key of [sameTenant, otherTenant]) {
      const { status, json } = await session.post(rpc('ping', {}, 'stolen'), key);
      expect(status).toBe(404);
      expect(json).toEqual({ error: 'Not Found', message: expect.any(String) });
    }
    for (const key of [null, 'tg_live_wrong']) {
      const { status, headers } = await session.post(rpc('ping', {}, 'stolen'), key);
      expect(status).toBe(401);
      expect(headers['www-authenticate']).toMatch(/^Bearer/);
    }
    await session.ask(rpc('ping', {}, 'mine'));
    expect(session.stream.messages()).toHaveLength(1);
  });

  test(verifies('mcp.sse.unknown'), async () => {
    const session = await connect(gateway);
    await session.ask(rpc('ping', {}, 'p'));
    session.stream.close();
    await until(async () => (await session.post(rpc('ping', {}, 'p'))).status === 404);
    const { status } = await sendRaw(gateway.url, {
      path: '/mcp?sessionId=sse_nobody',
      headers: { 'content-type': 'application/json', 'x-api-key': gateway.key },
      body: initialize('2025-11-25'),
    });
    expect(status).toBe(404);
  });

  test(verifies('mcp.sse.revoked'), async () => {
    const { id, key } = await gateway.createKey('default');
    const session = await connect(gateway, key);
    await session.ask(rpc('ping', {}, 'p'));
    await gateway.revokeKey(id);
    await until(() => session.stream.ended());
    expect((await session.post(rpc('ping', {}, 'q'))).status).toBe(401);
    expect((await session.post(rpc('ping', {}, 'q'), gateway.key)).status).toBe(404);
  });

  test(verifies('mcp.streams.limit'), async () => {
    const { key } = await gateway.createKey('default');
    const get = () =>
      openRaw(gateway.url, {
        method: 'GET',
        path: '/mcp/sse',
        headers: { 'x-api-key': key, accept: 'text/event-stream' },
      });
    const streams: RawStream[] = [];
    do streams.push(await get());
    while (streams.at(-1)?.status === 200);
    const refused = streams.pop();
    expect(streams).toHaveLength(100);
    expect(refused?.status).toBe(429);
    await until(() => refused?.hasEnded() === true);
    expect(JSON.parse(refused?.text() ?? '')).toEqual({
      error: 'Too Many Requests',
      message: expect.stringMatching(/stream/),
    });
    // Another key has its own limit.
    await connect(gateway);
    for (const stream of streams) stream.close();
    await until(async () => {
      const next = await get();
      next.close();
      return next.status === 200;
    });
  });
});

describe('calls in flight', () => {
  test(verifies('mcp.sse.duplicate-id'), async () => {
    const held = hold();
    const session = await connect(gateway);
    await session.post(toolCall('fixture_uncached', {}, 'twice'));
    await until(() => held.length === 1);
    const second = await session.post(toolCall('fixture_uncached', {}, 'twice'));
    expect(second.status).toBe(400);
    expect(second.json).toMatchObject({ error: { code: -32600 } });
    expect(held).toHaveLength(1);
    // A string and a number are different ids, and each session has its own ids.
    await session.ask(rpc('ping', {}, 'twice '));
    const other = await connect(gateway);
    await other.ask(rpc('ping', {}, 'twice'));

    respond(held[0]);
    await until(() => session.answersTo('twice').length === 1);
    upstreamResponds();
    expect((await session.post(toolCall('fixture_uncached', {}, 'twice'))).status).toBe(202);
    await until(() => session.answersTo('twice').length === 2);
  });

  test(verifies('mcp.sse.cancel'), async () => {
    const held = hold();
    const session = await connect(gateway);
    const before = (await newestRecord('fixture_write'))?.auditId;
    await session.post(toolCall('fixture_write', { title: 'stopped' }, 'c'));
    await until(() => held.length === 1);
    const cancel = notification('notifications/cancelled', { requestId: 'c', reason: 'late' });
    expect((await session.post(cancel)).status).toBe(202);
    await until(() => held[0]?.destroyed === true);
    await until(async () => (await newestRecord('fixture_write'))?.auditId !== before);
    expect(await newestRecord('fixture_write')).toMatchObject({
      dialect: 'http-sse',
      outcome: 'error',
      error: { code: 'cancelled' },
      arguments: { title: 'stopped' },
    });
    await session.ask(rpc('ping', {}, 'still here'));
  });

  test(`${verifies('mcp.sse.cancel')}: not a call of another stream, nor one with another id`, async () => {
    const held = hold();
    const [session, other] = [await connect(gateway), await connect(gateway)];
    await session.post(toolCall('fixture_uncached', {}, 1));
    await until(() => held.length === 1);
    await other.post(notification('notifications/cancelled', { requestId: 1 }));
    for (const requestId of [2, '1', null]) {
      await session.post(notification('notifications/cancelled', { requestId }));
    }
    await session.ask(rpc('ping', {}, 'after'));
    expect(held[0]?.destroyed).toBe(false);
    respond(held[0]);
    await until(() => session.answersTo(1).length === 1);
    expect(session.answersTo(1)[0].result.data).toEqual({ ok: true });
  });

  test(verifies('mcp.progress'), async () => {
    const held = hold();
    const session = await connect(gateway);
    const _meta = { progressToken: 'tok' };
    await session.post(rpc('tools/call', { name: 'fixture_uncached', _meta }, 'slow'));
    const progressMessages = () =>
      session.stream.messages().filter(({ method }) => method === 'notifications/progress');
    await until(() => progressMessages().length >= 2);
    respond(held[0]);
    await until(() => session.answersTo('slow').length === 1);
    for (const message of progressMessages()) {
      expect(schemaIssues('ProgressNotification', message)).toEqual([]);
      expect(message.params.progressToken).toBe('tok');
    }
    const progress: number[] = progressMessages().map(({ params }) => params.progress);
    expect(progress).toEqual([...new Set(progress)].sort((a, b) => a - b));
  });
});

test(verifies('mcp.sse.gone'), async () => {
  const patient = await startTestGateway({
    env: { RATE_LIMIT_PER_MINUTE: '0', SHUTDOWN_GRACE_MS: '600000' },
  });
  for (let n = 0; n < 20; n++) {
    const session = await connect(patient);
    await session.ask(rpc('ping', {}, 'first'));
    session.stream.close();
    // Some of these are accepted before the gateway notices that their responses will not be read.
    await until(async () => (await session.post(rpc('ping', {}, 'late'))).status === 404);
  }
  await patient.close();
});

describe('readers', () => {
  /** More bytes than a slow reader may leave unsent. */
  const big = JSON.stringify({ text: 'x'.repeat(3 * 1024 * 1024) });

  test(verifies('mcp.sse.big-answer'), async () => {
    upstreamResponds(big);
    const session = await connect(gateway);
    const { result } = await session.ask(toolCall('fixture_uncached', {}, 'big'));
    expect(result.data).toEqual(JSON.parse(big));
    await session.ask(rpc('ping', {}, 'after'));
  });

  test(verifies('mcp.sse.slow-reader'), async () => {
    // Unsent keepalives distinguish a client that has stopped reading from one that reads slowly.
    const quick = await startTestGateway({
      env: { RATE_LIMIT_PER_MINUTE: '0', SSE_KEEPALIVE_MS: '200' },
    });
    try {
      quick.upstream.answer((_request, response) => void respond(response, big));
      const healthy = await connect(quick);
      const headers = { 'content-type': 'application/json', 'x-api-key': quick.key };
      const idle = await openRaw(quick.url, { method: 'GET', path: '/mcp/sse', headers });
      await until(() => idle.text().includes('sessionId='));
      idle.stopReading();
      const path = `/mcp?sessionId=${/sessionId=(\S+)/.exec(idle.text())?.[1]}`;
      let id = 0;
      await until(async () => {
        const body = toolCall('fixture_uncached', {}, `idle-${++id}`);
        return (await sendRaw(quick.url, { path, headers, body })).status === 404;
      });
      expect((await healthy.ask(rpc('ping', {}, 'well'))).result).toEqual({});
      expect((await quick.json('/health/ready')).status).toBe(200);
      idle.close();
    } finally {
      await quick.close();
    }
  });
});
