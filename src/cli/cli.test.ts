import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDataDir, removeDir } from '../../test/support/temporary-dir.ts';
import { VERSION } from '../kernel/version.ts';
import { runCli } from './cli.ts';

/** Runs a command line within this process. */
async function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const written = { stdout: '', stderr: '' };
  const originals = { stdout: process.stdout.write, stderr: process.stderr.write };
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (text) => {
      written[name] += String(text);
      return true;
    };
  }
  try {
    return { code: await runCli(['node', 'tool-gateway', ...args]), ...written };
  } finally {
    process.stdout.write = originals.stdout;
    process.stderr.write = originals.stderr;
  }
}

describe('--help', () => {
  test.each([
    '',
    'start',
    'sandbox',
    'keys',
    'keys create',
    'keys list',
    'keys revoke',
    'tenants',
    'tenants list',
    'presets',
    'presets check',
    'call',
    'audit',
    'audit export',
  ])('says what "%s" is for', async (command) => {
    const words = command.split(' ').filter(Boolean);
    const { code, stdout, stderr } = await run(...words, '--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: ${['tool-gateway', ...words].join(' ')}`);
    expect(stdout).toMatch(/\n\n[A-Z][\s\S]+?\.\n\n(?:Arguments|Options):/);
  });
});

test('--version prints the version alone', async () => {
  expect(await run('--version')).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
});

describe('wrong usage', () => {
  test.each([
    ['no command', []],
    ['an unknown command', ['bogus']],
    ['a group without its command', ['keys']],
    ['an unknown command of a group', ['keys', 'bogus']],
    ['an unknown option', ['start', '--bogus']],
    ['too many arguments', ['start', 'extra']],
    ['a required option left out', ['keys', 'create']],
    ['an option without its value', ['keys', 'create', '--tenant']],
    ['a required argument left out', ['keys', 'revoke']],
    ['a duration that is none', ['keys', 'create', '--tenant', 'a', '--expires', '0d']],
    ['a time that is none', ['audit', 'export', '--from', 'yesterday']],
    ['a port that is none', ['sandbox', '--port', 'abc']],
    ['no tool to call', ['call']],
  ])('exits with 2 for %s, and says why on standard error', async (_what, args) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^(error: |Usage: )/);
  });
});

describe('presets check', () => {
  let dir: string;
  beforeAll(async () => {
    dir = await makeDataDir();
    await mkdir(join(dir, 'a'));
    await writeFile(join(dir, 'a/broken.yaml'), 'openapi: 3.1.0\ninfo: [\n');
    await writeFile(
      join(dir, 'a/empty.yaml'),
      'openapi: 3.1.0\ninfo: { title: a, version: "1" }\n',
    );
  });
  afterAll(() => removeDir(dir));

  test('lists the tools of good definition files', async () => {
    const { code, stdout } = await run(
      'presets',
      'check',
      resolve(import.meta.dirname, '../../presets'),
    );
    expect(code).toBe(0);
    expect(stdout).toContain('economy/frankfurter: frankfurter_rates\n');
    expect(stdout).toMatch(/\d+ preset servers with \d+ tools: all good\.\n$/);
  });

  test('names file and line of every fault in all files', async () => {
    const { code, stdout, stderr } = await run('presets', 'check', dir);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/a\/broken\.yaml:\d+: /);
    expect(stderr).toMatch(/a\/empty\.yaml:\d+: /);
  });
});
