import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import {
  cardNumber,
  encoded,
  mailAddress,
  mobileNumber,
  newResidentNumber,
  oldResidentNumber,
  reveals,
  token,
  written,
} from '../support/personal-data.ts';
import { openSse, type SseClient } from '../support/sse-client.ts';
import { until } from '../support/until.ts';

const PRESET = `openapi: 3.1.0
info: { title: Search, version: "1" }
servers: [{ url: "http://fixture.invalid" }]
paths:
  /search:
    get:
      operationId: fixture_search
      description: Finds.
      x-cache-ttl: 0
      parameters:
        - { name: q, in: query, description: Words., schema: { type: string } }
        - { name: n, in: query, description: Number., schema: { type: number } }
        - { name: pw, in: query, description: Secret., schema: { type: string } }
      responses: { "200": { description: Anything. } }
  /people/{pw}:
    get:
      operationId: fixture_secret_path
      description: A person.
      x-cache-ttl: 0
      parameters:
        - { name: pw, in: path, required: true, description: Secret., schema: { type: string } }
      responses: { "200": { description: Anything. } }
`;

const SECRETS = fc.oneof(
  written(oldResidentNumber),
  written(newResidentNumber),
  written(mobileNumber),
  written(cardNumber),
  encoded(mailAddress),
  encoded(token),
);

describe('what is personal or secret in a call', () => {
  let gateway: TestGateway;
  let stream: SseClient;
  beforeAll(async () => {
    gateway = await startTestGateway({
      env: { RATE_LIMIT_PER_MINUTE: '0' },
      presets: { search: PRESET },
    });
    stream = await openSse(gateway.url, gateway.key);
  });
  afterAll(async () => {
    stream.close();
    await gateway.close();
  });

  const callAs = async (userAgent: string, name: string, args: object) => {
    const response = await gateway.json('/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': userAgent },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args },
      }),
    });
    const auditId: string = response.body.result?.auditId ?? response.body.error.data.auditId;
    const eventOf = () => stream.events.find(({ data }) => data.includes(auditId));
    await until(() => eventOf() !== undefined);
    const record = (await gateway.json(`/api/v1/audit/${auditId}`)).body;
    const event = JSON.parse(eventOf()?.data ?? '').params;
    return { result: response.body.result, record, event };
  };

  test('reaches the upstream and the caller, and neither the audit log nor an event', async () => {
    await fc.assert(
      fc.asyncProperty(SECRETS, async ({ plain, text }) => {
        const latin = /^[\x20-\x7e]*$/.test(text) ? text : 'client';
        const { result, record, event } = await callAs(latin, 'fixture_search', { q: text });
        const sent = new URL(result.upstream.url).searchParams.get('q');
        expect(sent).toBe(text);
        expect(event.upstream).toEqual(record.upstream);
        const { arguments: args, upstream, clientName } = record;
        const kept = JSON.stringify([args.q, upstream.url.split('?')[1], clientName]);
        expect(reveals(kept, plain), kept).toBe(false);
        expect(record.arguments.q).toContain('[masked:');
      }),
      { numRuns: 60 },
    );
  });

  test('is masked in the name of a client', async () => {
    const { record } = await callAs('bot/1.0 (hong@example.com)', 'fixture_search', { q: 'x' });
    expect(record.clientName).toBe('bot/1.0 ([masked:email])');
  });
});

describe('an event of a tool', () => {
  let gateway: TestGateway;
  const open: SseClient[] = [];
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(async () => {
    for (const client of open) client.close();
    await gateway.close();
  });
  const connect = async (key: string, query = ''): Promise<SseClient> => {
    const client = await openSse(gateway.url, key, query);
    open.push(client);
    return client;
  };
  const toolsOf = ({ events }: SseClient): string[] =>
    events.filter(({ name }) => name === 'message').map(({ data }) => JSON.parse(data).params.tool);
  const callBoth = async () => {
    await gateway.call('frankfurter_rates', { base: 'CHF' });
    await gateway.call('fixture_uncached');
  };

  test('goes only to streams whose key and address allow it', async () => {
    const all = await connect(gateway.key);
    const { key } = await gateway.createKey('default', { allowedTools: ['fixture_*'] });
    const some = await connect(key);
    const narrowed = await connect(gateway.key, '?tools=fixture_*');
    const ofCategory = await connect(gateway.key, '?category=economy');
    await callBoth();
    await until(() => toolsOf(all).length === 2);
    expect(toolsOf(all)).toEqual(['frankfurter_rates', 'fixture_uncached']);
    expect(toolsOf(some)).toEqual(['fixture_uncached']);
    expect(toolsOf(narrowed)).toEqual(['fixture_uncached']);
    expect(toolsOf(ofCategory)).toEqual(['frankfurter_rates']);
  });
});
