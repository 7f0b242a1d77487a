import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { ACCEPTS_EVENTS, rpc } from '../support/rpc-requests.ts';
import { until } from '../support/until.ts';
import { stateless } from './mcp-requests.ts';
import { verifies } from './requirements.ts';

const OWN = ['call_tool', 'describe_tools', 'find_code', 'find_tools'];
const RATES = { base: 'USD', quotes: 'KRW' };

/** How each dialect sends a request. */
const DIALECTS = {
  plain: (method: string, params: object) => ({ headers: {}, body: rpc(method, params) }),
  legacy: (method: string, params: object) => ({
    headers: ACCEPTS_EVENTS,
    body: rpc(method, params),
  }),
  stateless: (method: string, params: object) => stateless(method, params),
};
type DialectName = keyof typeof DIALECTS;
const NAMES = Object.keys(DIALECTS) as DialectName[];
const MCP = NAMES.filter((name) => name !== 'plain');

// biome-ignore lint/suspicious/noExplicitAny: responses whose shape is under test.
type Json = any;

describe("the gateway's own tools", () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.close());

  async function send(
    dialect: DialectName,
    address: string,
    method: string,
    params: object = {},
    key = gateway.key,
  ): Promise<{ status: number; body: Json }> {
    const { headers, body } = DIALECTS[dialect](method, params);
    return gateway.json(`/mcp${address}`, {
      method: 'POST',
      key,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  }

  const list = async (dialect: DialectName, address: string, params = {}): Promise<Json[]> =>
    (await send(dialect, address, 'tools/list', params)).body.result.tools;
  const namesIn = (tools: Json[]): string[] => tools.map(({ name }) => name);
  const call = (dialect: DialectName, address: string, name: string, args: object, key?: string) =>
    send(dialect, address, 'tools/call', { name, arguments: args }, key);
  /** What a model reads of a result. */
  const textOf = ({ body: { result } }: { body: Json }): string =>
    result.content?.[0].text ?? result.data;

  test.each(NAMES)(`${verifies('ownTools.mode')}: %s`, async (dialect) => {
    expect(namesIn(await list(dialect, '?mode=search')).sort()).toEqual(OWN);
    expect(namesIn(await list(dialect, '')).filter((name) => OWN.includes(name))).toEqual([]);
    const refused = await send(dialect, '?mode=serch', 'tools/list');
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain('Available: search');
  });

  test.each(NAMES)(`${verifies('ownTools.key')}: %s`, async (dialect) => {
    const { key, id } = await gateway.createKey('modes', { mode: 'search' });
    const { body } = await send(dialect, '', 'tools/list', {}, key);
    expect(namesIn(body.result.tools).sort()).toEqual(OWN);
    const found = await call(dialect, '', 'find_tools', { query: '환율', limit: 1 }, key);
    expect(textOf(found)).toMatch(/^\S+_\S+ — /);
    await gateway.changeKey(id, { mode: null });
    await until(async () => {
      await sleep(200);
      const listed = (await send(dialect, '', 'tools/list', {}, key)).body.result.tools;
      return listed.length > OWN.length;
    });
  });

  test.each(NAMES)(`${verifies('ownTools.size')}: %s`, async (dialect) => {
    const tools = await list(dialect, '?mode=search');
    expect(JSON.stringify(tools).length / 4).toBeLessThan(720);
    expect(tools.map(({ _meta }) => _meta['anthropic/alwaysLoad'])).toEqual(OWN.map(() => true));
  });

  test.each(NAMES)(`${verifies('ownTools.find')}: %s`, async (dialect) => {
    const found = await call(dialect, '?mode=search', 'find_tools', { query: '환율', limit: 3 });
    const lines = textOf(found).split('\n');
    expect(lines).toHaveLength(3);
    const names = namesIn(await list(dialect, ''));
    for (const line of lines) expect(names).toContain(line.split(' — ')[0]);
  });

  test.each(NAMES)(`${verifies('ownTools.describe')}: %s`, async (dialect) => {
    const given = { names: ['frankfurter_rates', 'nothing'] };
    const text = textOf(await call(dialect, '?mode=search', 'describe_tools', given));
    expect(text).toMatch(/^frankfurter_rates — /);
    expect(text).toContain('  base?: string');
    expect(text).toContain('"nothing" is not a tool that this key may use.');
  });

  test.each(NAMES)(`${verifies('ownTools.call')}: %s`, async (dialect) => {
    const given = { name: 'frankfurter_rates', arguments: RATES };
    const { result } = (await call(dialect, '?mode=search', 'call_tool', given)).body;
    expect(result.tool).toBe('frankfurter_rates');
    const { body: record } = await gateway.json(`/api/v1/audit/${result.auditId}`);
    expect(record).toMatchObject({ tool: 'frankfurter_rates', arguments: RATES });
  });

  test.each(NAMES)(`${verifies('ownTools.signature')}: %s`, async (dialect) => {
    const given = { name: 'frankfurter_rates', arguments: { base: 5 } };
    const { body } = await call(dialect, '?mode=search', 'call_tool', given);
    const text = body.error?.message ?? body.result.content[0].text;
    expect(text).toContain('\nSignature:\nfrankfurter_rates — ');
    if (dialect === 'plain') expect(body.error.code).toBe(-32602);
    else expect(body.result.isError).toBe(true);
  });

  test.each(NAMES)(`${verifies('ownTools.policy')}: %s`, async (dialect) => {
    const { key } = await gateway.createKey('own-tools', { allowedTools: ['frankfurter_*'] });
    const given = { name: 'kma_ultra_short_nowcast', arguments: {} };
    const denied = await call(dialect, '?mode=search', 'call_tool', given, key);
    expect(denied.body.error).toMatchObject({ code: -32602 });
    expect(denied.body.error.message).toContain('find_tools');
    const near = { name: 'frankfurter_rate', arguments: {} };
    const misspelt = await call(dialect, '?mode=search', 'call_tool', near, key);
    expect(misspelt.body.error.message).toContain('Did you mean frankfurter_rates?');
    const query = { query: '지금 날씨' };
    expect(textOf(await call(dialect, '?mode=search', 'find_tools', query, key))).not.toContain(
      'kma_',
    );
  });

  test.each(NAMES)(`${verifies('ownTools.unlisted')}: %s`, async (dialect) => {
    const { body } = await call(dialect, '', 'find_tools', { query: 'rates' });
    expect(body.error).toMatchObject({ code: -32602 });
    const code = await call(dialect, '', 'find_code', { kind: 'nothing', text: 'x' });
    expect(JSON.stringify(code.body)).toContain('district');
    const found = await call(dialect, '', 'find_code', { kind: 'district', text: 'Gangnam-gu' });
    expect(JSON.stringify(found.body)).toContain('11680');
    const { records } = (await gateway.json('/api/v1/audit?tool=find_code&limit=1')).body;
    expect(records[0]).toMatchObject({ tool: 'find_code', outcome: 'ok' });
  });

  test.each(NAMES)(`${verifies('mcp.narrow.toolset')}: %s`, async (dialect) => {
    const names = namesIn(await list(dialect, '?toolset=world-data'));
    expect(names).toContain('openmeteo_forecast');
    expect(names).toContain('find_code');
    expect(names).toHaveLength(7);
    const outside = await call(dialect, '?toolset=world-data', 'kma_warning_status', {});
    expect(outside.body.error).toMatchObject({ code: -32602 });
    const unknown = await send(dialect, '?toolset=wrold', 'tools/list');
    expect(unknown.status).toBe(400);
    expect(JSON.stringify(unknown.body)).toContain('korean-economy');
  });

  test.each(MCP)(`${verifies('mcp.list.query')}: %s`, async (dialect) => {
    const found = namesIn(await list(dialect, '', { query: 'fine dust in Busan', limit: 2 }));
    expect(found).toHaveLength(2);
    expect(found).toContain('airkorea_sido_realtime');
    const economy = namesIn(await list(dialect, '', { category: 'economy' }));
    expect(economy).toContain('frankfurter_rates');
    expect(economy).not.toContain('kma_warning_status');
    const { body } = await send(dialect, '', 'tools/list', { category: 'econmy' });
    expect(body.error).toMatchObject({ code: -32602 });
  });

  test.each(MCP)(`${verifies('mcp.list.meta')}: %s`, async (dialect) => {
    const tools = await list(dialect, '');
    const rates = tools.find(({ name }) => name === 'frankfurter_rates');
    expect(rates._meta['anthropic/searchHint']).toMatch(/currency.*환율/);
    expect(rates.annotations.idempotentHint).toBe(true);
  });
});
