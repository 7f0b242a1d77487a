import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { runGatewayCommand } from '../support/gateway-process.ts';
import {
  openRaw,
  type RawRequest,
  type RawResponse,
  type RawStream,
  sendAndLeave,
  sendRaw,
} from '../support/raw-request.ts';
import { ACCEPTS_EVENTS, META, notification, REVISION, rpc } from '../support/rpc-requests.ts';
import { until } from '../support/until.ts';
import { STATELESS_META, schemaIssues, stateless, statelessCall } from './mcp-requests.ts';
import { verifies } from './requirements.ts';

let gateway: TestGateway;
const opened: RawStream[] = [];
beforeAll(async () => {
  gateway = await startTestGateway({
    env: { RATE_LIMIT_PER_MINUTE: '0', SSE_KEEPALIVE_MS: '100' },
  });
});
afterAll(async () => {
  for (const stream of opened) stream.close();
  await gateway.close();
});

const keyed = ({ headers, ...rest }: RawRequest, key = gateway.key): RawRequest => ({
  ...rest,
  headers: { 'content-type': 'application/json', 'x-api-key': key, ...headers },
});
const send = (request: RawRequest): Promise<RawResponse> => sendRaw(gateway.url, keyed(request));

/** A result, checked for the members that every result of this revision has. */
async function resultOf(request: RawRequest) {
  const { status, headers, json } = await send(request);
  expect(status).toBe(200);
  expect(headers['content-type']).toMatch(/^application\/json\b/);
  expect(headers).not.toHaveProperty('mcp-session-id');
  expect(json).toMatchObject({ jsonrpc: '2.0', id: (request.body as { id: unknown }).id });
  expect(json.result).toMatchObject({
    resultType: 'complete',
    _meta: { [META.server]: { name: expect.any(String), version: expect.any(String) } },
  });
  return json.result;
}

function expectCacheHints(result: { ttlMs: number; cacheScope: string }) {
  expect(result.ttlMs).toBeGreaterThanOrEqual(0);
  expect(Number.isInteger(result.ttlMs)).toBe(true);
  expect(['public', 'private']).toContain(result.cacheScope);
}

/** The newest record of a tool, once it differs from the previous one. */
async function nextRecord(tool: string, act: () => Promise<void>) {
  const newest = async () =>
    (await gateway.json(`/api/v1/audit?tool=${tool}&limit=1`)).body.records[0];
  const before = (await newest())?.auditId;
  await act();
  await until(async () => (await newest())?.auditId !== before);
  return newest();
}

