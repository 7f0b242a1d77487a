import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { ON_TERMINAL, spawnGateway } from '../support/gateway-process.ts';
import { answerRanges, RANGE_PRESET } from '../support/range-upstream.ts';
import { until } from '../support/until.ts';

let gateway: TestGateway;
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  gateway = await startTestGateway({ presets: { ranges: RANGE_PRESET } });
  env = { BASE_URL: gateway.url, TOOL_GATEWAY_API_KEY: gateway.key };
});
afterAll(() => gateway.close());

const CALL = ['call', 'range_open', '--over', 'n=1..8', '--csv'];

/** The records of the ranges, without those of their requests. */
async function ranges(): Promise<{ error: { code: string } | null }[]> {
  const { body } = await gateway.json('/api/v1/audit?tool=range_open');
  return body.records.filter(({ partOf }: { partOf: string | null }) => partOf === null);
}

test('Ctrl+C ends a range, also on the gateway', async () => {
  let asked = 0;
  gateway.upstream.answer(() => {
    asked++;
  });
  const command = spawnGateway(CALL, env);
  await until(() => asked > 0);
  command.kill('SIGINT');
  expect(await command.ended).toEqual({ code: null, signal: 'SIGINT' });
  expect(command.stdout()).toBe('');
  await until(async () => (await ranges()).length === 1);
  expect(await ranges()).toMatchObject([{ error: { code: 'cancelled' } }]);
});

test.skipIf(process.platform !== 'linux')(
  'a terminal shows how far a range has come; a file has the rows alone',
  async () => {
    let answered = 0;
    gateway.upstream.answer(async (request, response) => {
      if (answered++ === 6) await new Promise((resolve) => setTimeout(resolve, 2500));
      return answerRanges(request, response);
    });
    const shown = spawnGateway(CALL, env, ON_TERMINAL);
    expect(await shown.ended).toEqual({ code: 0, signal: null });
    expect(shown.stdout()).toMatch(/#{15,}\.+ [67] of 8 units, 2 s so far\..*n,row\r+\n/s);
    const piped = spawnGateway(CALL, env);
    expect(await piped.ended).toEqual({ code: 0, signal: null });
    expect(piped.stderr()).toBe('');
    expect(piped.stdout()).toMatch(/^\uFEFFn,row\r\n1,0\r\n/);
  },
);
