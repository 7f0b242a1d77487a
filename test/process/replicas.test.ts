import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_ENV, signIn } from '../support/admin-client.ts';
import { connectHost, consent, redeem, registerHost } from '../support/oauth-host.ts';
import { canHaveReplicas, type Replicas, startReplicas } from '../support/replicas.ts';
import { notification, rpc, toolCall } from '../support/rpc-requests.ts';
import { openSse, type SseClient } from '../support/sse-client.ts';
import { until } from '../support/until.ts';

const respond = (response: ServerResponse, json: string): void =>
  void response.setHeader('content-type', 'application/json').end(json);

describe.runIf(canHaveReplicas)('two replicas', () => {
  let replicas: Replicas;
  let urls: readonly [string, string];
  let key: string;
  const open: SseClient[] = [];

  beforeAll(async () => {
    replicas = await startReplicas(ADMIN_ENV);
    const [first, second] = replicas.gateways;
    urls = [first.url, second.url];
    key = first.key;
  });
  afterEach(() => {
    for (const stream of open.splice(0)) stream.close();
    replicas.upstream.answer((_request, response) => respond(response, '{"ok":true}'));
  });
  afterAll(() => replicas.close());

  async function listen(url: string, as = key, query = ''): Promise<SseClient> {
    const stream = await openSse(url, as, query);
    open.push(stream);
    return stream;
  }

  async function post(url: string, body: object, as = key) {
    const response = await fetch(`${url}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': as },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  }

  const callAt = async (url: string, args: object = {}, as = key): Promise<string> => {
    const { text } = await post(`${url}/mcp`, toolCall('fixture_uncached', args, 1), as);
    return JSON.parse(text).result.auditId;
  };
  const ping = (url: string, as: string) => post(`${url}/mcp`, rpc('ping'), as);
  const auditIds = (stream: SseClient): string[] =>
    stream.messages().flatMap(({ params }) => params?.auditId ?? []);
  /** The address to which a client of HTTP+SSE posts, at another replica than that of its stream. */
  const sessionAt = (url: string, stream: SseClient): string =>
    new URL(stream.events[1]?.data ?? '', `${url}/mcp/sse`).href;

  test('tell each other the events of a tenant, once, in order, and no other tenant', async () => {
    const other = await replicas.createKey('--tenant', 'other');
    const here = await listen(urls[0]);
    const there = await listen(urls[1]);
    const foreign = [await listen(urls[0], other), await listen(urls[1], other)];
    const ids = [await callAt(urls[1]), await callAt(urls[0]), await callAt(urls[1])];
    await until(() => auditIds(here).length >= 3 && auditIds(there).length >= 3);
    const last = await callAt(urls[1], {}, other);
    await until(() => foreign.every((stream) => auditIds(stream).length > 0));
    expect(auditIds(here).toSorted()).toEqual(ids.toSorted());
    expect(auditIds(there).toSorted()).toEqual(ids.toSorted());
    expect(foreign.map(auditIds)).toEqual([[last], [last]]);
  });

  test('redeem a code of the other, once, and end a grant everywhere', async () => {
    const [first, second] = [{ url: urls[0] }, { url: urls[1] }];
    const browser = await signIn(first);
    const host = await registerHost(first);
    // The other has loaded its authorization server, too: a code that is used again after a second ends the grant.
    await registerHost(second);
    const code = (await consent(first, browser, host)).searchParams.get('code') ?? '';
    const all = await Promise.all(
      [second, first, second, first, second].map((gateway) => redeem(gateway, host, code)),
    );
    const won = all.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    const pingWith = async (url: string, token: string) =>
      (
        await fetch(`${url}/mcp`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
          body: JSON.stringify(rpc('ping')),
        })
      ).status;
    const token = won[0]?.body.access_token;
    expect(await pingWith(urls[0], token)).toBe(200);
    expect(await pingWith(urls[1], token)).toBe(200);
    const { accessToken } = await connectHost(second, await signIn(second));
    expect(await pingWith(urls[0], accessToken)).toBe(200);
    const { apps } = (await browser.ask('GET /me/apps')).body;
    for (const { id } of apps) await browser.ask(`DELETE /me/apps/${id}`);
    expect(await pingWith(urls[0], token)).toBe(401);
    const began = performance.now();
    await until(async () => (await pingWith(urls[1], token)) === 401);
    await until(async () => (await pingWith(urls[1], accessToken)) === 401);
    expect(performance.now() - began).toBeLessThan(5000);
  });

  test('send an event for one client to that stream alone, wherever it is', async () => {
    const [named, silent] = [await listen(urls[0]), await listen(urls[0])];
    const id = await callAt(urls[1], { _clientId: named.clientId });
    await until(() => auditIds(named).length > 0);
    const next = await callAt(urls[1]);
    await until(() => auditIds(silent).length > 0);
    expect([auditIds(named), auditIds(silent)]).toEqual([[id, next], [next]]);
  });

  test('tell a stream nothing of tools that its key may not use', async () => {
    const limited = await replicas.createKey('--tenant', 'default', '--tools', 'fixture_cached');
    const stream = await listen(urls[0], limited);
    await callAt(urls[1]);
    const body = toolCall('fixture_cached', { n: 1 }, 1);
    const { text } = await post(`${urls[1]}/mcp`, body);
    await until(() => auditIds(stream).length > 0);
    expect(auditIds(stream)).toEqual([JSON.parse(text).result.auditId]);
  });

  test('answer the messages of a session whose stream the other holds', async () => {
    const stream = await listen(urls[0]);
    await until(() => stream.events.length >= 2);
    const address = sessionAt(urls[1], stream);
    const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'c' } };
    expect(await post(address, rpc('initialize', params, 1))).toEqual({ status: 202, text: '' });
    await until(() => stream.messages().some(({ id }) => id === 1));
    // Several pieces, between which other frames must not come.
    const large = JSON.stringify({ text: 'x'.repeat(900_000) });
    replicas.upstream.answer((_request, response) => respond(response, large));
    await post(address, toolCall('fixture_uncached', {}, 2));
    await post(sessionAt(urls[0], stream), rpc('tools/list', {}, 3));
    await until(() => [2, 3].every((id) => stream.messages().some((each) => each.id === id)));
    const answer = stream.messages().find(({ id }) => id === 2);
    expect(JSON.stringify(answer).length).toBeGreaterThan(900_000);
  });

  test('do not answer the messages of a session to another key, or once the stream is closed', async () => {
    const stream = await listen(urls[0]);
    await until(() => stream.events.length >= 2);
    const address = sessionAt(urls[1], stream);
    const sameTenant = await replicas.createKey('--tenant', 'default');
    expect((await post(address, rpc('ping', {}, 1), sameTenant)).status).toBe(404);
    expect((await post(address, rpc('ping', {}, 1))).status).toBe(202);
    stream.close();
    await until(async () => (await post(address, rpc('ping', {}, 2))).status === 404);
  });

  test('cancel a request that the other runs, and every request when the stream closes', async () => {
    const held: ServerResponse[] = [];
    replicas.upstream.answer((_request, response) => void held.push(response));
    const stream = await listen(urls[0]);
    await until(() => stream.events.length >= 2);
    await post(sessionAt(urls[1], stream), toolCall('fixture_uncached', {}, 'a'));
    await until(() => held.length === 1);
    const cancelled = notification('notifications/cancelled', { requestId: 'a' });
    await post(sessionAt(urls[0], stream), cancelled);
    await until(() => held[0]?.destroyed === true);
    await post(sessionAt(urls[0], stream), toolCall('fixture_uncached', {}, 'b'));
    await until(() => held.length === 2);
    const second = notification('notifications/cancelled', { requestId: 'b' });
    await post(sessionAt(urls[1], stream), second);
    await until(() => held[1]?.destroyed === true);
    await post(sessionAt(urls[1], stream), toolCall('fixture_uncached', {}, 'c'));
    await until(() => held.length === 3);
    stream.close();
    await until(() => held[2]?.destroyed === true);
  });

  test('show the record of a call as soon as the other has answered it, singly and in lists', async () => {
    for (let n = 0; n < 10; n++) {
      const id = await callAt(urls[1]);
      const read = async (path: string) => {
        const response = await fetch(`${urls[0]}${path}`, { headers: { 'x-api-key': key } });
        // biome-ignore lint/suspicious/noExplicitAny: the shape is under test.
        return { status: response.status, body: (await response.json()) as any };
      };
      const [list, single] = await Promise.all([
        read('/api/v1/audit?limit=1'),
        read(`/api/v1/audit/${id}`),
      ]);
      expect(list.body.records[0].auditId).toBe(id);
      expect(single.status).toBe(200);
    }
  });

  test('send at most one request each for equal calls, and share the response from then on', async () => {
    const before = replicas.upstream.seen.length;
    replicas.upstream.answer((_request, response) => {
      setTimeout(() => respond(response, '{"ok":true}'), 300);
    });
    const calls = Array.from({ length: 50 }, (_, n) =>
      post(`${urls[n % 2 === 0 ? 0 : 1]}/mcp`, toolCall('fixture_cached', { n: 77 }, n)),
    );
    const results = (await Promise.all(calls)).map(({ text }) => JSON.parse(text).result);
    expect(results.filter((result) => result?.auditId)).toHaveLength(50);
    const sent = replicas.upstream.seen.length - before;
    expect(sent).toBeLessThanOrEqual(2);
    expect(results.filter(({ cacheStatus }) => cacheStatus === 'MISS')).toHaveLength(sent);
  });

  test.each([
    { option: '--rate-limit', limit: 300, most: 450 },
    { option: '--daily-limit', limit: 400, most: 404 },
  ])('admit together what a key may: $option $limit', async ({ option, limit, most }) => {
    const limited = await replicas.createKey('--tenant', 'default', option, `${limit}`);
    await until(async () => {
      const statuses = await Promise.all(
        urls.map(async (url) => (await ping(url, limited)).status),
      );
      return statuses.every((status) => status === 200);
    });
    let admitted = 2;
    const spend = async (url: string): Promise<void> => {
      for (let n = 0; n < limit; n++) if ((await ping(url, limited)).status === 200) admitted++;
    };
    await Promise.all([spend(urls[0]), spend(urls[1])]);
    expect(admitted).toBeGreaterThanOrEqual(limit);
    expect(admitted).toBeLessThanOrEqual(most);
  });
});
