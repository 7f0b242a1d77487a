import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { Secret } from '../../src/platform/kernel/secret.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../support/gateway.ts';
import { ACCEPTS_EVENTS, rpc } from '../support/rpc-requests.ts';
import { until } from '../support/until.ts';

const KEY = 'dart-key-0123456789';

let gateway: TestGateway;
const logged: string[] = [];
const start = async (options: TestGatewayOptions = {}): Promise<void> => {
  gateway = await startTestGateway({
    secrets: () => new Secret(KEY),
    logger: pino({ level: 'trace' }, { write: (line) => logged.push(line) }),
    ...options,
  });
};
afterEach(async () => {
  await gateway.close();
  expect(logged.join('')).not.toContain(KEY);
  logged.length = 0;
});

const find = async (text: string) =>
  (await gateway.call('find_code', { kind: 'company', text })).body;

/** The result of a method of MCP. */
const request = async (method: string, params: object) =>
  (
    await gateway.json('/mcp', {
      method: 'POST',
      headers: {
        ...ACCEPTS_EVENTS,
        'content-type': 'application/json',
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify(rpc(method, params)),
    })
  ).body.result;

async function complete(value: string, kind?: string): Promise<string[]> {
  const { completion } = await request('completion/complete', {
    ref: { type: 'ref/resource', uri: 'codes://{kind}/{name}' },
    argument: { name: 'name', value },
    context: { arguments: { kind } },
  });
  return completion.values;
}

/** How often the sandbox was asked for the list. */
async function fetches(): Promise<number> {
  const response = await fetch(`${gateway.sandbox.url}/_sandbox/requests`);
  const { requests } = (await response.json()) as { requests: { path: string }[] };
  return requests.filter(({ path }) => path.includes('corpCode.xml')).length;
}

describe('company codes', () => {
  it('are found by name, English name and ticker, with one fetch and an audit record of each call', async () => {
    await start();
    const names = ['삼성전자', 'samsung electronics', '005930'];
    const found = await Promise.all(names.map(find));
    expect(found.map(({ result }) => result.data[0])).toEqual(
      names.map(() => expect.objectContaining({ code: '00126380', ticker: '005930' })),
    );
    expect(await fetches()).toBe(1);
    expect(await readdir(join(gateway.settings.DATA_DIR))).toContain('companies.db');
    const { records } = (await gateway.json('/api/v1/audit?tool=find_code&limit=1')).body;
    expect(records[0]).toMatchObject({ outcome: 'ok', arguments: { kind: 'company' } });
  });

  it.each(['삼성전자', 'Samsung Electronics Co., Ltd.', '005930'])(
    'take the name %s in the tools of the disclosure system',
    async (name) => {
      await start();
      const { result } = (await gateway.call('dart_company_overview', { corp_code: name })).body;
      expect(result.data).toMatchObject({ corp_code: '00126380', stock_code: '005930' });
      expect(result.provenance.asked).toMatchObject({ corp_code: '00126380' });
    },
  );

  it('are listed if a name has several, the listed company first', async () => {
    await start();
    const { error } = (await gateway.call('dart_company_overview', { corp_code: '표본상사' })).body;
    expect(error.code).toBe(-32602);
    expect(error.message).toContain(
      'choose one of 00900002 (표본상사, 900990), 00900001 (표본상사).',
    );
  });

  it('need the key of the operator, while a code does not need the list', async () => {
    await start({ secrets: (name) => (name === 'DART_API_KEY' ? undefined : new Secret(KEY)) });
    const { error } = await find('삼성전자');
    expect(error.data.reason).toBe('missing_secret');
    expect(error.message).toMatch(/DART_API_KEY, which has no value: the operator/);
    const overview = (await gateway.call('dart_company_overview', { corp_code: '삼성전자' })).body;
    expect(overview.error.data.reason).toBe('missing_secret');
    const { records } = (await gateway.json('/api/v1/audit?tool=find_code&limit=1')).body;
    expect(records[0]).toMatchObject({ outcome: 'error', error: { code: 'missing_secret' } });
    expect(await fetches()).toBe(0);
  });

  it('can be found once the key is set in the dashboard', async () => {
    await start({ secrets: () => undefined });
    await gateway.setProviderKey('DART_API_KEY', KEY);
    await until(async () => (await find('삼성전자')).result?.data[0]?.code === '00126380');
  });

  it('are not found with a key that the provider refuses', async () => {
    await start({ secrets: () => new Secret('unregistered') });
    const { error } = await find('삼성전자');
    expect(error.message).toContain('the provider refuses DART_API_KEY (status 010)');
  });

  it('are resources, and complete names of all kinds once the list is in use', async () => {
    await start();
    expect(await complete('삼성전')).not.toContain('삼성전자');
    const { contents } = await request('resources/read', { uri: 'codes://company/005930' });
    expect(JSON.parse(contents[0].text)).toMatchObject([{ code: '00126380' }]);
    expect(await complete('삼성전')).toContain('삼성전자');
    expect(await complete('Sample Tra', 'company')).toEqual(['Sample Trading Holdings Co., Ltd.']);
    const { resourceTemplates } = await request('resources/templates/list', {});
    expect(resourceTemplates[0].description).toContain('company needs DART_API_KEY.');
    expect(await fetches()).toBe(1);
  });

  it.each([
    [{ kind: 'company', near: { lat: 37, lon: 127 } }, 'company has no coordinates. Use text.'],
    [{ kind: 'company' }, 'Give text: a name, a ticker or a code.'],
    [{ kind: 'company', text: ' ' }, 'text is empty.'],
  ])('cannot be asked for with %j', async (args, message) => {
    await start();
    const { error } = (await gateway.call('find_code', args)).body;
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(message) });
    expect(await fetches()).toBe(0);
  });
});
