import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { connectSnippet } from '../../src/access/connect/connect-clients.ts';
import { encodeSseEvent } from '../../src/events/event-stream.ts';
import { type FixtureUpstream, startFixtureUpstream } from '../support/fixture-upstream.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { runGatewayCommand } from '../support/gateway-process.ts';
import { freePort } from '../support/ports.ts';
import {
  INITIALIZED,
  initializeAs,
  notification,
  rpc,
  statelessMeta,
} from '../support/rpc-requests.ts';
import { until } from '../support/until.ts';
import { startBridge } from './stdio-host.ts';

/** A request of 2026-07-28, which needs no earlier one. */
const stateless = (id: string | number, method: string, params: object = {}) =>
  rpc(method, { ...params, _meta: statelessMeta('test') }, id);

const initialize = initializeAs('test')('2025-11-25', 'init');

const cancelled = (requestId: string | number) =>
  notification('notifications/cancelled', { requestId });

const UNCACHED = { name: 'fixture_uncached', arguments: {} };

/** A request to which the upstream has not responded yet. */
interface HeldCall {
  readonly response: ServerResponse;
  aborted: boolean;
}

/** Holds every request to an upstream until the test responds. */
function hold(upstream: FixtureUpstream): HeldCall[] {
  const held: HeldCall[] = [];
  upstream.answer((_request, response) => {
    const call = { response, aborted: false };
    held.push(call);
    response.once('close', () => {
      call.aborted = !response.writableFinished;
    });
  });
  return held;
}

const respondJson = (response: ServerResponse | undefined, value: unknown): void => {
  response?.setHeader('content-type', 'application/json').end(JSON.stringify(value));
};

