import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { shellWord } from '../../src/access/connect/connect-quote.ts';
import { runWithInput } from '../corpus/command-line.ts';
import { collectOutput } from '../support/collect-output.ts';
import { runGatewayCommand } from '../support/gateway-process.ts';
import { jobStatus, type PlannedGateway, startPlannedGateway } from '../support/planned-gateway.ts';
import { makeDataDir, removeDir } from '../support/temporary-dir.ts';
import { until } from '../support/until.ts';

const MAIN = resolve(import.meta.dirname, '../../bin/tool-gateway.mjs');
const SECRET = 's3cret-of-the-api';

let dir: string;
let server: PlannedGateway;
let args: readonly string[];
let env: Readonly<Record<string, string>>;
beforeEach(async () => {
  dir = await makeDataDir();
  const file = join(dir, 'pets.yaml');
  await writeFile(file, 'openapi: 3.1.0\n');
  server = await startPlannedGateway();
  server.statuses.push(jobStatus('registered'));
  args = ['register', file, '--name', 'Pets', '--auth', 'bearer'];
  env = { BASE_URL: server.url, TOOL_GATEWAY_API_KEY: 'a-key' };
});
afterEach(async () => {
  await server.close();
  await removeDir(dir);
});

const receivedToken = () => server.received[0]?.request.authentication.credentials.token?.reveal();

describe('register reads the credential', () => {
  test('as one line from standard input', async () => {
    const { code, stdout, stderr } = await runWithInput({ args, env }, `${SECRET}\nmore\n`);
    expect({ code, token: receivedToken() }).toEqual({ code: 0, token: SECRET });
    expect(stdout + stderr).not.toContain(SECRET);
  });

  test('from the environment first', async () => {
    const withSecret = { ...env, TOOL_GATEWAY_CREDENTIAL: SECRET };
    const { code } = await runWithInput({ args, env: withSecret }, 'another\n');
    expect({ code, token: receivedToken() }).toEqual({ code: 0, token: SECRET });
  });

  test('or explains what to set', async () => {
    const { code, stderr } = await runGatewayCommand(args, env);
    expect(code).toBe(2);
    expect(stderr).toBe(
      'error: --auth bearer needs a credential. Set TOOL_GATEWAY_CREDENTIAL, or write it to standard input.\n',
    );
  });
});

describe.skipIf(process.platform !== 'linux')('register, on a terminal,', () => {
  /** Runs the command on a terminal of its own, which `script` of util-linux creates. */
  function onTerminal(): { child: ChildProcessWithoutNullStreams; screen: () => string } {
    const command = [process.execPath, MAIN, ...args].map(shellWord).join(' ');
    const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    });
    return { child, screen: collectOutput(child.stdout) };
  }

  test('asks for the credential and does not show it', async () => {
    const { child, screen } = onTerminal();
    await until(() => screen().includes('Token: '));
    child.stdin.write(`${SECRET}\r`);
    const [code] = await once(child, 'close');
    expect({ code, token: receivedToken() }).toEqual({ code: 0, token: SECRET });
    expect(screen()).toMatch(/^Token: \r\njob_/);
    expect(screen()).not.toContain(SECRET);
  });

  test.each([
    ['y', { code: 0, requests: 2, confirmed: ['https://api.example.com'] }],
    ['', { code: 1, requests: 1, confirmed: [] }],
  ])('asks where the credential may be sent: "%s"', async (answer, expected) => {
    const origins = ['https://api.example.com'];
    const error = { code: 'conflict', message: 'It would be sent elsewhere.' };
    server.statuses.unshift(jobStatus('confirmation_required', { origins, error }));
    env = { ...env, TOOL_GATEWAY_CREDENTIAL: SECRET };
    const { child, screen } = onTerminal();
    await until(() => screen().includes('Send the credential to https://api.example.com? [y/N] '));
    child.stdin.write(`${answer}\r`);
    const [code] = await once(child, 'close');
    const confirmed = server.received.at(-1)?.request.confirmedOrigins;
    expect({ code, requests: server.received.length, confirmed }).toEqual(expected);
    expect(receivedToken()).toBe(SECRET);
  });

  test.each(['Token: ', '[y/N] '])('ends at Ctrl+C after "%s"', async (question) => {
    server.statuses.unshift(jobStatus('confirmation_required'));
    if (question !== 'Token: ') env = { ...env, TOOL_GATEWAY_CREDENTIAL: SECRET };
    const { child, screen } = onTerminal();
    await until(() => screen().includes(question));
    child.stdin.write('\x03');
    const [code] = await once(child, 'close');
    expect(code).toBe(130);
    expect(server.received).toHaveLength(question === 'Token: ' ? 0 : 1);
  });
});
