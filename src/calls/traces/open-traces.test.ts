import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeOutcome } from '../../../test/support/call-outcome.ts';
import { until } from '../../../test/support/until.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { type Clock, systemClock } from '../../platform/kernel/time.ts';
import type { FinishedCall } from '../call-tool.ts';
import { openTraces, type Traces } from './open-traces.ts';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

interface Span {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly status: { readonly code: number };
  readonly attributes: readonly Attribute[];
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

/** A collector of OTLP over HTTP in JSON, and the requests that it received. */
let collector: ReturnType<typeof createServer>;
let requests: { readonly url: string; readonly headers: IncomingMessage['headers'] }[];
let spans: Span[];
let texts: string[];
let status: number;
let lines: unknown[];
let opened: Traces[];

beforeEach(async () => {
  requests = [];
  spans = [];
  texts = [];
  status = 200;
  lines = [];
  opened = [];
  collector = createServer(async (request, response) => {
    requests.push({ url: request.url ?? '', headers: request.headers });
    // biome-ignore lint/suspicious/noExplicitAny: the nested form of OTLP.
    const body: any = await json(request);
    texts.push(JSON.stringify(body));
    for (const { scopeSpans } of body.resourceSpans) spans.push(...scopeSpans[0].spans);
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
});

afterEach(async () => {
  for (const traces of opened) await traces.close();
  collector.closeAllConnections();
  collector.close();
});

interface Options {
  readonly url?: string;
  readonly ratio?: number;
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

/** Each look at this clock is a millisecond later. */
function quickClock(): Clock {
  let nowMs = 0;
  return { now: () => nowMs++ };
}

function open(options: Options = {}): Traces {
  const { ratio = 1, timeoutMs = 30_000, clock = systemClock } = options;
  const own = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`;
  const traces = openTraces({
    target: {
      url: options.url ?? own,
      headers: { authorization: 'Bearer s3cret' },
      serviceName: 'gateway-a',
      version: '1.2.3',
      timeoutMs,
    },
    ratio,
    // The thread loads OpenTelemetry first, which takes seconds on a busy machine.
    closeGraceMs: 30_000,
    clock,
    logger: { warn: (...line: unknown[]) => void lines.push(line) },
  });
  opened.push(traces);
  return traces;
}

const finished = (more: object = {}): FinishedCall =>
  ({
    call: { name: 'sky_now', arguments: { place: 'somewhere' } },
    context: { dialect: 'plain' },
    entry: makeOutcome().entry,
    auditId: 'aud_1',
    result: makeOutcome(),
    sent: { status: 200, upstreamMs: 7.5 },
    durationMs: 8,
    ...more,
  }) as unknown as FinishedCall;

const attributesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

describe('the span of a call', () => {
  it('has the names of the conventions, and nothing of arguments or results', async () => {
    const traces = open();
    traces.observe(finished());
    await traces.close();
    expect(requests).toMatchObject([
      { url: '/v1/traces', headers: { authorization: 'Bearer s3cret' } },
    ]);
    const [span] = spans;
    if (!span) return expect.unreachable();
    expect(span).toMatchObject({ name: 'tools/call sky_now', kind: 2 });
    expect(attributesOf(span)).toEqual({
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'sky_now',
      'tool_gateway.audit_id': 'aud_1',
      'tool_gateway.dialect': 'plain',
      'tool_gateway.cache_status': 'MISS',
      'tool_gateway.upstream.status_code': 200,
      'tool_gateway.upstream.duration_ms': 7.5,
    });
    expect(Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano))).toBe(8_000_000);
    expect(texts[0]).toContain('gateway-a');
    expect(texts[0]).not.toContain('somewhere');
  });

  it('has the error of a call that failed', async () => {
    const traces = open();
    traces.observe(finished({ result: new GatewayError('upstream_timeout'), sent: null }));
    await traces.close();
    const [span] = spans;
    if (!span) return expect.unreachable();
    expect(span.status).toEqual({ code: 2 });
    const attributes = attributesOf(span);
    expect(attributes).toMatchObject({
      'error.type': 'upstream_timeout',
      'tool_gateway.cause': 'network',
    });
    expect(attributes).not.toHaveProperty('tool_gateway.upstream.status_code');
  });

  it('continues the trace of its caller, unless the caller does not sample it', async () => {
    const traces = open({ ratio: 0 });
    for (const flags of ['01', '00']) {
      const traceparent = `00-${TRACE}-${SPAN}-${flags}`;
      traces.observe(finished({ call: { name: 'sky_now', arguments: {}, traceparent } }));
    }
    traces.observe(finished());
    await traces.close();
    expect(spans).toMatchObject([{ traceId: TRACE, parentSpanId: SPAN }]);
  });
});

describe('a collector', () => {
  it('gets the spans of many calls in few requests, without waiting for the end', async () => {
    const traces = open();
    for (let call = 0; call < 600; call++) traces.observe(finished());
    await until(() => spans.length === 600);
    expect(requests).toHaveLength(2);
    expect(lines).toEqual([]);
  });

  it('that is overwhelmed loses spans, but delays no call', async () => {
    const traces = open({ clock: quickClock() });
    for (let call = 0; call < 512 * 8; call++) traces.observe(finished());
    await traces.close();
    expect(spans.length).toBeGreaterThan(0);
    expect(spans.length).toBeLessThan(512 * 8);
    expect(lines).toHaveLength(1);
  });

  it('gets the spans that callers want, however many calls they do not sample', async () => {
    const traces = open({ clock: { now: () => 5000 } });
    const calledWith = (flags: string) =>
      finished({ call: { name: 'a', arguments: {}, traceparent: `00-${TRACE}-${SPAN}-${flags}` } });
    for (let call = 0; call < 1200; call++) traces.observe(calledWith('00'));
    traces.observe(calledWith('01'));
    await traces.close();
    expect(spans).toMatchObject([{ traceId: TRACE }]);
    expect(lines).toEqual([]);
  });

  it('gets the spans of the first 1,000 calls of a second', async () => {
    let nowMs = 5000;
    const traces = open({ clock: { now: () => nowMs } });
    for (let call = 0; call < 1200; call++) traces.observe(finished());
    await until(() => spans.length === 1000);
    nowMs += 1000;
    traces.observe(finished());
    await until(() => spans.length === 1001);
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).toContain('OTEL_TRACES_SAMPLER_ARG');
  });

  it('that cannot be reached delays nothing, and is logged once without its address', async () => {
    const url = 'http://user:pass@127.0.0.1:9/v1/traces';
    const traces = open({ url, timeoutMs: 200, clock: quickClock() });
    for (let call = 0; call < 1024; call++) traces.observe(finished());
    await traces.close();
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toMatch(/pass|127\.0\.0\.1|s3cret/);
  });

  it('that refuses the spans is logged', async () => {
    status = 400;
    const traces = open();
    traces.observe(finished());
    await traces.close();
    expect(lines).toHaveLength(1);
  });
});
