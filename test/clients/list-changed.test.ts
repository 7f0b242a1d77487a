import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withoutDatabaseLine } from '../support/database-line.ts';
import {
  type RunningGateway,
  runGatewayCommand,
  startGatewayProcess,
} from '../support/gateway-process.ts';
import { makeDataDir, removeDir } from '../support/temporary-dir.ts';
import { until } from '../support/until.ts';
import { behindNginx, type Route } from './support/route.ts';
import { connectClient, type TransportName } from './support/typescript-client.ts';

let dataDir: string;
let gateway: RunningGateway;
let route: Route;
beforeAll(async () => {
  dataDir = await makeDataDir();
  gateway = await startGatewayProcess({ DATA_DIR: dataDir });
  route = await behindNginx(gateway.url);
});
afterAll(async () => {
  await route.close();
  await gateway.stop();
  await removeDir(dataDir);
});

async function keys(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = withoutDatabaseLine(
    await runGatewayCommand(['keys', ...args], { DATA_DIR: dataDir }),
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.trim();
}

/** A key restricted to the tools of one preset, and its id. */
async function createKey(tools: string): Promise<{ readonly id: string; readonly key: string }> {
  const key = await keys('create', '--tenant', 'acme', '--tools', tools);
  const line = (await keys('list')).split('\n').find((row) => row.includes(key.slice(0, 12)));
  return { id: line?.split(/ +/)[0] ?? '', key };
}

const namesOf = async (client: Client): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);

test.for<[string, TransportName, 'auto' | 'legacy']>([
  ['2026-07-28, on a subscription', 'http', 'auto'],
  ['HTTP+SSE, on its stream', 'sse', 'legacy'],
])('a client is notified over %s when the tools of its key change', async ([, transport, mode]) => {
  const { id, key } = await createKey('frankfurter_rates');
  const notified: string[][] = [];
  const client = await connectClient({ url: route.url, key }, transport, {
    versionNegotiation: { mode },
    listChanged: {
      tools: {
        debounceMs: 0,
        onChanged: (error, tools) =>
          void notified.push(error ? [String(error)] : (tools ?? []).map(({ name }) => name)),
      },
    },
  });
  expect(await namesOf(client)).toEqual(['frankfurter_rates']);

  await keys('change', id, '--tools', 'frankfurter_rates,openmeteo_*');
  await until(() => notified.length > 0);
  const now = ['frankfurter_rates', 'openmeteo_air_quality', 'openmeteo_forecast'];
  // A change may be noticed, and told, more than once.
  for (const names of notified) expect(names).toEqual(now);
  expect(await namesOf(client)).toEqual(now);

  await keys('change', id, '--no-tools');
  await until(() => (notified.at(-1)?.length ?? 0) > 70);
  await client.close();
});

test('a client is not notified of changes to another key', async () => {
  const mine = await createKey('frankfurter_rates');
  const other = await createKey('frankfurter_rates');
  const notified = { mine: 0, other: 0 };
  const listen = (key: string, count: () => void): Promise<Client> =>
    connectClient({ url: route.url, key }, 'http', {
      versionNegotiation: { mode: 'auto' },
      listChanged: { tools: { debounceMs: 0, autoRefresh: false, onChanged: count } },
    });
  const clients = [
    await listen(mine.key, () => notified.mine++),
    await listen(other.key, () => notified.other++),
  ];
  await keys('change', other.id, '--no-tools');
  await until(() => notified.other > 0);
  expect(notified.mine).toBe(0);
  for (const client of clients) await client.close();
});
