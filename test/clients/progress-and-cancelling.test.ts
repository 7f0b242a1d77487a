import type { ServerResponse } from 'node:http';
import type { Client, VersionNegotiationMode } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { behindNginx, type Route } from './support/route.ts';
import { connectClient, type TransportName } from './support/typescript-client.ts';

const CONNECTIONS: readonly [
  name: string,
  dialect: string,
  TransportName,
  VersionNegotiationMode,
][] = [
  ['stateless', 'stateless', 'http', 'auto'],
  ['Streamable HTTP', 'streamable-http', 'http', 'legacy'],
  ['HTTP+SSE', 'http-sse', 'sse', 'legacy'],
];

let gateway: TestGateway;
let route: Route;
beforeAll(async () => {
  gateway = await startTestGateway();
  route = await behindNginx(gateway.url);
});
afterAll(async () => {
  await route.close();
  await gateway.close();
});

/** A slow upstream: the test completes the response that it holds back. */
interface HeldUpstream {
  held(): ServerResponse | undefined;
}

function holdUpstream(): HeldUpstream {
  let held: ServerResponse | undefined;
  gateway.upstream.answer((_request, response) => {
    held = response;
  });
  return { held: () => held };
}

const connect = (transport: TransportName, mode: VersionNegotiationMode): Promise<Client> =>
  connectClient({ url: route.url, key: gateway.key }, transport, { versionNegotiation: { mode } });

describe('progress of a slow call', () => {
  test.for(CONNECTIONS)('is reported over %s', async ([, dialect, transport, mode]) => {
    const client = await connect(transport, mode);
    const upstream = holdUpstream();
    const before = await lastRecord();
    const values: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => {
      values.push(progress);
      if (values.length === 3) {
        upstream.held()?.setHeader('content-type', 'application/json').end('{"ok":true}');
      }
    };
    const result = await client.callTool({ name: 'fixture_uncached' }, { onprogress });
    expect(result).toMatchObject({ data: { ok: true } });
    expect(values).toHaveLength(3);
    // MCP "Progress": the value must grow with each notification.
    expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
    expect(await recordAfter(before)).toMatchObject({ dialect, outcome: 'ok' });
    await client.close();
  });
});

describe('cancelling a call', () => {
  const CANCELLED = { outcome: 'error', error: { code: 'cancelled' } };
  const CANCELLING = CONNECTIONS.filter(([, dialect]) => dialect !== 'streamable-http');

  test.for(CANCELLING)(
    'over %s closes the request to the upstream',
    async ([, dialect, ...how]) => {
      const client = await connect(...how);
      const upstream = holdUpstream();
      const before = await lastRecord();
      const cancelling = new AbortController();
      const call = client.callTool({ name: 'fixture_uncached' }, { signal: cancelling.signal });
      const outcome = expect(call).rejects.toThrow();
      await until(() => upstream.held() !== undefined);
      cancelling.abort(new Error('no longer needed'));
      await outcome;
      await until(() => upstream.held()?.destroyed === true);
      expect(await recordAfter(before)).toMatchObject({ dialect, ...CANCELLED });
      await client.close();
    },
  );

  test('works when the response has become a stream of progress', async () => {
    const client = await connect('http', 'auto');
    const upstream = holdUpstream();
    const before = await lastRecord();
    const cancelling = new AbortController();
    const call = client.callTool(
      { name: 'fixture_uncached' },
      { signal: cancelling.signal, onprogress: () => cancelling.abort(new Error('too slow')) },
    );
    await expect(call).rejects.toThrow();
    await until(() => upstream.held()?.destroyed === true);
    expect(await recordAfter(before)).toMatchObject({ dialect: 'stateless', ...CANCELLED });
    await client.close();
  });
});

// biome-ignore lint/suspicious/noExplicitAny: tests read responses whose shape is under test.
async function lastRecord(): Promise<any> {
  const { body } = await gateway.json('/api/v1/audit?limit=1');
  return body.records[0];
}

async function recordAfter(before: { readonly auditId: string } | undefined): Promise<unknown> {
  await until(async () => (await lastRecord())?.auditId !== before?.auditId);
  return lastRecord();
}
