import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDataDir, removeDir } from '../../../test/support/temporary-dir.ts';
import { StartupError } from '../kernel/error.ts';
import { lockDataDir, prepareDataDir } from './data-dir.ts';

describe('the data directory', () => {
  let parent: string;
  beforeEach(async () => {
    parent = await makeDataDir();
  });
  afterEach(() => removeDir(parent));

  it('is created with access only for its owner', () => {
    const dataDir = join(parent, 'a', 'b');
    prepareDataDir(dataDir);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  });

  it('is used by one gateway at a time', async () => {
    const lock = lockDataDir(parent);
    expect(() => lockDataDir(parent)).toThrow(StartupError);
    expect(() => lockDataDir(parent)).toThrow(
      `Another gateway is using the data directory ${parent}.`,
    );
    await lock.close();
    await lock.close();
    await lockDataDir(parent).close();
  });

  it('is unlocked after its gateway is killed', async () => {
    const source = `
      import { lockDataDir } from ${JSON.stringify(import.meta.resolve('./data-dir.ts'))};
      globalThis.lock = lockDataDir(${JSON.stringify(parent)});
      console.log('locked');
      setInterval(() => undefined, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    expect(() => lockDataDir(parent)).toThrow('Another gateway');
    child.kill('SIGKILL');
    await once(child, 'close');
    await lockDataDir(parent).close();
  });

  it('must be a directory', () => {
    const file = join(parent, 'file');
    writeFileSync(file, '');
    for (const path of [file, join(file, 'below')]) {
      expect(() => prepareDataDir(path)).toThrow(`The data directory ${path} is not a directory.`);
    }
  });

  it('must be writable', () => {
    // Not even root can create files here.
    expect(() => lockDataDir('/proc/self')).toThrow(
      /The data directory \/proc\/self cannot be written \(\w+\)\. Set DATA_DIR/,
    );
  });

  it('must be in a directory that can be created', () => {
    // Node's recursive mkdir never returns here.
    expect(() => prepareDataDir('/proc/nobody/data')).toThrow('cannot be written (ENOENT)');
  });

  it('is refused if its lock file is a directory', () => {
    mkdirSync(join(parent, 'gateway.lock'));
    expect(() => lockDataDir(parent)).toThrow('cannot be written (EISDIR)');
  });
});
