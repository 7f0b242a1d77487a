import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { runWithin as run } from '../testing/run-within.ts';

const scriptOf = async (shell: string): Promise<string> => {
  const { code, stdout, stderr } = await run('completion', shell);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
};

describe('completion', () => {
  test.each(['bash', 'zsh', 'fish'])('for %s is a script without errors', async (shell) => {
    const script = await scriptOf(shell);
    for (const word of ['revoke', 'claude-code', 'tenant', 'env-file']) {
      expect(script).toContain(word);
    }
    if (spawnSync(shell, ['--version']).status !== 0 && shell !== 'bash') return;
    const { status, stderr } = spawnSync(shell, ['-n'], { input: script, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });

  test.each([
    ['the commands', ['ke'], ['keys']],
    ['the commands of a group', ['keys', 'r'], ['rotate', 'revoke']],
    ['options', ['keys', 'create', '--t'], ['--tenant', '--tools']],
    ['options of every command', ['audit', 'list', '--env'], ['--env-file']],
    ['the values of an option', ['keys', 'create', '--mode', ''], ['search']],
    ['the values of an argument', ['completion', 'f'], ['fish']],
    ['no words for a value of any form', ['keys', 'create', '--tenant', ''], []],
    ['a command after a value', ['--env-file', 'keys.env', 'tenants', 'l'], ['list']],
  ])('in bash knows %s', async (_what, words, expected) => {
    const script = `${await scriptOf('bash')}
      COMP_WORDS=(tool-gateway "$@"); COMP_CWORD=$#; _tool_gateway
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await promisify(execFile)('bash', ['-c', script, 'bash', ...words]);
    expect(stdout.split('\n').filter(Boolean)).toEqual(expected);
  });

  test('refuses an unknown shell', async () => {
    const { code, stderr } = await run('completion', 'tcsh');
    expect([code, stderr]).toEqual([2, expect.stringContaining('bash, zsh, fish')]);
  });
});
