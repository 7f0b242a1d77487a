import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { startModelServer } from './model-api.ts';
import { MODEL_PACKAGES } from './packages.ts';

let gateway: TestGateway;
let names: readonly string[];
beforeAll(async () => {
  gateway = await startTestGateway();
  const { body } = await gateway.json('/registry/tools');
  names = body.tools.map(({ name }: { name: string }) => name);
  expect(names.length).toBeGreaterThanOrEqual(72);
});
afterAll(() => gateway.close());

/** A call with what each API writes in its own way: a whole number, a list, and an object as a text. */
const CALL = {
  name: 'airkorea_sido_realtime',
  arguments: {
    sidoName: '서울',
    _limit: 1,
    _fields: ['stationName'],
    _where: '{"stationName": "중구"}',
  },
};

test.each(MODEL_PACKAGES)(
  '$name declares every tool by the rules, and calls one',
  async ({ ask }) => {
    const model = await startModelServer(CALL);
    onTestFinished(model.close);
    await ask({ url: `${gateway.url}/mcp`, key: gateway.key, modelUrl: model.url });
    const declared = model.declared();
    expect(declared.filter(({ issues }) => issues.length > 0)).toEqual([]);
    expect(declared.map(({ name }) => name).sort()).toEqual(names.toSorted());
    expect(model.lastRequest()).toContain(ANSWERED);
  },
);

/** How the text of a result begins for this call. */
const ANSWERED = 'airkorea_sido_realtime: 1 row for ';

/** What calls accept, and a client refuses that checks arguments by a schema with one type each. */
const ACCEPTED = [{ _limit: '1' }, { _fields: 'stationName' }, { _where: { stationName: '중구' } }];

test('a client that checks arguments first takes what calls accept with ?schema=wide only', async () => {
  const invoke = async (query: string, args: object): Promise<unknown> => {
    const client = new MultiServerMCPClient({
      gateway: {
        transport: 'http',
        url: `${gateway.url}/mcp${query}`,
        headers: { 'x-api-key': gateway.key },
      },
    });
    try {
      const tool = (await client.getTools()).find(({ name }) => name === CALL.name);
      return JSON.stringify(await tool?.invoke({ sidoName: '서울', ...args }));
    } finally {
      await client.close();
    }
  };
  for (const args of ACCEPTED) {
    await expect(invoke('', args)).rejects.toThrow('did not match expected schema');
    expect(await invoke('?schema=wide', args)).toContain(CALL.name);
  }
});
