import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IS_CHECKOUT } from './log-lines.ts';
import { PACKAGE_ROOT } from './shipped-files.ts';

const manifest = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as {
  readonly version: string;
};

/** The version of this gateway. */
export const VERSION = manifest.version;

/** The file in which the build of a release names its commit. */
export const COMMIT_FILE = join(PACKAGE_ROOT, 'dist/commit');

/** What git says of the commit of a checkout; null without git or outside a repository. */
export function commitOfCheckout(): string | null {
  // Git would also find another repository further up.
  if (!existsSync(join(PACKAGE_ROOT, '.git'))) return null;
  try {
    return execFileSync('git', ['rev-parse', '--short=7', 'HEAD'], {
      cwd: PACKAGE_ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 5000,
    }).trim();
  } catch {
    return null;
  }
}

function commitOfRelease(): string | null {
  return existsSync(COMMIT_FILE) ? readFileSync(COMMIT_FILE, 'utf8').trim() : null;
}

let known: { readonly commit: string | null } | undefined;

/** The short name of the commit that runs; null where nothing tells it. */
export function commit(): string | null {
  known ??= { commit: IS_CHECKOUT ? commitOfCheckout() : commitOfRelease() };
  return known.commit;
}

/** The version with its commit, such as `0.2.0 (36f1eb0)`, for people. */
export const release = (): string => (commit() ? `${VERSION} (${commit()})` : VERSION);
