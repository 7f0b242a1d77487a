import { describe, expect, test } from 'vitest';
import { VERSION } from '../platform/kernel/version.ts';
import { runWithin as run } from './testing/run-within.ts';

describe('--help', () => {
  test.each([
    '',
    'start',
    'sandbox',
    'keys',
    'keys create',
    'keys list',
    'keys revoke',
    'keys allow',
    'tenants',
    'tenants list',
    'presets',
    'presets check',
    'presets new',
    'call',
    'connect',
    'stdio',
    'audit',
    'audit export',
    'audit verify',
    'audit sweep',
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
    ['a preset id without a category', ['presets', 'new', 'fuel-prices']],
    ['a preset address that is none', ['presets', 'new', 'a/b', '--url', 'example.com']],
  ])('exits with 2 for %s, and says why on standard error', async (_what, args) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^(error: |Usage: )/);
  });
});
