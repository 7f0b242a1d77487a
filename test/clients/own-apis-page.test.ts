import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collectOutput } from '../support/collect-output.ts';
import { readStart } from '../support/gateway-process.ts';
import { freePort } from '../support/ports.ts';
import { makeDataDir, removeDir } from '../support/temporary-dir.ts';
import { until } from '../support/until.ts';
import { installedFile } from './support/run-program.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** A program that runs until the tests end. */
interface Running {
  readonly output: () => string;
}

/** One terminal after another, in which a reader of the page runs its code blocks, on ports that are free here. */
let dir: string;
let ports: readonly [string, string][];
let env: NodeJS.ProcessEnv;
let stream: Running;
const running: ChildProcess[] = [];

beforeAll(async () => {
  dir = await makeDataDir();
  await symlink(installedFile(''), join(dir, 'node_modules'));
  const [gateway, sandbox] = [await freePort(), await freePort()];
  ports = [
    ['127.0.0.1:8080', `127.0.0.1:${gateway}`],
    ['127.0.0.1:8090', `127.0.0.1:${sandbox}`],
    ['cli -- sandbox &', `cli -- sandbox --port ${sandbox} &`],
  ];
  const { PATH, HOME } = process.env;
  env = { PATH, HOME, PORT: String(gateway) };
  env['DATA_DIR'] = join(dir, 'data');

  const gatewayAndSandbox = start(await shell('docs/own-apis.md', 'sandbox &'));
  await until(() => readStart(gatewayAndSandbox.output()) !== null);
  env['KEY'] = readStart(gatewayAndSandbox.output())?.key;
  const [, listen = ''] = (await shell('docs/own-apis.md', 'mcp/sse')).split('tg_live_...\n');
  stream = start(`${listen}wait`);
  await until(() => stream.output().includes('event: ready'));
});
afterAll(async () => {
  // The stream ends before its gateway.
  for (const child of running.toReversed()) {
    const closed = once(child, 'close');
    endGroup(child, 'SIGTERM');
    await closed;
  }
  await removeDir(dir);
});

describe('the walk-through of docs/own-apis.md', () => {
  test('registers an API with curl, hears every step, and calls a tool', async () => {
    const accepted = JSON.parse(await run(await shell('docs/own-apis.md', 'api/v1/register')));
    expect(accepted).toMatchObject({ job_id: expect.any(String), status: 'queued' });
    await until(() => statuses().includes('registered'));
    expect(statuses()).toEqual(['queued', 'fetching', 'validating', 'converting', 'registered']);

    const output = await run(await shell('docs/own-apis.md', '"tools/call"'));
    expect(output).toContain('"id":"@default.reading-list.listbooks"');
    expect(output).toContain('"title":"Ficciones"');
  });

  test('deletes it, and registers it again from the command line', async () => {
    await remove();
    const output = await run(await shell('docs/own-apis.md', 'TOOL_GATEWAY_CREDENTIAL='));
    expect(output).toMatch(/@default\.reading-list\.listbooks +listbooks/);
    expect(await run(await shell('docs/own-apis.md', 'openapi check'))).toContain('3 accepted');
  });

  test('registers and calls it with the SDK', async () => {
    await remove();
    const file = join(dir, 'reader.mts');
    await writeFile(file, await block('docs/own-apis.md', 'ts', 'StreamableHTTPClientTransport'));
    const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
    for (const name of ['listbooks', 'addbook', 'getbook']) {
      expect(stdout).toContain(`name: '${name}'`);
    }
    expect(stdout).not.toContain('data4library_popular_books');
    expect(stdout).toContain('Ficciones');
  });

  test('corrects where its rows are', async () => {
    const address = `http://127.0.0.1:${env['PORT']}/api/v1/registrations`;
    const ask = async (path: string) =>
      JSON.parse(await run(`curl -s ${address}${path} -H "x-api-key: $KEY"`));
    const [{ id }] = (await ask('')).registrations;
    await run((await shell('docs/own-apis.md', 'x-items')).replace('reg_...', id));
    const tools: { name: string; rows: unknown }[] = (await ask(`/${id}`)).tools;
    expect(tools.find(({ name }) => name === 'listbooks')?.rows).toMatchObject({
      ...{ items: '/books', total: null, paging: null, source: 'registration' },
    });
  });

  test('replaces its credential', async () => {
    const list = `curl -s http://127.0.0.1:${env['PORT']}/api/v1/registrations -H "x-api-key: $KEY"`;
    const { id } = JSON.parse(await run(list)).registrations[0];
    const replace = (await shell('docs/own-apis.md', 'PATCH')).replace('reg_...', id);
    expect(JSON.parse(await run(replace))).toMatchObject({ auth: { type: 'bearer', set: true } });
    const refused = await run(await shell('docs/own-apis.md', '"tools/call"'));
    expect(refused).toContain('The bearer token of this API is practice-token.');
    await remove();
  });
});

const remove = async (): Promise<void> => {
  const { message } = JSON.parse(await run(await shell('docs/own-apis.md', '-X DELETE')));
  expect(message).toMatch(/^Deleted the API ".+" with all 3 tools\.$/);
};

/** The statuses of the events that the stream has shown. */
const statuses = (): string[] =>
  [...stream.output().matchAll(/^event: byoapi\ndata: (.+)\n/gm)].map(
    ([, data = '']) => JSON.parse(data).status,
  );

const shell = (page: string, text: string): Promise<string> => block(page, 'sh', text);

/** The first code block of a page that contains a text, with the ports of this test. */
async function block(page: string, language: string, text: string): Promise<string> {
  const markdown = await readFile(join(ROOT, page), 'utf8');
  const blocks = markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms);
  const found = [...blocks].find(([, kind, code]) => kind === language && code?.includes(text));
  if (!found) throw new Error(`${page} has no block of ${language} with: ${text}`);
  return ports.reduce((code, [from, to]) => code.replaceAll(from, to), found[2] ?? '');
}

/** Runs commands in a shell, and resolves with their output. */
async function run(commands: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-ec', commands], { cwd: ROOT, env });
  return stdout;
}

/** Starts commands in a shell, which ends with the tests. */
function start(commands: string): Running {
  const child = spawn('sh', ['-c', commands], {
    cwd: ROOT,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  running.push(child);
  process.once('exit', () => {
    if (child.exitCode === null && child.signalCode === null) endGroup(child, 'SIGKILL');
  });
  const output = collectOutput(child.stdout);
  return { output: () => stripVTControlCharacters(output()) };
}

/** Ends a shell and everything that it started. */
function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) process.kill(-pid, signal);
}
