import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { CLIENT_CASES } from './client-cases.ts';
import type { ClientCase, McpSession, ToolResult } from './mcp-session.ts';
import type { Route } from './route.ts';

/** A tool with rows, whose arguments make every call unique. */
const TOOL = 'tour_search_keyword';
const newArguments = () => ({ keyword: `place ${randomUUID()}` });

/** Runs the same tests with every client, over the route to a gateway that `open` creates. */
export function describeClients(title: string, open: (gatewayUrl: string) => Promise<Route>): void {
  describe(title, () => {
    let gateway: TestGateway;
    let route: Route;
    beforeAll(async () => {
      // A wrong key would otherwise lead clients to a browser.
      gateway = await startTestGateway({ env: { OAUTH: 'off' } });
      route = await open(gateway.url);
    });
    afterAll(async () => {
      await route.close();
      await gateway.close();
    });

    for (const client of CLIENT_CASES) {
      describe(client.name, () => describeClient(client, () => ({ gateway, route })));
    }
  });
}

function describeClient(
  client: ClientCase,
  place: () => { readonly gateway: TestGateway; readonly route: Route },
): void {
  let gateway: TestGateway;
  let session: McpSession;
  beforeAll(async () => {
    gateway = place().gateway;
    session = await client.connect({ url: place().route.url, key: gateway.key });
  });
  afterAll(() => session.close());

  test('lists every tool as in the catalog', async () => {
    const { body } = await gateway.json('/registry/tools?limit=500');
    const known: { id: string; name: string }[] = body.tools;
    const listed = await session.listTools();
    expect(listed.map(({ name }) => name).sort()).toEqual(known.map(({ name }) => name).sort());
    const tool = listed.find(({ name }) => name === 'frankfurter_rates');
    expect(tool).toMatchObject({
      title: 'Exchange rates',
      description: expect.stringContaining('Reference exchange rates'),
      inputSchema: { type: 'object', properties: { base: { type: 'string', default: 'EUR' } } },
      annotations: { title: 'Exchange rates', readOnlyHint: true, destructiveHint: false },
    });
  });

  test('gets one text with a table of rows, and the id of a record that names the dialect', async () => {
    const result = await session.callTool(TOOL, newArguments());
    expect(result.isError ?? false).toBe(false);
    const [headline = '', ...lines] = textAt(result, 0).split('\n');
    const [, shown] =
      /^tour_search_keyword: (\d+) .*\brows? .*Source: .+ Fetched now\.$/.exec(headline) ?? [];
    const table = lines.slice(lines.indexOf('') + 1, -1);
    expect([headline, table.length]).toEqual([headline, Number(shown) + 1]);
    expect(table.every((line) => line.split('\t').length === table[0]?.split('\t').length)).toBe(
      true,
    );
    expect(result.structuredContent).toBeUndefined();
    const record = await recordOf(result);
    expect(record).toMatchObject({ tool: TOOL, dialect: client.dialect, outcome: 'ok' });
  });

  test('learns what is wrong with its arguments', async () => {
    const result = await session.callTool('frankfurter_rates', { base: 'EUR', quotes: 'not it' });
    expect(result.isError).toBe(true);
    expect(textAt(result, 0)).toMatch(/\/quotes .+ Correct the arguments and call again\.\n$/);
    expect(await recordOf(result)).toMatchObject({ error: { code: 'invalid_arguments' } });
  });

  test('learns that a failing upstream may work later', async () => {
    await gateway.fault(TOOL, 'status:500');
    const result = await session.callTool(TOOL, newArguments());
    expect(result.isError).toBe(true);
    expect(textAt(result, 0)).toMatch(/responded with HTTP 500.* the same call may work later\.\n/);
    expect(await recordOf(result)).toMatchObject({ outcome: 'upstream_error' });
  });

  test('raises an error for an unknown tool', async () => {
    const error = await failureOf(session.callTool('no_such_tool', {}));
    expect(error).toHaveProperty('code', client.unknownToolCode ?? -32602);
  });

  test('fails with a wrong key, and says why', async () => {
    const error = await failureOf(connectAndList(client, place().route.url));
    expect(tellAll(error)).toMatch(client.refusal ?? /\b401\b/);
  });

  async function recordOf(result: ToolResult): Promise<unknown> {
    const { body } = await gateway.json(`/api/v1/audit/${result._meta?.['toolgateway/auditId']}`);
    return body;
  }
}

const textAt = ({ content }: ToolResult, index: number): string => String(content[index]?.['text']);

/** Some clients connect only with their first request. */
async function connectAndList(client: ClientCase, url: string): Promise<void> {
  const session = await client.connect({ url, key: 'tg_live_wrong' });
  try {
    await session.listTools();
  } finally {
    await session.close();
  }
}

/** The reason with which a promise was rejected. */
async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('The promise did not reject.');
}

/** An error with all its members: clients put the HTTP status in different places. */
const tellAll = (error: unknown): string =>
  `${error} ${JSON.stringify(error)} ${error instanceof Error && error.cause ? tellAll(error.cause) : ''}`;
