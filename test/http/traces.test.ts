import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';

const parent = (digit: string): string => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`;

it('sends a span for every call before it ends, each with the parent that its caller names', async () => {
  const received: string[] = [];
  const collector = createServer(async (request, response) => {
    received.push(await text(request));
    response.end('{}');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void collector.close());
  await once(collector, 'listening');
  const { port } = collector.address() as AddressInfo;
  const gateway = await startTestGateway({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` },
  });
  const call = (headers: Record<string, string>, meta: object): Promise<Response> =>
    gateway.fetch('/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'frankfurter_rates', arguments: {}, _meta: meta },
      }),
    });
  const mcp = { accept: 'application/json, text/event-stream' };
  await call({ traceparent: parent('a') }, {});
  await call({ traceparent: parent('a'), ...mcp }, { traceparent: parent('b') });
  await call({ traceparent: 'nonsense' }, { traceparent: 7 });
  await gateway.close();
  // On a slow machine, the calls are in several batches.
  const spans = received.flatMap((batch) => JSON.parse(batch).resourceSpans[0].scopeSpans[0].spans);
  expect(spans).toMatchObject([
    { name: 'tools/call frankfurter_rates', parentSpanId: 'a'.repeat(16) },
    { name: 'tools/call frankfurter_rates', traceId: 'b'.repeat(32) },
    { name: 'tools/call frankfurter_rates' },
  ]);
  expect(spans[2].parentSpanId ?? '').toBe('');
});