describe('results', () => {
  test(verifies('mcp.discover', 'mcp.list-changed', 'mcp.stateless.marks'), async () => {
    const result = await resultOf(stateless('server/discover', {}, 'server-discover-probe-1'));
    expect(schemaIssues('DiscoverResult', result)).toEqual([]);
    expect(result.supportedVersions).toContain(REVISION);
    expect(result.capabilities).toEqual({
      tools: { listChanged: true },
      resources: {},
      completions: {},
    });
    expect(result.instructions).toMatch(/\w/);
    expectCacheHints(result);
  });

  test(verifies('mcp.list', 'mcp.list.entry', 'mcp.stateless.marks'), async () => {
    const result = await resultOf(stateless('tools/list'));
    expect(schemaIssues('ListToolsResult', result)).toEqual([]);
    expectCacheHints(result);
    // The list depends on the key.
    expect(result.cacheScope).toBe('private');
    const legacy = await send({ headers: ACCEPTS_EVENTS, body: rpc('tools/list') });
    for (const [index, { annotations, ...tool }] of result.tools.entries()) {
      expect(legacy.json.result.tools[index]).toMatchObject(tool);
      expect(annotations.readOnlyHint).toEqual(expect.any(Boolean));
    }
    expect(legacy.json.result.tools).toHaveLength(result.tools.length);
  });

  test(verifies('mcp.list.pages', 'mcp.list.bad-page'), async () => {
    const first = await resultOf(stateless('tools/list', { limit: 40 }));
    expect(first.tools).toHaveLength(40);
    const rest = await resultOf(stateless('tools/list', { limit: 400, cursor: first.nextCursor }));
    expect(rest).not.toHaveProperty('nextCursor');
    const all = await resultOf(stateless('tools/list'));
    expect([...first.tools, ...rest.tools]).toEqual(all.tools);

    const { status, json } = await send(stateless('tools/list', { cursor: 'none-of-yours' }));
    expect([status, json.error.code]).toEqual([200, -32602]);
  });

  test(
    verifies('mcp.result.plain-members', 'mcp.result.structured', 'mcp.stateless.marks'),
    async () => {
      await gateway.call('fixture_cached', { n: 5 });
      const plain = (await gateway.call('fixture_cached', { n: 5 })).body.result;
      const result = await resultOf(statelessCall('fixture_cached', { n: 5 }));
      expect(schemaIssues('CallToolResult', result)).toEqual([]);
      expect(result).toMatchObject({
        ...plain,
        auditId: expect.stringMatching(/^aud_/),
        provenance: { ...plain.provenance, ageSeconds: expect.any(Number) },
      });
      expect(result).toMatchObject({
        content: [{ type: 'text', text: expect.stringMatching(/\n\n\{"ok":true\}\n$/) }],
        data: { ok: true },
        _meta: {
          'toolgateway/auditId': result.auditId,
          'toolgateway/cacheStatus': 'HIT',
          'toolgateway/upstream': plain.upstream,
        },
      });
    },
  );

  test.each(['한글 도구', 'fixture_uncached'])(
    `${verifies('mcp.stateless.name-header')}: %s in base64`,
    async (name) => {
      const request = statelessCall(name);
      const encoded = `=?base64?${Buffer.from(name).toString('base64')}?=`;
      const { status, json } = await send({
        ...request,
        headers: { ...request.headers, 'mcp-name': encoded },
      });
      // After the header check, the name is looked up like any other.
      expect(status).toBe(200);
      expect('result' in json || json.error.code === -32602).toBe(true);
    },
  );

  test(`${verifies('mcp.error.arguments', 'mcp.error.upstream', 'mcp.error.no-answer')}`, async () => {
    const badArguments = await resultOf(statelessCall('fixture_cached', { n: 'x' }));
    expect(badArguments.content[0].text).toContain('/n');
    gateway.upstream.answer((_request, response) => {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    });
    const refused = await resultOf(statelessCall('fixture_uncached'));
    expect(refused.content[0].text).toContain('404');
    gateway.upstream.answer((_request, response) => void response.destroy());
    const lost = await resultOf(statelessCall('fixture_write', { title: 'x' }));
    for (const result of [badArguments, refused, lost]) {
      expect(result.isError).toBe(true);
      expect(result).not.toHaveProperty('structuredContent');
      expect(schemaIssues('CallToolResult', result)).toEqual([]);
    }
  });

  test(verifies('mcp.error.rate-limit'), async () => {
    const limited = await startTestGateway({ env: { RATE_LIMIT_PER_MINUTE: '1' } });
    try {
      await limited.call('fixture_uncached');
      const request = statelessCall('fixture_uncached');
      const { status, json } = await sendRaw(limited.url, keyed(request, limited.key));
      expect(status).toBe(200);
      expect(json.result).toMatchObject({ isError: true, resultType: 'complete' });
      expect(json.result.content[0].text).toMatch(/retry in \d+ s/i);
    } finally {
      await limited.close();
    }
  });

  test(verifies('mcp.error.public-data'), async () => {
    await gateway.fault('kma_ultra_short_nowcast', 'expired');
    const place = { lat: 37.5665, lon: 126.978 };
    const result = await resultOf(statelessCall('kma_ultra_short_nowcast', place));
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toContain('Expired service key');
  });
});

