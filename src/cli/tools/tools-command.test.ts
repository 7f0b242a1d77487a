import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { SHIPPED_PRESETS } from '../../../test/support/sandboxed-presets.ts';
import { runWithin as run } from '../testing/run-within.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.close());

const FROM_PRESETS = `Presets of ${SHIPPED_PRESETS}. For the tools of a running gateway, give an API key with --key or TOOL_GATEWAY_API_KEY.\n`;

const linesOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** The commands read either source with the same result. */
describe.each([
  { source: 'the presets', stderr: FROM_PRESETS, env: () => ({ TOOL_GATEWAY_API_KEY: '' }) },
  {
    source: 'a gateway',
    stderr: '',
    env: () => ({ TOOL_GATEWAY_API_KEY: gateway.key, BASE_URL: gateway.url }),
  },
])('with $source, tools', ({ stderr, env }) => {
  beforeEach(() => {
    for (const [name, value] of Object.entries(env())) vi.stubEnv(name, value);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  test('list shows every tool with the first sentence of its description', async () => {
    const result = await run('tools', 'list');
    expect(result).toMatchObject({ code: 0, stderr });
    expect(result.stdout).toMatch(/^NAME +CATEGORY +DESCRIPTION\n/);
    expect(result.stdout).toMatch(/^frankfurter_rates +economy +\S.*$/m);
    expect(result.stdout).toMatch(/^kma_village_forecast +weather +\S.*…$/m);
  });

  test('list --category --json prints one tool record a line', async () => {
    const { stdout } = await run('tools', 'list', '--category', 'economy', '--json');
    const tools = linesOf(stdout);
    expect(new Set(tools.map(({ category }) => category))).toEqual(new Set(['economy']));
    expect(tools.find(({ name }) => name === 'frankfurter_rates')).toMatchObject({
      id: 'economy.frankfurter.frankfurter_rates',
      inputSchema: { type: 'object' },
    });
  });

  test('search finds tools by words, the best match first', async () => {
    const { stdout } = await run('tools', 'search', 'exchange', 'rate', '--limit', '2', '--json');
    const names = linesOf(stdout).map(({ name }) => name);
    expect(names).toHaveLength(2);
    expect(names).toContain('frankfurter_rates');
    expect(await run('tools', 'search', 'zzzzzzzz')).toEqual({
      code: 0,
      stdout: 'NAME  CATEGORY  DESCRIPTION\n',
      stderr: `${stderr}No tool was found.\n`,
    });
  });

  test('show explains the arguments of a tool and how to call it', async () => {
    const { stdout } = await run('tools', 'show', 'kofic_daily_box_office');
    expect(stdout).toMatch(/^kofic_daily_box_office \(culture\.\S+\)\n\n.+\n\nARGUMENT +TYPE/s);
    const { stdout: byId } = await run('tools', 'show', 'economy.frankfurter.frankfurter_rates');
    expect(byId).toMatch(/^base +string .* no +\S/m);
    expect(byId).toContain('To call it, run: npm run -s cli -- call frankfurter_rates\n');
    const { stdout: json } = await run('tools', 'show', 'frankfurter_rates', '--json');
    expect(JSON.parse(json)).toMatchObject({ name: 'frankfurter_rates', method: 'GET' });
  });

  test('show suggests the tool that a misspelt name may mean, or where to see all', async () => {
    expect(await run('tools', 'show', 'frankfurter_rtaes')).toEqual({
      code: 1,
      stdout: '',
      stderr: `${stderr}There is no tool "frankfurter_rtaes". Did you mean frankfurter_rates?\n`,
    });
    expect((await run('tools', 'show', 'nothing_alike')).stderr).toContain(
      'There is no tool "nothing_alike". To list all tools, run: npm run -s cli -- tools list\n',
    );
  });

  test('list names the categories in place of an unknown one', async () => {
    const { code, stderr: said } = await run('tools', 'list', '--category', 'wether');
    expect([code, said]).toEqual([1, expect.stringContaining('culture, economy')]);
  });
});

test('an address without a key asks for the key', async () => {
  vi.stubEnv('TOOL_GATEWAY_API_KEY', '');
  expect(await run('tools', 'list', '--url', gateway.url)).toEqual({
    code: 1,
    stdout: '',
    stderr: 'Give an API key with --key or TOOL_GATEWAY_API_KEY.\n',
  });
});
