import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { registerApi, sendJson } from '../own-apis/register-api.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { CLIENT_CASES } from './support/client-cases.ts';
import type { ClientCase, McpSession } from './support/mcp-session.ts';

const OWN = ['addbook', 'getbook', 'listbooks'];

describe('an API that a tenant registers', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ env: { ALLOW_PRIVATE_UPSTREAMS: 'true' } });
  });
  afterAll(() => gateway.close());

  test.for(CLIENT_CASES.map((client, at) => [client.name, client, at] as const))(
    'is listed and called until it is deleted: %s',
    async ([, client, at]) => {
      const { key } = await gateway.createKey(`reader-${at}`);
      let changes = 0;
      const onToolsChanged = () => {
        changes++;
      };
      const session = await client.connect({ url: gateway.url, key, onToolsChanged });
      try {
        expect(await ownTools(session)).toEqual([]);
        const { registration } = await registerApi(gateway, key, {
          name: 'Reading List',
          spec_url: `${gateway.sandbox.url}/practice/openapi.yaml`,
          auth: { type: 'bearer', token: 'practice-token' },
        });
        await heard(client, () => changes > 0);
        expect(await ownTools(session)).toEqual(OWN);
        await useTools(session);

        changes = 0;
        const path = `/api/v1/registrations/${registration.id}`;
        expect((await sendJson(gateway, 'DELETE', path, key, undefined)).status).toBe(200);
        await heard(client, () => changes > 0);
        expect(await ownTools(session)).toEqual([]);
        const failure = await session.callTool('listbooks', {}).catch((error: unknown) => error);
        expect(failure).toHaveProperty('code', client.unknownToolCode ?? -32602);
      } finally {
        await session.close();
      }
    },
  );
});

/** The new tools among all that the client lists. */
async function ownTools(session: McpSession): Promise<string[]> {
  const names = (await session.listTools()).map(({ name }) => name);
  expect(names).toContain('frankfurter_rates');
  return names.filter((name) => /^[a-z]+books?$/.test(name)).sort();
}

/** A client without a stream only sees the change when it lists the tools again. */
async function heard(client: ClientCase, hasHeard: () => boolean): Promise<void> {
  if (client.hearsChanges) await until(hasHeard);
}

async function useTools(session: McpSession): Promise<void> {
  const added = await session.callTool('addbook', { title: 'Solaris', author: 'Lem' });
  expect(added.isError ?? false).toBe(false);
  const found = await session.callTool('listbooks', { author: 'Borges' });
  expect(found).toMatchObject({
    data: { books: [{ title: 'Ficciones', year: 1944 }] },
  });
  const missing = await session.callTool('getbook', { id: 999 });
  expect(missing.isError).toBe(true);
}