/** What differs from a valid request. */
interface Deviation {
  readonly method?: string;
  readonly meta?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}
const invalidRequest = ({
  method = 'tools/call',
  meta = STATELESS_META,
  headers = {},
}: Deviation) => {
  const good = statelessCall('fixture_uncached');
  return {
    headers: { ...good.headers, 'mcp-method': method, ...headers },
    body: rpc(method, { name: 'fixture_uncached', _meta: meta }, 'f'),
  };
};
const claim = (revision: unknown) => ({ ...STATELESS_META, [META.version]: revision });

describe('invalid headers and _meta', () => {
  const { [META.capabilities]: _left, ...withoutCapabilities } = STATELESS_META;
  const { [META.version]: _out, ...withoutVersion } = STATELESS_META;

  test.each<[string, Deviation]>([
    ['no _meta', { meta: undefined }],
    ['a _meta that is a string', { meta: 'x' }],
    ['an empty _meta', { meta: {} }],
    ['no version in it', { meta: withoutVersion }],
    ['a version that is not a string', { meta: claim(20260728) }],
    ['no capabilities in it', { meta: withoutCapabilities }],
    [
      'capabilities that are not an object',
      { meta: { ...STATELESS_META, [META.capabilities]: 'all' } },
    ],
    [
      'before another version in the header',
      { meta: withoutCapabilities, headers: { 'mcp-protocol-version': '2027-01-01' } },
    ],
    ['before another method', { meta: withoutCapabilities, headers: { 'mcp-method': 'x' } }],
    ['before an unsupported version', { meta: { [META.version]: '2027-01-01' } }],
    [
      'before missing headers',
      {
        meta: withoutCapabilities,
        headers: { 'mcp-protocol-version': undefined, 'mcp-method': undefined },
      },
    ],
    ['before an unknown method', { meta: {}, method: 'no/such' }],
  ])(`${verifies('mcp.stateless.-32602')}: %s`, async (_title, deviation) => {
    const request = invalidRequest(deviation);
    if (deviation.meta === undefined && 'meta' in deviation)
      delete (request.body.params as { _meta?: unknown })._meta;
    await expectError(request, -32602);
  });

  test.each<[string, Deviation]>([
    ['another version', { headers: { 'mcp-protocol-version': '2025-11-25' } }],
    ['a later version', { headers: { 'mcp-protocol-version': '2027-01-01' } }],
    ['another version, before an unsupported one', { meta: claim('2027-01-01') }],
    ['another method', { headers: { 'mcp-method': 'tools/list' } }],
    ['a method in upper case', { headers: { 'mcp-method': 'Tools/Call' } }],
    [
      'another method, before an unsupported version',
      {
        meta: claim('2027-01-01'),
        headers: { 'mcp-protocol-version': '2027-01-01', 'mcp-method': 'x' },
      },
    ],
    [
      'another method, before an unknown one',
      { method: 'no/such', headers: { 'mcp-method': 'x' } },
    ],
    ['no version', { headers: { 'mcp-protocol-version': undefined } }],
    ['no method', { headers: { 'mcp-method': undefined } }],
    [
      'no method, before an unknown one',
      { method: 'no/such', headers: { 'mcp-method': undefined } },
    ],
    ['no name', { headers: { 'mcp-name': undefined } }],
    ['another name', { headers: { 'mcp-name': 'fixture_cached' } }],
    ['another name in base64', { headers: { 'mcp-name': '=?base64?eA==?=' } }],
    ['a name in invalid base64', { headers: { 'mcp-name': '=?base64?%%?=' } }],
    ['a name in unterminated base64', { headers: { 'mcp-name': '=?base64?eA==' } }],
    [
      'no header at all',
      {
        headers: {
          'mcp-protocol-version': undefined,
          'mcp-method': undefined,
          'mcp-name': undefined,
        },
      },
    ],
  ])(`${verifies('mcp.stateless.-32020')}: %s`, async (_title, deviation) => {
    await expectError(invalidRequest(deviation), -32020);
  });

  test.each<[string, Deviation]>([
    ['in both', { headers: { 'mcp-protocol-version': '2027-01-01' } }],
    ['before a missing header', { headers: { 'mcp-protocol-version': undefined } }],
    [
      'before a missing method',
      { headers: { 'mcp-protocol-version': '2027-01-01', 'mcp-method': undefined } },
    ],
    ['before another name', { headers: { 'mcp-protocol-version': '2027-01-01', 'mcp-name': 'x' } }],
    [
      'before an unknown method',
      { method: 'x', headers: { 'mcp-protocol-version': '2027-01-01' } },
    ],
  ])(`${verifies('mcp.stateless.-32022')}: %s`, async (_title, deviation) => {
    const error = await expectError(
      invalidRequest({ ...deviation, meta: claim('2027-01-01') }),
      -32022,
    );
    expect(error.data.supported).toContain(REVISION);
    expect(error.data.requested).toBe('2027-01-01');
  });

  test(`${verifies('mcp.stateless.-32022')}: a revision with initialize`, async () => {
    const headers = { 'mcp-protocol-version': '2025-06-18' };
    const error = await expectError(invalidRequest({ meta: claim('2025-06-18'), headers }), -32022);
    expect(error.data).toMatchObject({ requested: '2025-06-18' });
  });

  async function expectError(request: RawRequest, code: number) {
    const before = gateway.upstream.seen.length;
    const { status, headers, json } = await send(request);
    expect(status).toBe(400);
    expect(headers['content-type']).toMatch(/^application\/json\b/);
    expect(json).toMatchObject({
      jsonrpc: '2.0',
      id: 'f',
      error: { code, message: expect.stringMatching(/\w/) },
    });
    expect(json).not.toHaveProperty('result');
    expect(gateway.upstream.seen).toHaveLength(before);
    return json.error;
  }
});

