import { describe, expect, test } from 'vitest';
import { startFixtureUpstream } from '../support/fixture-upstream.ts';
import type { RunningGateway } from '../support/gateway-process.ts';
import { until } from '../support/until.ts';
import { temporaryDir, temporaryGateway } from './temporary.ts';

const describing = (url: string): string => `openapi: 3.1.0
info: { title: Stock, version: '1' }
servers: [{ url: '${url}' }]
paths:
  /stock:
    get:
      operationId: stock
      description: Returns what is in stock.
      responses: { '200': { description: What is in stock. } }
`;

describe('start --sandbox', () => {
  test('marks what it made up, and nothing that a registered API really answered', async ({
    onTestFinished,
  }) => {
    const upstream = await startFixtureUpstream();
    onTestFinished(upstream.close);
    const gateway = await temporaryGateway({
      DATA_DIR: await temporaryDir(),
      ALLOW_PRIVATE_UPSTREAMS: 'true',
    });
    const { ask, mark } = client(gateway);
    const job = await ask('/api/v1/register', {
      name: 'Stock',
      spec_raw: describing(upstream.url),
    });
    await until(async () => (await ask(job.status_url)).progress === 1);

    expect(await mark('frankfurter_rates')).toEqual({ rpc: true, text: true, audit: true });
    expect(await mark('stock')).toEqual({ rpc: undefined, text: false, audit: false });
    expect(upstream.seen.map(({ url }) => url)).toContain('/stock');
  });
});

/** Asks a gateway, and finds out where it says that the data of a tool are made up. */
function client({ url, key }: RunningGateway) {
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses whose shape is under test.
  async function ask(path: string, body?: object, headers = {}): Promise<any> {
    const response = await fetch(`${url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return response.json();
  }
  async function mark(tool: string) {
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool } };
    const plain = (await ask('/mcp', request)).result;
    const mcp = (await ask('/mcp', request, MCP)).result;
    const record = await ask(`/api/v1/audit/${plain.auditId}`);
    return {
      rpc: plain.provenance.sample,
      text: mcp.content[0].text.startsWith('SAMPLE'),
      audit: record.sample,
    };
  }
  return { ask, mark };
}

const MCP = {
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-06-18',
};
