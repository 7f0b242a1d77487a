import type { Client, VersionNegotiationMode } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { connectClient, type TransportName } from './support/typescript-client.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.close());

const CASES: readonly (readonly [TransportName, VersionNegotiationMode])[] = [
  ['http', { pin: '2026-07-28' }],
  ['http', 'legacy'],
  ['sse', 'legacy'],
];

async function complete(client: Client, name: string, value: string, kind?: string) {
  const { completion } = await client.complete({
    ref: { type: 'ref/resource', uri: 'codes://{kind}/{name}' },
    argument: { name, value },
    ...(kind === undefined ? {} : { context: { arguments: { kind } } }),
  });
  return completion.values;
}

test.each(CASES)('a client completes an address and reads it: %s, %j', async (transport, mode) => {
  const client = await connectClient(gateway, transport, { versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
    'codes://{kind}/{name}',
  ]);
  expect(await complete(client, 'kind', 'dist')).toEqual(['district']);
  const [name = ''] = await complete(client, 'name', '강남', 'district');
  const uri = `codes://district/${encodeURIComponent(name)}`;
  const { contents } = await client.readResource({ uri });
  expect(contents).toMatchObject([{ uri, text: expect.stringContaining('"11680"') }]);
});