describe('messages', () => {
  test.each([
    'initialize',
    'ping',
    'resources/subscribe',
    'logging/setLevel',
    'toString',
    'TOOLS/LIST',
  ])(`${verifies('mcp.stateless.404')}: %s`, async (method) => {
    const { status, json } = await send(stateless(method, {}, 'u'));
    expect(status).toBe(404);
    expect(json).toEqual({
      jsonrpc: '2.0',
      id: 'u',
      error: { code: -32601, message: expect.any(String) },
    });
  });

  test(verifies('mcp.unknown-tool'), async () => {
    const { status, json } = await send(statelessCall('no_such_tool'));
    expect([status, json.error.code]).toEqual([200, -32602]);
  });

  test.each([[[]], ['n=1'], [4]])(
    `${verifies('mcp.malformed-params')}: arguments %j`,
    async (args) => {
      const { status, json } = await send(
        stateless('tools/call', { name: 'fixture_uncached', arguments: args }),
      );
      expect([status, json.error.code]).toEqual([200, -32602]);
    },
  );

  test(verifies('mcp.accepted'), async () => {
    const { headers } = stateless('notifications/cancelled');
    const { status, text } = await send({
      headers,
      body: notification('notifications/cancelled', { requestId: 1, _meta: STATELESS_META }),
    });
    expect([status, text]).toEqual([202, '']);
  });

  test.each([
    ['a response', { jsonrpc: '2.0', id: 1, result: {} }],
    ['a response that is an error', { jsonrpc: '2.0', id: 1, error: { code: 1, message: '' } }],
  ])(`${verifies('mcp.stateless.refused')}: %s`, async (_title, body) => {
    const { status, json } = await send({ headers: { 'mcp-protocol-version': REVISION }, body });
    expect(status).toBe(400);
    expect(json).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } });
  });

  test.each([
    ['of one', [statelessCall('fixture_uncached').body]],
    ['with one element of this revision', [rpc('ping'), stateless('tools/list').body]],
    ['of notifications', [notification('notifications/cancelled', { _meta: STATELESS_META })]],
  ])(`${verifies('mcp.stateless.refused')}: a batch %s`, async (_title, body) => {
    for (const headers of [{}, ACCEPTS_EVENTS, stateless('tools/call').headers]) {
      const { status, json } = await send({ headers, body });
      expect(status).toBe(400);
      expect(json).toMatchObject({ jsonrpc: '2.0', error: { code: -32600 } });
    }
  });

  test(verifies('mcp.401'), async () => {
    const request = keyed(statelessCall('fixture_uncached'), 'tg_live_wrong');
    const { status, headers, json } = await sendRaw(gateway.url, request);
    expect([status, json.error]).toEqual([401, 'Unauthorized']);
    expect(headers['www-authenticate']).toMatch(/^Bearer/);
  });
});

