import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from './package-root.ts';
import { StartupError } from './startup-error.ts';

/** Throws StartupError that names the first of these paths below `root` that is missing: all of them are part of a release. */
export function assertShipped(paths: readonly string[], root = PACKAGE_ROOT): void {
  const missing = paths.map((path) => join(root, path)).find((path) => !existsSync(path));
  if (missing === undefined) return;
  throw new StartupError(
    `${missing} is missing, which is part of Tool Gateway. Install this version again, or in a checkout, restore the file and run "npm ci".`,
  );
}
