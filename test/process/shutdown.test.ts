import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import {
  encodeCall,
  planFault,
  type RpcResponse,
  type RunningGateway,
  runGatewayCommand,
} from '../support/gateway-process.ts';
import { startLoad } from '../support/load.ts';
import { openSse } from '../support/sse-client.ts';
import { until } from '../support/until.ts';
import { temporaryDir, temporaryGateway } from './temporary.ts';

/** No test may depend on work being cut off. */
const NEVER_CUT = { SHUTDOWN_GRACE_MS: '600000', UPSTREAM_TIMEOUT_MS: '60000' };

const start = async (): Promise<RunningGateway> =>
  temporaryGateway({ DATA_DIR: await temporaryDir(), ...NEVER_CUT });

/** Resolves when the upstream has received a request. */
const upstreamWasAsked = (gateway: RunningGateway): Promise<void> =>
  until(async () => {
    const seen = await fetch(`${gateway.sandboxUrl}/_sandbox/requests`);
    return ((await seen.json()) as { total: number }).total > 0;
  });

/** Starts a call that takes this long, and resolves, with its pending response, once the upstream has received it. */
async function beginSlowCall(
  gateway: RunningGateway,
  delayMs: number,
): Promise<{ response: Promise<RpcResponse> }> {
  await planFault(gateway, `delay:${delayMs}`);
  const response = gateway.call('frankfurter_rates');
  response.catch(() => undefined);
  await upstreamWasAsked(gateway);
  return { response };
}

async function recordedIds(dataDir: string): Promise<string[]> {
  const { stdout } = await runGatewayCommand(['audit', 'export'], { DATA_DIR: dataDir });
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).auditId);
}

/** The number of calls in the statistics. */
function countedIn(dataDir: string): unknown {
  const file = new DatabaseSync(join(dataDir, 'audit.db'), { readOnly: true });
  const days = "step = 'day' AND scope = '*' AND kind = 'all'";
  const row = file.prepare(`SELECT sum(calls) AS calls FROM statistics WHERE ${days}`).get();
  file.close();
  return row?.['calls'];
}

describe('SIGTERM', () => {
  test('answers, records and counts every accepted call under load', async () => {
    const dataDir = await temporaryDir();
    const gateway = await temporaryGateway({ DATA_DIR: dataDir, ...NEVER_CUT });
    const load = startLoad(gateway);
    await until(() => load.answered.length > 500);
    gateway.kill('SIGTERM');
    await load.ended;
    expect(await gateway.ended).toEqual({ code: 0, signal: null });
    // A record without a response would mean that a call was accepted and then cut off.
    expect(await recordedIds(dataDir)).toEqual(load.answered.toSorted());
    expect(countedIn(dataDir)).toBe(load.answered.length);
  });

  test('is noticed by load balancers while calls are still answered', async () => {
    const gateway = await temporaryGateway({
      DATA_DIR: await temporaryDir(),
      ...NEVER_CUT,
      DRAIN_NOTICE_MS: '5000',
    });
    const stream = await openSse(gateway.url, gateway.key);
    gateway.kill('SIGTERM');
    const serving = () => fetch(`${gateway.url}/health/serving`);
    await until(async () => (await serving()).status === 503);
    const told = await serving();
    expect(told.headers.get('connection')).toBe('close');
    expect(await told.json()).toMatchObject({ status: 'degraded' });
    expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
    expect((await gateway.call('frankfurter_rates')).result).toBeDefined();
    await until(() => stream.events.some(({ data }) => data.includes('gateway/toolResult')));
    expect(stream.ended()).toBe(false);
    await until(() => stream.ended());
    expect(await gateway.ended).toEqual({ code: 0, signal: null });
  });

  test('ends event streams properly, also those of clients that reconnect at once', async () => {
    const gateway = await start();
    const open = () =>
      fetch(`${gateway.url}/mcp/sse`, { headers: { 'x-api-key': gateway.key } }).then((response) =>
        response.text(),
      );
    const first = open();
    await until(async () => (await detailed(gateway)).streams === 1);
    gateway.kill('SIGTERM');
    // A stream that is cut off rejects here.
    expect(await first).toContain('event: ready');
    await open().catch(() => undefined);
    expect((await gateway.ended).code).toBe(0);
  });

  test('waits for calls whose responses go to an event stream', async () => {
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
    expect(stream.events.map(({ data }) => data).join()).toContain('cacheStatus');
    expect((await gateway.ended).code).toBe(0);
  });

  test('cuts calls that outlast the grace', async () => {
    const gateway = await temporaryGateway({
      DATA_DIR: await temporaryDir(),
      ...NEVER_CUT,
      SHUTDOWN_GRACE_MS: '500',
    });
    const { response } = await beginSlowCall(gateway, 50_000);
    gateway.kill('SIGTERM');
    await expect(response).rejects.toThrow();
    expect(await gateway.ended).toEqual({ code: 0, signal: null });
  });

  test('ends the process at once when sent a second time', async () => {
    const gateway = await start();
    await beginSlowCall(gateway, 50_000);
    const impatience = setInterval(() => gateway.kill('SIGTERM'), 250);
    const { code } = await gateway.ended;
    clearInterval(impatience);
    expect(code).toBe(130);
  });

  test('counts once when sent twice in quick succession, as launchers forward signals', async () => {
    const gateway = await start();
    const { response } = await beginSlowCall(gateway, 1000);
    gateway.kill('SIGINT');
    // Another signal: a second SIGINT would be dropped while the first one is pending.
    gateway.kill('SIGTERM');
    expect((await response).result).toBeDefined();
    expect((await gateway.ended).code).toBe(0);
  });
});

async function detailed(gateway: RunningGateway): Promise<{ streams: number }> {
  const response = await fetch(`${gateway.url}/health/detailed`, {
    headers: { 'x-api-key': gateway.key },
  });
  return (await response.json()) as { streams: number };
}
