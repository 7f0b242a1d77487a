import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { PACKAGE_ROOT } from './shipped-files.ts';
import { commit, release } from './version.ts';

/** The whole name of the commit; empty on a machine without git. */
function head(): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: PACKAGE_ROOT, encoding: 'utf8' });
  } catch {
    return '';
  }
}

test('a checkout names its version, and the commit that git is at', () => {
  const known = head().slice(0, commit()?.length ?? 0) || null;
  expect(commit()).toBe(known);
  expect(release()).toBe(known ? `${manifest.version} (${known})` : manifest.version);
});
