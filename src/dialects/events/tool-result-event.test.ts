import { describe, expect, it } from 'vitest';
import { failureOf, openCallPipeline } from '../../../test/support/call-pipeline.ts';
import { decodeSse } from '../../../test/support/decode-sse.ts';
import { type ClientStream, createStreamHub, type StreamHub } from '../../events/stream-hub.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { publishToolResult } from './dialect.ts';

const SKY = `
paths:
  /people/{name}:
    get:
      operationId: sky_person
      x-cache-ttl: 0
      x-personal: [name]
      parameters:
        - { name: name, in: path, required: true, schema: { type: string } }
      responses: {}
  /now:
    get: { operationId: sky_now, responses: {} }
`;

/** A stream of a tenant that records the events it receives. */
function openStream(hub: StreamHub, clientId: string, tenantId = 'ten_a') {
  const received: { name: string; data: unknown }[] = [];
  const checked: unknown[] = [];
  const stream: ClientStream = {
    clientId,
    tenantId,
    apiKeyId: 'key_a',
    isOperator: false,
    closed: new AbortController().signal,
    mayUse: (tool) => {
      checked.push(tool);
      return true;
    },
    send: (frame) => {
      const { events } = decodeSse(String(frame));
      received.push(...events.map(({ name, data }) => ({ name, data: JSON.parse(data) })));
    },
    reply: () => Promise.resolve(),
    toolsChanged: () => undefined,
    listChanged: () => undefined,
    end: () => undefined,
  };
  hub.add(stream);
  return { received, checked };
}

async function open() {
  const hub = createStreamHub({ logger: { warn: () => undefined } });
  const gateway = await openCallPipeline(SKY, {
    onFinished: (finished) => publishToolResult(hub, finished),
  });
  return { hub, gateway };
}

describe('the event of a finished call', () => {
  it('contains the outcome, as in the audit record', async () => {
    const { hub, gateway } = await open();
    const { received, checked } = openStream(hub, 'sse_1');
    const { auditId } = await gateway.call('sky_now');
    expect(received).toStrictEqual([
      {
        name: 'message',
        data: {
          jsonrpc: '2.0',
          method: 'gateway/toolResult',
          params: {
            tool: 'sky_now',
            upstream: { method: 'GET', url: 'https://sky.example/now', status: 200 },
            cacheStatus: 'MISS',
            auditId,
            isError: false,
          },
        },
      },
    ]);
    expect(checked).toEqual([{ id: 'weather.sky.sky_now', name: 'sky_now', category: 'weather' }]);
  });

  it('reports an error response, and a call without a response', async () => {
    const { hub, gateway } = await open();
    const { received } = openStream(hub, 'sse_1');
    gateway.answer({ status: 503, body: {} });
    await gateway.call('sky_now');
    gateway.answer(() => {
      throw new GatewayError('upstream_timeout');
    });
    await failureOf(gateway.call('sky_now'));
    expect(received.map(({ data }) => data)).toMatchObject([
      { params: { isError: true, upstream: { status: 503 }, cacheStatus: 'MISS' } },
      { params: { isError: true, upstream: { status: null }, cacheStatus: null } },
    ]);
  });

  it('has no personal data in its URL, unlike the result', async () => {
    const { hub, gateway } = await open();
    const { received } = openStream(hub, 'sse_1');
    const result = await gateway.call('sky_person', { name: 'Gildong' });
    expect(result.upstream.url).toContain('Gildong');
    expect(JSON.stringify(received)).not.toContain('Gildong');
    expect(received[0]?.data).toMatchObject({
      params: { upstream: { url: 'https://sky.example/people/{name}' } },
    });
  });

  it('goes to the tenant that called, and only to the named stream', async () => {
    const { hub, gateway } = await open();
    const mine = [openStream(hub, 'sse_1'), openStream(hub, 'sse_2')];
    const other = openStream(hub, 'sse_3', 'ten_b');
    const counts = () => [...mine, other].map(({ received }) => received.length);
    await gateway.call('sky_now');
    expect(counts()).toEqual([1, 1, 0]);
    await gateway.call('sky_now', {}, { clientId: 'sse_2' });
    expect(counts()).toEqual([1, 2, 0]);
    await gateway.call('sky_now', {}, { clientId: 'sse_3' });
    expect(counts()).toEqual([1, 2, 0]);
  });

  it('is not sent for an unknown tool', async () => {
    const { hub, gateway } = await open();
    const { received } = openStream(hub, 'sse_1');
    await failureOf(gateway.call('sky_nowhere'));
    expect(received).toEqual([]);
  });
});
