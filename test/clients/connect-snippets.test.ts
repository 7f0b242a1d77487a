import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConnectClientName, connectSnippet } from '../../src/cli/connect/connect-clients.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { makeDataDir, removeDir } from '../support/temporary-dir.ts';
import { installedFile } from './support/run-program.ts';

let gateway: TestGateway;
/** Where a user would put a snippet: a directory in which the packages are installed. */
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

/** Runs what `connect` prints, in a shell or as a module, and returns what that printed. */
async function run(client: ConnectClientName, tools?: string): Promise<string> {
  const target = { url: gateway.url, key: gateway.key, ...(tools ? { tools } : {}) };
  const snippet = connectSnippet(client, target);
  const isModule = snippet.startsWith('import ');
  const file = join(dir, `${client}.mts`);
  await writeFile(file, snippet);
  const [command, args] = isModule ? [process.execPath, [file]] : ['sh', ['-c', snippet]];
  // Nothing may be fetched: a snippet must do with what is installed.
  const env = { PATH: process.env['PATH'], HOME: dir, npm_config_offline: 'true' };
  const { stdout } = await promisify(execFile)(command, args, { cwd: dir, env });
  return stdout;
}

test.for(['inspector', 'typescript-sdk', 'ai-sdk', 'curl'] as const)(
  'what connect prints for %s lists the tools',
  async (client) => {
    expect(await run(client)).toContain('artic_artwork_search');
    const narrowed = await run(client, 'frankfurter_*,kma_uv_index');
    expect(narrowed).toContain('frankfurter_rates');
    expect(narrowed).toContain('kma_uv_index');
    expect(narrowed).not.toContain('artic_artwork_search');
  },
);
