import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConnectTarget, connectSnippet } from '../../src/access/connect/connect-clients.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { makeDataDir, removeDir } from '../support/temporary-dir.ts';
import { installedFile } from './support/run-program.ts';

let gateway: TestGateway;
/** A directory in which the packages are installed, as for a user of a snippet. */
let dir: string;
beforeAll(async () => {
  gateway = await startTestGateway();
  dir = await makeDataDir();
  await symlink(installedFile(''), join(dir, 'node_modules'));
});
afterAll(async () => {
  await gateway.close();
  await removeDir(dir);
});

/** Runs the snippet that `connect` prints, in a shell or as a module, and returns its output. */
async function run(client: string, tools?: string): Promise<string> {
  const target: ConnectTarget = {
    url: gateway.url,
    key: gateway.key,
    command: ['node'],
    ...(tools ? { tools } : {}),
  };
  const snippet = connectSnippet(client, target);
  const isModule = snippet.startsWith('import ');
  const file = join(dir, `${client}.mts`);
  await writeFile(file, snippet);
  const [command, args] = isModule ? [process.execPath, [file]] : ['sh', ['-c', snippet]];
  // Nothing may be downloaded: a snippet must work with what is installed.
  const env = { PATH: process.env['PATH'], HOME: dir, npm_config_offline: 'true' };
  const { stdout } = await promisify(execFile)(command, args, { cwd: dir, env });
  return stdout;
}

test.for(['inspector', 'typescript-sdk', 'ai-sdk', 'curl'] as const)(
  'the snippet of connect for %s lists the tools',
  async (client) => {
    expect(await run(client)).toContain('artic_artwork_search');
    const narrowed = await run(client, 'frankfurter_*,kma_uv_index');
    expect(narrowed).toContain('frankfurter_rates');
    expect(narrowed).toContain('kma_uv_index');
    expect(narrowed).not.toContain('artic_artwork_search');
  },
);
