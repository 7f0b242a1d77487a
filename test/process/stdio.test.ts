import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { connectSnippet } from '../../src/cli/connect/connect-clients.ts';
import { encodeSseEvent } from '../../src/events/sse-event.ts';
import { type FixtureUpstream, startFixtureUpstream } from '../support/fixture-upstream.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { runGatewayCommand } from '../support/gateway-process.ts';
import { freePort } from '../support/ports.ts';
import { until } from '../support/until.ts';
import { startBridge } from './stdio-host.ts';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

const request = (id: string | number, method: string, params: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

/** A request that stands alone, as 2026-07-28 has it. */
const stateless = (id: string | number, method: string, params: object = {}) =>
  request(id, method, { ...params, _meta: META });

const initialize = request('init', 'initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
});

const cancelled = (requestId: string | number) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
});

const UNCACHED = { name: 'fixture_uncached', arguments: {} };

/** What an upstream has not been answered yet, and whether its caller has gone meanwhile. */
interface HeldCall {
  readonly response: ServerResponse;
  gone: boolean;
}

/** Lets an upstream answer nothing until told. */
function hold(upstream: FixtureUpstream): HeldCall[] {
  const held: HeldCall[] = [];
  upstream.answer((_request, response) => {
    const call = { response, gone: false };
    held.push(call);
    response.once('close', () => {
      call.gone = !response.writableFinished;
    });
  });
  return held;
}

const answerJson = (response: ServerResponse | undefined, value: unknown): void => {
  response?.setHeader('content-type', 'application/json').end(JSON.stringify(value));
};