describe('slow calls', () => {
  const hold = (): ServerResponse[] => {
    const held: ServerResponse[] = [];
    gateway.upstream.answer((_request, response) => void held.push(response));
    return held;
  };

  test(verifies('mcp.progress'), async () => {
    const held = hold();
    const { headers, body } = stateless('tools/call', { name: 'fixture_uncached' }, 'slow');
    const params = body.params as { _meta: object };
    params._meta = { ...params._meta, progressToken: 0 };
    const stream = await openRaw(
      gateway.url,
      keyed({ headers: { ...headers, ...ACCEPTS_EVENTS }, body }),
    );
    opened.push(stream);
    expect(stream.headers['content-type']).toMatch(/^text\/event-stream/);
    await until(() => stream.messages().length >= 2);
    held[0]?.setHeader('content-type', 'application/json').end('{"late":true}');
    await until(() => stream.hasEnded());
    const messages = stream.messages();
    const progressMessages = messages.slice(0, -1);
    for (const message of progressMessages) {
      expect(schemaIssues('ProgressNotification', message)).toEqual([]);
      expect(message.params.progressToken).toBe(0);
    }
    expect(progressMessages[1]?.params.progress).toBeGreaterThan(
      progressMessages[0]?.params.progress,
    );
    expect(messages.at(-1)).toMatchObject({
      id: 'slow',
      result: { resultType: 'complete', data: { late: true } },
    });
  });

  test.each([
    ['before anything was sent', false],
    ['while progress is reported', true],
  ])(`${verifies('mcp.stateless.cancel')}: %s`, async (_title, isTold) => {
    const held = hold();
    const record = await nextRecord('fixture_uncached', async () => {
      const { headers, body } = stateless('tools/call', { name: 'fixture_uncached' });
      const params = body.params as { _meta: object };
      params._meta = { ...params._meta, progressToken: 'p' };
      const request = keyed({ headers: { ...headers, ...ACCEPTS_EVENTS }, body });
      if (isTold) {
        const stream = await openRaw(gateway.url, request);
        await until(() => stream.messages().length > 0);
        stream.close();
      } else {
        const client = sendAndLeave(gateway.url, request);
        await until(() => held.length === 1);
        client.leave();
      }
      await until(() => held[0]?.destroyed === true);
    });
    expect(record).toMatchObject({
      dialect: 'stateless',
      outcome: 'error',
      error: { code: 'cancelled' },
    });
  });
});