describe('stdio, in front of a gateway', () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.close());
  beforeEach(() => {
    gateway.upstream.answer((_request, response) => respondJson(response, { ok: true }));
    gateway.upstream.seen.length = 0;
  });

  const start = (...args: string[]) => startBridge(gateway.url, gateway.key, args);

  test('speaks the revisions with initialize', async () => {
    const host = start();
    host.send(initialize);
    expect((await host.responseTo('init')).result).toMatchObject({ protocolVersion: '2025-11-25' });
    host.send(INITIALIZED);
    host.send(rpc('tools/list', {}, 1), rpc('tools/call', UNCACHED, 2));
    const { tools } = (await host.responseTo(1)).result;
    expect(tools.length).toBeGreaterThan(70);
    expect((await host.responseTo(2)).result.data).toEqual({ ok: true });
    expect(host.messages()).toHaveLength(3);
  });

  test('speaks the revision without initialize, and encodes names that no header can carry', async () => {
    const host = start();
    host.send(stateless(1, 'server/discover'), stateless(2, 'tools/call', UNCACHED));
    host.send(stateless(3, 'tools/call', { name: '없는 도구', arguments: {} }));
    host.send(stateless(4, 'no/such/method'));
    expect((await host.responseTo(1)).result.supportedVersions).toContain('2026-07-28');
    expect((await host.responseTo(2)).result).toMatchObject({ resultType: 'complete' });
    expect((await host.responseTo(3)).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('없는 도구'),
    });
    expect((await host.responseTo(4)).error?.code).toBe(-32601);
  });

  test('ignores a byte order mark, which some shells write first', async () => {
    const host = start();
    host.send(`\uFEFF${JSON.stringify(initialize)}`, rpc('ping', {}, 1));
    expect((await host.responseTo('init')).result).toMatchObject({ protocolVersion: '2025-11-25' });
    expect((await host.responseTo(1)).result).toEqual({});
  });

  test('reports a refused key and what to do, without showing the key', async () => {
    const key = `tg_live_${'x'.repeat(43)}`;
    const host = startBridge(gateway.url, key);
    host.send(initialize);
    const { error } = await host.responseTo('init');
    expect(error?.code).toBe(-32600);
    expect(error?.message).toMatch(/401.*TOOL_GATEWAY_API_KEY/);
    host.end();
    expect(await host.ended).toBe(0);
    expect(host.stderr() + JSON.stringify(host.messages())).not.toContain(key);
  });

  test('answers calls in the order in which they finish', async () => {
    const held = hold(gateway.upstream);
    const host = start();
    host.send(rpc('tools/call', UNCACHED, 'slow'), rpc('tools/list', {}, 'quick'));
    await host.responseTo('quick');
    await until(() => held.length === 1);
    expect(host.messages()).toHaveLength(1);
    respondJson(held[0]?.response, { ok: 1 });
    await host.responseTo('slow');
  });

  test('cancels a call, up to the upstream request, when its host does', async () => {
    const held = hold(gateway.upstream);
    const host = start();
    host.send(stateless(1, 'tools/call', UNCACHED));
    await until(() => held.length === 1);
    host.send(cancelled(1));
    await until(() => held[0]?.aborted === true);
    host.send(rpc('tools/list', {}, 2));
    await host.responseTo(2);
    host.end();
    expect(await host.ended).toBe(0);
    expect(host.messages()).toHaveLength(1);
    expect(host.stderr()).not.toContain('broke');
  });

  test('keeps a subscription open, and closes it when the host ends', async () => {
    const host = start();
    host.send(
      stateless('sub', 'subscriptions/listen', { notifications: { toolsListChanged: true } }),
    );
    await until(() => host.messages().length === 1);
    expect(host.messages()[0]).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true } },
    });
    host.send(stateless(1, 'tools/list'));
    await host.responseTo(1);
    host.end();
    expect(await host.ended).toBe(0);
    expect(host.messages()).toHaveLength(2);
  });

  test('lists only the tools that its options select', async () => {
    const host = start('--tools', 'fixture_*', '--category', 'fixture');
    host.send(rpc('tools/list', {}, 1));
    const { tools } = (await host.responseTo(1)).result;
    expect(tools.length).toBeGreaterThan(0);
    for (const { name } of tools) expect(name).toMatch(/^fixture_/);
  });

  test('answers calls in progress when the host ends, and then ends itself', async () => {
    const held = hold(gateway.upstream);
    const host = start();
    host.send(rpc('tools/call', UNCACHED, 1));
    host.end();
    await until(() => held.length === 1);
    respondJson(held[0]?.response, { ok: 1 });
    expect(await host.ended).toBe(0);
    expect(host.messages()).toMatchObject([{ id: 1, result: { data: { ok: 1 } } }]);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('ends at %s while a call hangs', async (signal) => {
    const held = hold(gateway.upstream);
    const host = start();
    host.send(stateless(1, 'tools/call', UNCACHED));
    await until(() => held.length === 1);
    host.kill(signal);
    expect(await host.ended).toBe(0);
    expect(host.messages()).toEqual([]);
    await until(() => held[0]?.aborted === true);
  });

  describe.each(['legacy', 'auto'] as const)('with the SDK client, %s', (mode) => {
    test('connects, lists, calls, receives progress and disconnects', async () => {
      const { args, command, env } = JSON.parse(
        connectSnippet('stdio', {
          url: gateway.url,
          key: gateway.key,
          command: [process.execPath, resolve(import.meta.dirname, '../../src/main.ts')],
        }),
      ).mcpServers['tool-gateway'];
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      onTestFinished(() => client.close());
      await client.connect(new StdioClientTransport({ command, args, env, stderr: 'ignore' }));
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain('fixture_uncached');
      const held = hold(gateway.upstream);
      const progress: number[] = [];
      const call = client.callTool(UNCACHED, {
        onprogress: (event) => progress.push(event.progress),
      });
      await until(() => progress.length > 0 && held.length > 0);
      respondJson(held[0]?.response, { ok: 2 });
      expect((await call)['data']).toEqual({ ok: 2 });
    });
  });
});

