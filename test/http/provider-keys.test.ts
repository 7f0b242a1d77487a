import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { Secret } from '../../src/platform/kernel/secret.ts';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { openSse } from '../support/sse-client.ts';
import { until } from '../support/until.ts';

const NAME = 'DART_API_KEY';
const TOOL = 'dart_search_disclosures';
const VALUE = 'recognisable-provider-key';
const NOTE = `Needs the secret ${NAME}, which is not set on this gateway.`;
/** Within which every replica follows (docs/contract.md#provider-keys). */
const WITHIN_MS = 1000;
/** Other tests share the machine. */
const NOTICED_MS = 10_000;

describe.each(GATEWAY_BACKENDS)('a provider key that another process stores ($name)', (backend) => {
  let gateway: TestGateway;
  let log: string;
  afterEach(() => gateway.close());

  async function start(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    log = '';
    const stream = new Writable({
      write(chunk, _encoding, done) {
        log += chunk;
        done();
      },
    });
    gateway = await startTestGateway({
      backend,
      logger: pino({ level: 'trace' }, stream),
      secrets: (name) => (environment[name] ? new Secret(environment[name]) : undefined),
      // One key for all tests with a server.
      env: { ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') },
    });
  }

  const descriptionOf = async (): Promise<string> => {
    const { body } = await gateway.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    return body.result.tools.find(({ name }: { name: string }) => name === TOOL).description;
  };
  const hasNote = async (): Promise<boolean> => (await descriptionOf()).endsWith(NOTE);
  const untilNote = (expected: boolean) => until(async () => (await hasNote()) === expected);

  test('leaves the note of its tools within a second, and clients are told', async () => {
    await start();
    expect(await hasNote()).toBe(true);
    expect((await gateway.call(TOOL)).body.error.data.reason).toBe('missing_secret');
    const stream = await openSse(gateway.url, gateway.key);
    // Makes it the stream of an MCP session.
    await gateway.fetch(`/mcp?sessionId=${stream.clientId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    });
    await until(() => stream.messages().length === 1);
    await gateway.setProviderKey(NAME, VALUE);
    const storedMs = performance.now();
    await untilNote(false);
    expect(performance.now() - storedMs).toBeLessThan(NOTICED_MS);
    // A change may be noticed, and told, more than once.
    await until(() => stream.messages().length > 1);
    expect(stream.messages()[1].method).toBe('notifications/tools/list_changed');
    expect((await gateway.call(TOOL)).body.result.isError).toBeFalsy();
    const { body } = await gateway.json(`/api/v1/tools/${TOOL}`);
    expect(body.description).not.toContain(NOTE);

    await gateway.setProviderKey(NAME, null);
    await untilNote(true);
    stream.close();
    // What was fetched with the key is served until it expires; a new call needs the key.
    expect((await gateway.call(TOOL)).body.result.cacheStatus).toBe('HIT');
    const fresh = await gateway.call(TOOL, { corp_code: '00126380' });
    expect(fresh.body.error.data.reason).toBe('missing_secret');
  });

  test('appears nowhere', async () => {
    await start();
    await gateway.setProviderKey(NAME, VALUE);
    await untilNote(false);
    const worked = await gateway.call(TOOL);
    await gateway.fault(TOOL, 'html', 3);
    const shown = [
      worked,
      await gateway.call(TOOL, { corp_code: '00126380' }),
      await gateway.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      await gateway.json('/api/v1/tools?limit=100'),
      await gateway.json('/api/v1/audit?limit=100'),
      await gateway.json('/registry/tools'),
    ].map(({ body }) => body);
    expect(JSON.stringify(shown)).toContain('REDACTED');
    expect(JSON.stringify(shown)).not.toContain(VALUE);
    expect(log).toContain('provider_key_changed');
    expect(log).not.toContain(VALUE);
  });

  test('is not used while the environment has a value', async () => {
    await start({ [NAME]: 'given' });
    expect(await hasNote()).toBe(false);
    await gateway.setProviderKey(NAME, 'wrong');
    await new Promise((resolve) => setTimeout(resolve, WITHIN_MS));
    expect((await gateway.call(TOOL)).body.result.isError).toBeFalsy();
  });

  test('changes what a search finds like the list', async () => {
    await start();
    await gateway.setProviderKey(NAME, VALUE);
    await untilNote(false);
    const { body } = await gateway.json(`/api/v1/tools?q=${TOOL}&limit=1`);
    expect(body.tools[0]).toMatchObject({ name: TOOL, description: await descriptionOf() });
  });
});
