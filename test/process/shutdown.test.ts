import { describe, expect, test } from 'vitest';
import {
  encodeCall,
  planFault,
  type RpcAnswer,
  type RunningGateway,
  runGatewayCommand,
} from '../support/gateway-process.ts';
import { startLoad } from '../support/load.ts';
import { openSse } from '../support/sse-client.ts';
import { until } from '../support/until.ts';
import { temporaryDir, temporaryGateway } from './temporary.ts';

/** Nothing that a test waits for may depend on being cut off. */
const NEVER_CUT = { SHUTDOWN_GRACE_MS: '600000', UPSTREAM_TIMEOUT_MS: '60000' };

const start = async (): Promise<RunningGateway> =>
  temporaryGateway({ DATA_DIR: await temporaryDir(), ...NEVER_CUT });

/** Resolves when the upstream has got a request. */
const upstreamWasAsked = (gateway: RunningGateway): Promise<void> =>
  until(async () => {
    const seen = await fetch(`${gateway.sandboxUrl}/_sandbox/requests`);
    return ((await seen.json()) as { total: number }).total > 0;
  });

/** Begins a call that takes this long, and resolves, with its answer to come, once the upstream has it. */
async function beginSlowCall(
  gateway: RunningGateway,
  delayMs: number,
): Promise<{ answer: Promise<RpcAnswer> }> {
  await planFault(gateway, `delay:${delayMs}`);
  const answer = gateway.call('frankfurter_rates');
  answer.catch(() => undefined);
  await upstreamWasAsked(gateway);
  return { answer };
}

async function recordedIds(dataDir: string): Promise<string[]> {
  const { stdout } = await runGatewayCommand(['audit', 'export'], { DATA_DIR: dataDir });
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).auditId);
}

describe('SIGTERM', () => {
  test('under load: every call that was taken on is answered, and every answer recorded', async () => {
    const dataDir = await temporaryDir();
    const gateway = await temporaryGateway({ DATA_DIR: dataDir, ...NEVER_CUT });
    const load = startLoad(gateway);
    await until(() => load.answered.length > 500);
    gateway.kill('SIGTERM');
    await load.ended;
    expect(await gateway.ended).toEqual({ code: 0, signal: null });
    // A record without an answer would be a call that was taken on and cut off.
    expect(await recordedIds(dataDir)).toEqual(load.answered.toSorted());
  });

  test('waits for calls under way, and for no more than those', async () => {
    const gateway = await start();
    const { answer } = await beginSlowCall(gateway, 1000);
    gateway.kill('SIGTERM');
    expect((await answer).result).toBeDefined();
    // The connection of that call must not stay open for its keep-alive time.
    expect((await gateway.ended).code).toBe(0);
  });

  test('ends event streams properly, also those of clients that come back at once', async () => {
    const gateway = await start();
    const open = () =>
      fetch(`${gateway.url}/mcp/sse`, { headers: { 'x-api-key': gateway.key } }).then((answer) =>
        answer.text(),
      );
    const first = open();
    await until(async () => (await detailed(gateway)).streams === 1);
    gateway.kill('SIGTERM');
    // A stream that is cut off would reject here.
    expect(await first).toContain('event: ready');
    await open().catch(() => undefined);
    expect((await gateway.ended).code).toBe(0);
  });

  test('waits for calls whose answers go to an event stream', async () => {
    const gateway = await start();
    await planFault(gateway, 'delay:1000');
    const stream = await openSse(gateway.url, gateway.key);
    await fetch(`${gateway.url}/mcp?sessionId=${stream.clientId}`, {
      method: 'POST',
      headers: { 'x-api-key': gateway.key, 'content-type': 'application/json' },
      body: encodeCall('frankfurter_rates', {}),
    });
    await upstreamWasAsked(gateway);
    gateway.kill('SIGTERM');
    await until(() => stream.ended());
    expect(stream.events.map(({ data }) => data).join()).toContain('structuredContent');
    expect((await gateway.ended).code).toBe(0);
  });

  test('a second time ends the process at once', async () => {
    const gateway = await start();
    await beginSlowCall(gateway, 50_000);
    const impatience = setInterval(() => gateway.kill('SIGTERM'), 250);
    const { code } = await gateway.ended;
    clearInterval(impatience);
    expect(code).toBe(130);
  });

  test('twice within a moment, as launchers pass signals on, is once', async () => {
    const gateway = await start();
    const { answer } = await beginSlowCall(gateway, 1000);
    gateway.kill('SIGINT');
    await until(() => gateway.stderr().includes('shutting down'));
    gateway.kill('SIGINT');
    expect((await answer).result).toBeDefined();
    expect((await gateway.ended).code).toBe(0);
  });
});

async function detailed(gateway: RunningGateway): Promise<{ streams: number }> {
  const answer = await fetch(`${gateway.url}/health/detailed`, {
    headers: { 'x-api-key': gateway.key },
  });
  return (await answer.json()) as { streams: number };
}