describe('stdio, before a gateway', () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.close());
  beforeEach(() => {
    gateway.upstream.answer((_request, response) => answerJson(response, { ok: true }));
    gateway.upstream.seen.length = 0;
  });

  const start = (...args: string[]) => startBridge(gateway.url, gateway.key, args);

  test('speaks the revisions with initialize', async () => {
    const host = start();
    host.send(initialize);
    expect((await host.answerTo('init')).result).toMatchObject({ protocolVersion: '2025-11-25' });
    host.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    host.send(request(1, 'tools/list'), request(2, 'tools/call', UNCACHED));
    const { tools } = (await host.answerTo(1)).result;
    expect(tools.length).toBeGreaterThan(70);
    expect((await host.answerTo(2)).result.structuredContent).toEqual({ ok: true });
    expect(host.messages()).toHaveLength(3);
  });

  test('speaks the revision without, and names that no header can carry', async () => {
    const host = start();
    host.send(stateless(1, 'server/discover'), stateless(2, 'tools/call', UNCACHED));
    host.send(stateless(3, 'tools/call', { name: '없는 도구', arguments: {} }));
    host.send(stateless(4, 'no/such/method'));
    expect((await host.answerTo(1)).result.supportedVersions).toContain('2026-07-28');
    expect((await host.answerTo(2)).result).toMatchObject({ resultType: 'complete' });
    expect((await host.answerTo(3)).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('없는 도구'),
    });
    expect((await host.answerTo(4)).error?.code).toBe(-32601);
  });

  test('tells of a key that is refused and what to do, without the key', async () => {
    const key = `tg_live_${'x'.repeat(43)}`;
    const host = startBridge(gateway.url, key);
    host.send(initialize);
    const { error } = await host.answerTo('init');
    expect(error?.code).toBe(-32600);
    expect(error?.message).toMatch(/401.*TOOL_GATEWAY_API_KEY/);
    host.end();
    expect(await host.ended).toBe(0);
    expect(host.stderr() + JSON.stringify(host.messages())).not.toContain(key);
  });

  test('answers calls as they are done, not as they came', async () => {
    const held = hold(gateway.upstream);
    const host = start();
    host.send(request('slow', 'tools/call', UNCACHED), request('quick', 'tools/list'));
    await host.answerTo('quick');
    await until(() => held.length === 1);
    expect(host.messages()).toHaveLength(1);
    answerJson(held[0]?.response, { ok: 1 });
    await host.answerTo('slow');
  });

  test('lets a call end that its host cancels, and the upstream know', async () => {
    const held = hold(gateway.upstream);
    const host = start();
    host.send(stateless(1, 'tools/call', UNCACHED));
    await until(() => held.length === 1);
    host.send(cancelled(1));
    await until(() => held[0]?.gone === true);
    host.send(request(2, 'tools/list'));
    await host.answerTo(2);
    host.end();
    expect(await host.ended).toBe(0);
    expect(host.messages()).toHaveLength(1);
    expect(host.stderr()).not.toContain('broke');
  });

  test('holds a subscription open, and lets it go when the host ends', async () => {
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
    await host.answerTo(1);
    host.end();
    expect(await host.ended).toBe(0);
    expect(host.messages()).toHaveLength(2);
  });

  test('shows no more than it is told to', async () => {
    const host = start('--tools', 'fixture_*', '--category', 'fixture');
    host.send(request(1, 'tools/list'));
    const { tools } = (await host.answerTo(1)).result;
    expect(tools.length).toBeGreaterThan(0);
    for (const { name } of tools) expect(name).toMatch(/^fixture_/);
  });

  test('answers what is under way when the host ends, and then ends too', async () => {
    const held = hold(gateway.upstream);
    const host = start();
    host.send(request(1, 'tools/call', UNCACHED));
    host.end();
    await until(() => held.length === 1);
    answerJson(held[0]?.response, { ok: 1 });
    expect(await host.ended).toBe(0);
    expect(host.messages()).toMatchObject([{ id: 1, result: { structuredContent: { ok: 1 } } }]);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('ends at %s while a call hangs', async (signal) => {
    const held = hold(gateway.upstream);
    const host = start();
    host.send(stateless(1, 'tools/call', UNCACHED));
    await until(() => held.length === 1);
    host.kill(signal);
    expect(await host.ended).toBe(0);
    expect(host.messages()).toEqual([]);
    await until(() => held[0]?.gone === true);
  });

  describe.each(['legacy', 'auto'] as const)('with the SDK client, %s', (mode) => {
    test('connects, lists, calls, hears of progress and leaves', async () => {
      const { args, command, env } = JSON.parse(
        connectSnippet('stdio', { url: gateway.url, key: gateway.key }),
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
      await until(() => progress.length > 0);
      answerJson(held[0]?.response, { ok: 2 });
      expect((await call).structuredContent).toEqual({ ok: 2 });
    });
  });
});

describe('stdio, before what a network can make of a gateway', () => {
  let standIn: FixtureUpstream;

  beforeEach(async () => {
    standIn = await startFixtureUpstream();
    onTestFinished(() => standIn.close());
  });

  const start = () => startBridge(standIn.url, 'a-key');

  test('says in headers what a message says of itself', async () => {
    standIn.answer(({ body }, response) => {
      const { id } = JSON.parse(body);
      if (id === undefined) return void response.writeHead(202).end();
      answerJson(response, { jsonrpc: '2.0', id, result: { protocolVersion: '2025-06-18' } });
    });
    const host = start();
    host.send(initialize);
    await host.answerTo('init');
    host.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await until(() => standIn.seen.length === 2);
    const names = ['plain_name', '없음', ' padded', '=?base64?eA==?=', 'two\nlines', ''];
    for (const [id, name] of names.entries()) {
      host.send(stateless(id, 'tools/call', { name, arguments: {} }));
      await host.answerTo(id);
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

  test('passes on a message as it was written, and an answer on one line', async () => {
    standIn.answer((_request, response) => {
      response.setHeader('content-type', 'application/json; charset=utf-8');
      response.end('{"jsonrpc":"2.0",\r\n "id":1,\n"result":{"exact":12345678901234567890.10}}\n');
    });
    const host = start();
    const line = '{"jsonrpc": "2.0", "id": 1, "method": "x", "params": {"n": 1.0, "한": "글"}}';
    host.send(line);
    await host.answerTo(1);
    expect(standIn.seen[0]?.body).toBe(line);
    expect(host.messages()).toHaveLength(1);
  });

  test('passes on every message of an event stream as it comes', async () => {
    const held = hold(standIn);
    const host = start();
    host.send(request(1, 'tools/call'));
    await until(() => held.length === 1);
    const response = held[0]?.response;
    response?.writeHead(200, { 'content-type': 'text/event-stream' });
    const note = { jsonrpc: '2.0', method: 'notifications/progress', params: {} };
    response?.write(
      `id: 1\ndata: \n\n: keepalive\n\n${encodeSseEvent('message', JSON.stringify(note))}`,
    );
    await until(() => host.messages().length === 1);
    response?.end(encodeSseEvent('message', '{"jsonrpc":"2.0","id":1,"result":{}}'));
    await host.answerTo(1);
    expect(host.messages()).toHaveLength(2);
  });

  test('tells earlier revisions of a cancelling too', async () => {
    const held: ServerResponse[] = [];
    standIn.answer(({ body }, response) => {
      if (JSON.parse(body).method === 'tools/call') held.push(response);
      else response.writeHead(202).end();
    });
    const host = start();
    host.send(request('a', 'tools/call', UNCACHED));
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
    host.send(request(1, 'ping'), { jsonrpc: '2.0', method: 'notifications/x' });
    const { error } = await host.answerTo(1);
    expect(error?.code).toBe(code);
    expect(error?.message).toContain(words);
    host.end();
    await host.ended;
    expect(host.messages()).toHaveLength(1);
  });

  test('answers every request of a batch that is refused', async () => {
    standIn.answer((_request, response) => void response.writeHead(503).end());
    const host = start();
    host.send([request(1, 'ping'), { jsonrpc: '2.0', method: 'x' }, request('b', 'ping')]);
    expect((await host.answerTo(1)).error?.code).toBe(-32000);
    expect((await host.answerTo('b')).error?.code).toBe(-32000);
  });

  test('tells of a connection that breaks, before an answer and within', async () => {
    const host = start();
    standIn.answer((_request, response) => void response.destroy());
    host.send(request(1, 'ping'));
    expect((await host.answerTo(1)).error?.message).toContain('broke');
    host.send(request('large', 'ping', { padding: 'x'.repeat(2 * 1024 * 1024) }));
    expect((await host.answerTo('large')).error?.message).toContain('MAX_BODY_BYTES');
    standIn.answer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': so far\n\n', () => response.destroy());
    });
    host.send(request(2, 'ping'));
    expect((await host.answerTo(2)).error?.message).toContain('broke');
  });

  test('tells of no gateway, and finds it once it is there', async () => {
    const port = await freePort();
    const host = startBridge(`http://127.0.0.1:${port}`, 'a-key');
    host.send(request(1, 'ping'));
    const { error } = await host.answerTo(1);
    expect(error).toMatchObject({ code: -32000, data: { reason: 'unreachable' } });
    expect(error?.message).toMatch(/No gateway answers at http.*npm start/);
    const late = createServer((_request, response) =>
      answerJson(response, { jsonrpc: '2.0', id: 2, result: {} }),
    ).listen(port, '127.0.0.1');
    onTestFinished(() => void late.close().closeAllConnections());
    await once(late, 'listening');
    host.send(request(2, 'ping'));
    expect((await host.answerTo(2)).result).toEqual({});
  });

  test('answers lines that are no messages, and goes on', async () => {
    standIn.answer(({ body }, response) => {
      if (body.startsWith('{')) return answerJson(response, { jsonrpc: '2.0', id: 1, result: {} });
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
    host.send(request(1, 'ping'));
    await host.answerTo(1);
    expect(host.messages().map(({ id, error }) => [id, error?.code])).toEqual([
      [null, -32700],
      [null, -32600],
      [null, -32600],
      [1, undefined],
    ]);
    expect(host.messages()[2]?.error?.message).toContain('8 MiB');
  });

  test('asks for no more answers than its host reads', async () => {
    const text = 'x'.repeat(256 * 1024);
    standIn.answer(({ body }, response) => {
      answerJson(response, { jsonrpc: '2.0', id: JSON.parse(body).id, result: { text } });
    });
    const host = start();
    host.pause();
    const ids = Array.from({ length: 400 }, (_, id) => id);
    // Longer than a pipe holds, so that the bridge cannot have read them all at once.
    host.send(...ids.map((id) => request(id, 'ping', { padding: 'x'.repeat(2000) })));
    host.end();
    let seen = -1;
    await expect
      .poll(
        () => {
          const stands = seen === standIn.seen.length && seen > 0;
          seen = standIn.seen.length;
          return stands;
        },
        { interval: 300, timeout: 20_000 },
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