describe('subscriptions/listen', () => {
  const TOOLS = { notifications: { toolsListChanged: true } };
  const listen = async (
    params: object = TOOLS,
    id: string | number = 'sub-1',
    key = gateway.key,
  ) => {
    const stream = await openRaw(
      gateway.url,
      keyed(stateless('subscriptions/listen', params, id), key),
    );
    opened.push(stream);
    return stream;
  };
  const allow = (id: string, tools: string) =>
    runGatewayCommand(['keys', 'allow', id, '--tools', tools], {
      DATA_DIR: join(gateway.place.dataDir, 'data'),
    });

  test.each(['sub-1', 0, 42])(
    `${verifies('mcp.listen.acknowledged', 'event.retry')}: id %j`,
    async (id) => {
      const stream = await listen(TOOLS, id);
      expect(stream.status).toBe(200);
      expect(stream.headers['content-type']).toMatch(/^text\/event-stream/);
      expect(stream.headers['x-accel-buffering']).toBe('no');
      await until(() => stream.messages().length > 0);
      expect(stream.text()).toMatch(/^retry: 3000\nevent: message\ndata: /);
      const [first] = stream.messages();
      expect(schemaIssues('SubscriptionsAcknowledgedNotification', first)).toEqual([]);
      expect(first).toMatchObject({
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: { toolsListChanged: true }, _meta: { [META.subscription]: id } },
      });
      stream.close();
    },
  );

  test(`${verifies('mcp.listen.acknowledged')}: only supported notifications`, async () => {
    const stream = await listen({
      notifications: {
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: ['file:///a'],
      },
    });
    await until(() => stream.messages().length > 0);
    expect(stream.messages()[0].params.notifications).toEqual({ toolsListChanged: true });
    stream.close();
  });

  test(verifies('mcp.listen.keepalive'), async () => {
    const stream = await listen();
    await until(() => stream.comments().length >= 2);
    expect(stream.messages()).toHaveLength(1);
    stream.close();
  });

  test(verifies('mcp.listen.changed'), async () => {
    const [mine, other] = [
      await gateway.createKey('default', { allowedTools: ['fixture_*'] }),
      await gateway.createKey('default', { allowedTools: ['fixture_*'] }),
    ];
    const ownStream = await listen(TOOLS, 'mine', mine.key);
    const otherStream = await listen(TOOLS, 'other', other.key);
    await until(() => ownStream.messages().length > 0 && otherStream.messages().length > 0);
    await allow(mine.id, 'fixture_cached');
    await until(() => ownStream.messages().length > 1);
    expect(ownStream.messages()[1]).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
      params: { _meta: { [META.subscription]: 'mine' } },
    });
    expect(schemaIssues('ToolListChangedNotification', ownStream.messages()[1])).toEqual([]);
    const list = await sendRaw(gateway.url, keyed(stateless('tools/list'), mine.key));
    expect(list.json.result.tools.map(({ name }: { name: string }) => name)).toEqual([
      'fixture_cached',
    ]);
    expect(otherStream.messages()).toHaveLength(1);
    for (const stream of [ownStream, otherStream]) stream.close();
  });

  test.each([{}, { notifications: 5 }, { notifications: null }, { notifications: [] }])(
    `${verifies('mcp.malformed-params')}: listen with %j`,
    async (params) => {
      const { status, json } = await send(stateless('subscriptions/listen', params));
      expect([status, json.error.code]).toEqual([200, -32602]);
    },
  );

  test(verifies('mcp.listen.revoked'), async () => {
    const { id, key } = await gateway.createKey('default');
    const stream = await listen(TOOLS, 'r', key);
    await until(() => stream.messages().length > 0);
    await gateway.revokeKey(id);
    await until(() => stream.hasEnded());
  });

  test(verifies('mcp.streams.limit'), async () => {
    const { key } = await gateway.createKey('default');
    const streams: RawStream[] = [];
    do streams.push(await listen(TOOLS, streams.length, key));
    while (streams.at(-1)?.status === 200);
    const refused = streams.pop();
    expect(streams).toHaveLength(100);
    expect(refused?.status).toBe(429);
    await until(() => refused?.hasEnded() === true);
    expect(refused?.text()).toMatch(/stream/);
    // Other keys and calls are unaffected, and closing a stream frees its slot.
    expect((await send(statelessCall('no_such_tool'))).status).toBe(200);
    streams.shift()?.close();
    await until(async () => {
      const next = await listen(TOOLS, 'next', key);
      streams.push(next);
      return next.status === 200;
    });
    for (const stream of streams) stream.close();
  });
});
