import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { runGatewayCommand } from '../support/gateway-process.ts';
import {
  openRaw,
  type RawRequest,
  type RawResponse,
  type RawStream,
  sendRaw,
} from '../support/raw-request.ts';
import { META, REVISION, rpc } from '../support/rpc-requests.ts';
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

describe('results', () => {
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
    runGatewayCommand(['keys', 'change', id, '--tools', tools], {
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
