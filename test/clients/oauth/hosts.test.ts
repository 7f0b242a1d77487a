import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ON_TERMINAL } from '../../support/gateway-process.ts';
import {
  askClaude,
  CLAUDE_CODE,
  claudeDirectory,
  claudeEnvironment,
} from '../hosts/claude-code.ts';
import { askCodex, CODEX_EXEC, codexSettings, runCodex } from '../hosts/codex.ts';
import { converse, type Host, type Place } from '../hosts/host.ts';
import { SERVER } from '../hosts/model-wire.ts';
import { type ProgramResult, runCommand } from '../support/run-program.ts';
import { CHOSEN_TOOL, describeSignIn, OTHER_TOOL, type SignIn, startSignIn } from './person.ts';

let place: SignIn;
beforeAll(async () => {
  place = await startSignIn();
});
afterEach(() => expect(place.person.failures.splice(0)).toEqual([]));
afterAll(() => place?.close());

/** Signs in with the first command, and asks the question after the token has expired. */
const signedIn = (
  host: Host,
  connect: (at: Place) => Promise<void>,
  ask: (at: Place) => Promise<ProgramResult>,
): Host => ({
  ...host,
  run: async (at) => {
    await connect(at);
    place.letTokensExpire();
    return ask(at);
  },
});

/** Adding the gateway is enough: Codex notices that a person must sign in. */
const CODEX = signedIn(
  CODEX_EXEC,
  async ({ home, modelUrl, address }) => {
    await writeFile(join(home, 'config.toml'), codexSettings(modelUrl));
    const add = ['mcp', 'add', SERVER, '--url', address];
    expectSaid(await runCodex(home, add, place.person.env), 'Successfully logged in.');
  },
  ({ home }) => askCodex(home, place.person.env),
);

/** The command that signs in needs a terminal. */
const CLAUDE = signedIn(
  CLAUDE_CODE,
  async ({ home, address }) => {
    const claude = [join(await claudeDirectory(), 'claude'), 'mcp'];
    const env = { ...claudeEnvironment(home), ...place.person.env };
    const add = ['add', '--transport', 'http', '--scope', 'user', SERVER, address];
    expectSaid(await runCommand([...claude, ...add], env, home), `Added HTTP MCP server ${SERVER}`);
    const login = [...ON_TERMINAL, ...claude, 'login', SERVER];
    expectSaid(await runCommand(login, env, home), `Authenticated with "${SERVER}".`);
  },
  // By itself it lets a model search for tools when there are many, and does not offer them.
  (at) => askClaude(at, [], { ...place.person.env, ENABLE_TOOL_SEARCH: 'false' }),
);

describeSignIn.each([CODEX, CLAUDE])('$name', (host) => {
  test('offers the chosen tools to its model, after one visit of the person to the browser', async () => {
    const already = place.person.opened.length;
    const target = { address: `${place.gateway.url}/mcp`, key: '' };
    const conversation = await converse(host, target, [
      { tool: CHOSEN_TOOL, arguments: {} },
      { text: 'One euro is 1.17 dollars.' },
    ]);
    const { result, offered, shown } = conversation;
    expectSaid(result, 'One euro is');
    expect(offered).toContain(CHOSEN_TOOL);
    expect(offered).not.toContain(OTHER_TOOL);
    expect(shown[0]?.join('\n')).toMatch(new RegExp(`^${CHOSEN_TOOL}: `, 'm'));
    expect(place.person.opened.slice(already)).toHaveLength(1);
  });
});

/** The program succeeded and printed the text; otherwise, all that it wrote is shown. */
const expectSaid = (result: ProgramResult, said: string): void =>
  expect(result).toEqual({
    code: 0,
    stdout: expect.stringContaining(said),
    stderr: expect.any(String),
  });
