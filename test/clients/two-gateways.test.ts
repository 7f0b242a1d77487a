import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newApiKeyText } from '../../src/platform/kernel/ids.ts';
import { postgres, type TestPlace } from '../support/databases.ts';
import { type RunningGateway, startGatewayProcess } from '../support/gateway-process.ts';
import { testRedisUrl } from '../support/redis.ts';
import { CLIENT_CASES } from './support/client-cases.ts';
import { type Forwarder, startForwarder } from './support/forwarder.ts';
import type { McpSession } from './support/mcp-session.ts';

/** Clients without HTTP+SSE: such a session is bound to its stream, and therefore to one gateway. */
const ROAMING = CLIENT_CASES.filter(({ dialect }) => dialect !== 'http-sse');

describe.runIf(postgres && testRedisUrl)('two gateways behind one address', () => {
  const key = newApiKeyText();
  let places: TestPlace[];
  let gateways: RunningGateway[];
  let balancer: Forwarder;
  let chosen: number[];

  beforeAll(async () => {
    if (!postgres || !testRedisUrl) throw new Error('PostgreSQL and Redis are required.');
    // The second place only provides a directory: the records of both gateways are in one database.
    places = [await postgres.makePlace(), await postgres.makePlace()];
    const shared = {
      DATABASE_URL: places[0]?.databaseUrl?.reveal() ?? '',
      REDIS_URL: testRedisUrl,
      REDIS_KEY_PREFIX: `test:${randomUUID()}:`,
      BOOTSTRAP_API_KEY: key,
    };
    gateways = [];
    for (const { dataDir } of places) {
      gateways.push(await startGatewayProcess({ ...shared, DATA_DIR: dataDir }));
    }
    balancer = await startForwarder(() => {
      const index = randomInt(gateways.length);
      chosen.push(index);
      return gateways[index]?.url ?? '';
    });
  });
  afterAll(async () => {
    await balancer.close();
    for (const gateway of gateways) await gateway.stop();
    for (const place of places) await place.remove();
  });

  test.for(ROAMING.map((client) => [client.name, client] as const))(
    '%s does not notice which of them responds',
    async ([, client]) => {
      chosen = [];
      const session = await client.connect({ url: balancer.url, key });
      try {
        await callUntilBothWereChosen(session);
        const listed = await session.listTools();
        expect(listed.length).toBeGreaterThan(70);
        expect(await codeOf(session.callTool('no_such_tool', {}))).toBe(
          client.unknownToolCode ?? -32602,
        );
      } finally {
        await session.close();
      }
    },
  );

  /** Each call is unique, so that none is served from a cache. */
  async function callUntilBothWereChosen(session: McpSession): Promise<void> {
    for (let calls = 0; calls < 3 || new Set(chosen).size < gateways.length; calls++) {
      const result = await session.callTool('tour_search_keyword', { keyword: randomUUID() });
      expect(result.isError ?? false).toBe(false);
      expect(result.content[0]?.['text']).toMatch(/rows?\b.* Source: /);
    }
  }
});

async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: { readonly code?: unknown }) => error.code,
  );
}
