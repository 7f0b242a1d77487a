import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createSandbox } from '../../sandbox/sandbox.ts';

export const SHIPPED_PRESETS = resolve(import.meta.dirname, '../../presets');

/** Presets with the sandbox as the upstream of each. */
export interface SandboxedPresets {
  readonly sandboxUrl: string;
  /** What a gateway needs to call them. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** For gateways that cannot be started with `--sandbox`, because they have a shared database. */
export async function sandboxedPresets(presetsDir = SHIPPED_PRESETS): Promise<SandboxedPresets> {
  const sandbox = await createSandbox({ presetsDir, host: '127.0.0.1', port: 0 });
  const dir = await mkdtemp(join(tmpdir(), 'sandboxed-presets-'));
  await cp(presetsDir, dir, { recursive: true });
  const env: Record<string, string> = { PRESETS_DIR: dir };
  for (const file of await readdir(dir, { recursive: true })) {
    if (!file.endsWith('.yaml')) continue;
    const text = await readFile(join(dir, file), 'utf8');
    const baseUrl = sandbox.baseUrlFor(file.replace(/\.yaml$/, ''));
    await writeFile(join(dir, file), text.replace(/^(servers:\n {2}- url: )\S+$/m, `$1${baseUrl}`));
    for (const [, name = ''] of text.matchAll(/x-secret: (\w+)/g)) env[name] = 'sandbox-secret';
  }
  return {
    sandboxUrl: sandbox.url,
    env,
    close: async () => {
      await sandbox.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