describe('stdio, in front of an unreliable gateway', () => {
  let standIn: FixtureUpstream;

  beforeEach(async () => {
    standIn = await startFixtureUpstream();
    onTestFinished(() => standIn.close());
  });

  const start = () => startBridge(standIn.url, 'a-key');

  test('repeats in headers what a message declares', async () => {
    standIn.answer(({ body }, response) => {
      const { id } = JSON.parse(body);
      if (id === undefined) return void response.writeHead(202).end();
      respondJson(response, { jsonrpc: '2.0', id, result: { protocolVersion: '2025-06-18' } });
    });
    const host = start();
    host.send(initialize);
    await host.responseTo('init');
    host.send(INITIALIZED);
    await until(() => standIn.seen.length === 2);
    const names = ['plain_name', '없음', ' padded', '=?base64?eA==?=', 'two\nlines', ''];
    for (const [id, name] of names.entries()) {
      host.send(stateless(id, 'tools/call', { name, arguments: {} }));
      await host.responseTo(id);
    }
    const of = (name: string) => standIn.seen.map(({ headers }) => headers[name]);
    expect(new Set(of('x-api-key'))).toEqual(new Set(['a-key']));
    expect(new Set(of('accept'))).toEqual(new Set(['application/json, text/event-stream']));
    expect(of('mcp-protocol-version').slice(0, 3)).toEqual([undefined, '2025-06-18', '2026-07-28']);
    expect(of('mcp-method').slice(0, 3)).toEqual([undefined, undefined, 'tools/call']);
    expect(of('mcp-name').slice(2)).toEqual([
      'plain_name',
      '=?base64?7JeG7J2M?=',
      '=?base64?IHBhZGRlZA==?=',
      '=?base64?PT9iYXNlNjQ/ZUE9PT89?=',
      '=?base64?dHdvCmxpbmVz?=',
      '',
    ]);
  });

  test('forwards a message unchanged, and a response on one line', async () => {
    standIn.answer((_request, response) => {
      response.setHeader('content-type', 'application/json; charset=utf-8');
      response.end('{"jsonrpc":"2.0",\r\n "id":1,\n"result":{"exact":12345678901234567890.10}}\n');
    });
    const host = start();
    const line = '{"jsonrpc": "2.0", "id": 1, "method": "x", "params": {"n": 1.0, "한": "글"}}';
    host.send(line);
    await host.responseTo(1);
    expect(standIn.seen[0]?.body).toBe(line);
    expect(host.messages()).toHaveLength(1);
  });

  test('forwards every message of an event stream as it arrives', async () => {
    const held = hold(standIn);
    const host = start();
    host.send(rpc('tools/call', {}, 1));
    await until(() => held.length === 1);
    const response = held[0]?.response;
    response?.writeHead(200, { 'content-type': 'text/event-stream' });
    const note = { jsonrpc: '2.0', method: 'notifications/progress', params: {} };
    response?.write(
      `id: 1\ndata: \n\n: keepalive\n\n${encodeSseEvent('message', JSON.stringify(note))}`,
    );
    await until(() => host.messages().length === 1);
    response?.end(encodeSseEvent('message', '{"jsonrpc":"2.0","id":1,"result":{}}'));
    await host.responseTo(1);
    expect(host.messages()).toHaveLength(2);
  });

  test('also forwards a cancellation of earlier revisions', async () => {
    const held: ServerResponse[] = [];
    standIn.answer(({ body }, response) => {
      if (JSON.parse(body).method === 'tools/call') held.push(response);
      else response.writeHead(202).end();
    });
    const host = start();
    host.send(rpc('tools/call', UNCACHED, 'a'));
    await until(() => held.length === 1);
    host.send(cancelled('a'));
    await until(() => held[0]?.destroyed === true && standIn.seen.length === 2);
    expect(JSON.parse(standIn.seen[1]?.body ?? '')).toEqual(cancelled('a'));
    expect(host.messages()).toEqual([]);
  });

  test.each([
    [400, '{"jsonrpc":"2.0","id":null,"error":{"code":-32020,"message":"No."}}', -32020, 'No.'],
    [403, '{"error":"Forbidden","message":"Not from there."}', -32600, '403: Not from there. '],
    [404, '<html>', -32600, '--url'],
    [413, '{"error":"Payload Too Large","message":"Too large."}', -32600, 'MAX_BODY_BYTES'],
    [429, '{"error":"Too Many Requests","message":"Retry in 7 s."}', -32600, 'Retry in 7 s.'],
    [500, '', -32000, 'Retry'],
    [502, '<html>', -32000, 'Retry'],
    [301, '', -32600, '--url'],
    [200, '<html>', -32600, '--url'],
    [200, '{"ok":true}', -32600, '--url'],
    [200, 'a-key', -32600, '--url'],
    [503, '{"error":"x","message":"The key a-key."}', -32000, 'The key [redacted].'],
  ])('makes status %i with %s an error that says what to do', async (status, body, code, words) => {
    standIn.answer((_request, response) => {
      const type = body.startsWith('<') ? 'text/html' : 'application/json';
      response.writeHead(status, { 'content-type': type }).end(body);
    });
    const host = start();
    host.send(rpc('ping', {}, 1), notification('notifications/x'));
    const { error } = await host.responseTo(1);
    expect(error?.code).toBe(code);
    expect(error?.message).toContain(words);
    host.end();
    await host.ended;
    expect(host.messages()).toHaveLength(1);
  });

  test('answers every request of a batch that is refused', async () => {
    standIn.answer((_request, response) => void response.writeHead(503).end());
    const host = start();
    host.send([rpc('ping', {}, 1), { jsonrpc: '2.0', method: 'x' }, rpc('ping', {}, 'b')]);
    expect((await host.responseTo(1)).error?.code).toBe(-32000);
    expect((await host.responseTo('b')).error?.code).toBe(-32000);
  });

  test('reports a connection that breaks before or during a response', async () => {
    const host = start();
    standIn.answer((_request, response) => void response.destroy());
    host.send(rpc('ping', {}, 1));
    expect((await host.responseTo(1)).error?.message).toContain('broke');
    host.send(rpc('ping', { padding: 'x'.repeat(2 * 1024 * 1024) }, 'large'));
    expect((await host.responseTo('large')).error?.message).toContain('MAX_BODY_BYTES');
    standIn.answer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': so far\n\n', () => response.destroy());
    });
    host.send(rpc('ping', {}, 2));
    expect((await host.responseTo(2)).error?.message).toContain('broke');
  });

  test('reports an unreachable gateway, and connects once it is available', async () => {
    const port = await freePort();
    const host = startBridge(`http://127.0.0.1:${port}`, 'a-key');
    host.send(rpc('ping', {}, 1));
    const { error } = await host.responseTo(1);
    expect(error).toMatchObject({ code: -32000, data: { reason: 'unreachable' } });
    expect(error?.message).toMatch(/No gateway responds at http.*npm start/);
    const late = createServer((_request, response) =>
      respondJson(response, { jsonrpc: '2.0', id: 2, result: {} }),
    ).listen(port, '127.0.0.1');
    onTestFinished(() => void late.close().closeAllConnections());
    await once(late, 'listening');
    host.send(rpc('ping', {}, 2));
    expect((await host.responseTo(2)).result).toEqual({});
  });

  test('answers lines that are not messages, and continues', async () => {
    standIn.answer(({ body }, response) => {
      if (body.startsWith('{')) return respondJson(response, { jsonrpc: '2.0', id: 1, result: {} });
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"No."}}');
    });
    const host = start();
    host.send('not JSON');
    await until(() => host.messages().length === 1);
    host.send('', ' \r', '42');
    await until(() => host.messages().length === 2);
    host.send('x'.repeat(9 * 1024 * 1024));
    await until(() => host.messages().length === 3);
    host.send(rpc('ping', {}, 1));
    await host.responseTo(1);
    expect(host.messages().map(({ id, error }) => [id, error?.code])).toEqual([
      [null, -32700],
      [null, -32600],
      [null, -32600],
      [1, undefined],
    ]);
    expect(host.messages()[2]?.error?.message).toContain('8 MiB');
  });

  test('requests no more responses than its host reads', async () => {
    const text = 'x'.repeat(256 * 1024);
    standIn.answer(({ body }, response) => {
      respondJson(response, { jsonrpc: '2.0', id: JSON.parse(body).id, result: { text } });
    });
    const host = start();
    host.pause();
    const ids = Array.from({ length: 400 }, (_, id) => id);
    // More than a pipe holds, so that the bridge cannot read them all at once.
    host.send(...ids.map((id) => rpc('ping', { padding: 'x'.repeat(2000) }, id)));
    host.end();
    let seen = -1;
    await expect
      .poll(
        () => {
          const stands = seen === standIn.seen.length && seen > 0;
          seen = standIn.seen.length;
          return stands;
        },
        { interval: 300 },
      )
      .toBe(true);
    expect(seen).toBeLessThan(ids.length);
    host.resume();
    expect(await host.ended).toBe(0);
    expect(
      host
        .messages()
        .map(({ id }) => Number(id))
        .sort((a, b) => a - b),
    ).toEqual(ids);
    expect(host.messages().filter(({ error }) => error)).toEqual([]);
    for (const { result } of host.messages()) expect(result.text).toHaveLength(text.length);
  });
});

test('stdio does not start without a key or an address', async () => {
  const run = (...args: string[]) => runGatewayCommand(['stdio', ...args], {});
  expect(await run()).toEqual({
    code: 1,
    stdout: '',
    stderr: 'Give an API key with --key or TOOL_GATEWAY_API_KEY.\n',
  });
  for (const url of [
    'nonsense',
    'ftp://x',
    'http://a:b@127.0.0.1',
    'http://127.0.0.1/mcp?tools=a',
  ]) {
    const { code, stdout, stderr } = await run('--key', 'a-key', '--url', url);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/address/);
    expect(stderr).not.toMatch(/a-key|a:b@/);
  }
});
