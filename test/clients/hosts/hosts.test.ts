import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectSnippet } from '../../../src/access/connect/connect-clients.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { makeDataDir, removeDir } from '../../support/temporary-dir.ts';
import { runCommand } from '../support/run-program.ts';
import { CLAUDE_CODE, claudeDirectory, claudeEnvironment } from './claude-code.ts';
import { CODEX_EXEC } from './codex.ts';
import { type Conversation, converse, type Host } from './host.ts';
import type { Turn } from './model-wire.ts';

const FORECAST = { lat: 37.57, lon: 126.98, _limit: 5 };
const END: Turn = { text: 'It will be sunny.' };
const API_KEY_SENTENCE =
  'This gateway takes an API key: send it as x-api-key or Authorization: Bearer.';

let gateway: TestGateway;
beforeAll(async () => {
  // A wrong key would otherwise lead hosts to a browser.
  gateway = await startTestGateway({ env: { OAUTH: 'off' } });
});
afterAll(() => gateway.close());

/** Lets the model of a host make calls and end. */
async function answer(host: Host, path: string, calls: readonly Turn[]): Promise<Conversation> {
  const target = { address: `${gateway.url}${path}`, key: gateway.key };
  const conversation = await converse(host, target, [...calls, END]);
  const { code, stdout, stderr } = conversation.result;
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: expect.stringContaining('It will be sunny.'),
    stderr: expect.any(String),
  });
  expect(conversation.shown).toHaveLength(calls.length);
  return conversation;
}

describe.concurrent.each([CLAUDE_CODE, CODEX_EXEC])('$name', (host) => {
  test('shows the model headline, total, date and rows, once', async () => {
    const calls = [{ tool: 'kma_village_forecast', arguments: FORECAST }];
    const { shown } = await answer(host, '/mcp', calls);
    expectForecast(shown[0]);
  });

  test('finds and calls a tool in search mode', async () => {
    const call = { name: 'kma_village_forecast', arguments: FORECAST };
    const { offered, shown } = await answer(host, '/mcp?mode=search&category=weather', [
      { tool: 'find_tools', arguments: { query: 'weather forecast for the next days' } },
      { tool: 'call_tool', arguments: call },
    ]);
    expect([...offered].sort()).toEqual(['call_tool', 'describe_tools', 'find_code', 'find_tools']);
    expect(shown[0]?.join('\n')).toMatch(/^kma_village_forecast — /m);
    expectForecast(shown[1]);
  });

  test('shows the model who must act on a failure', async () => {
    await gateway.fault('airkorea_stations', 'key');
    const { shown } = await answer(host, '/mcp', [
      { tool: 'frankfurter_rates', arguments: { base: 'EUR', quotes: 'not it' } },
      { tool: 'airkorea_stations', arguments: { addr: host.name } },
    ]);
    const [wrong, refused] = shown.map((texts) => texts.join('\n'));
    expect(wrong).toMatch(
      /frankfurter_rates failed: .*\/quotes .* Correct the arguments and call again\./,
    );
    expect(refused).toMatch(/airkorea_stations failed: .*operator/);
  });
});

/** One text, in which the headline and each row occur once. */
function expectForecast(texts: readonly string[] = []): void {
  const told = texts.filter((text) => text.includes('kma_village_forecast'));
  expect(told).toHaveLength(1);
  const [headline = '', ...lines] = (told[0] ?? '').split('\n');
  expect(headline).toMatch(
    /^kma_village_forecast: 5 of \d+ rows for .*\bData of \d{4}-\d\d-\d\dT\d\d:00\+09:00\. Source: Korea Meteorological Administration .*\.$/,
  );
  const [columns = '', ...rows] = lines.slice(lines.indexOf('') + 1, -1);
  expect(columns).toMatch(/^fcstDate \(day\)\tfcstTime /);
  expect(rows).toHaveLength(5);
  for (const row of rows) expect(row).toMatch(/^\d{8}\t\d{4}\t/);
  const everything = texts.join('\n');
  for (const line of [headline, columns, ...rows]) {
    expect(everything.split(line)).toHaveLength(2);
  }
}

describe.concurrent('with a wrong key', () => {
  test('Claude Code, connected by the snippet of connect, says how to send a key', async () => {
    const connected = await listServers(gateway.key);
    expect(connected).toMatch(/tool-gateway: .* Connected/);
    expect(await listServers('tg_live_wrong')).toContain(API_KEY_SENTENCE);
  });

  test('Codex says that it needs a key', async () => {
    const target = { address: `${gateway.url}/mcp`, key: 'tg_live_wrong' };
    const { result, offered } = await converse(CODEX_EXEC, target, [END]);
    // It does not print the body of the 401.
    expect(result.stderr).toContain('Auth required');
    expect(result.stderr).not.toContain('Dynamic Client Registration');
    expect({ code: result.code, offered }).toEqual({ code: 1, offered: [] });
  });
});

/** Runs what `connect claude-code` prints, then the check that docs/clients.md names. */
async function listServers(key: string): Promise<string> {
  const home = await makeDataDir();
  const snippet = connectSnippet('claude-code', { url: gateway.url, key, command: ['node'] });
  const PATH = `${await claudeDirectory()}:${process.env['PATH']}`;
  try {
    const env = { ...claudeEnvironment(home), PATH };
    const { stdout, stderr } = await runCommand(
      ['sh', '-ec', `${snippet}\nexec claude mcp list`],
      env,
      home,
    );
    return `${stdout}${stderr}`;
  } finally {
    await removeDir(home);
  }
}
