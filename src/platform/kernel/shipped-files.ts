import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { StartupError } from './error.ts';

/** `src`, or `dist/src` of a release. */
const SOURCE = resolve(import.meta.dirname, '../..');

/** The directory of package.json, with the shipped presets, tables and dashboard. */
export const PACKAGE_ROOT = [dirname(SOURCE), resolve(SOURCE, '../..')].find((dir) =>
  existsSync(resolve(dir, 'package.json')),
) as string;

/** Throws StartupError that names the first of these paths below `root` that is missing: all of them are part of a release. */
export function assertShipped(paths: readonly string[], root = PACKAGE_ROOT): void {
  const missing = paths.map((path) => join(root, path)).find((path) => !existsSync(path));
  if (missing === undefined) return;
  throw new StartupError(
    `${missing} is missing, which is part of Tool Gateway. Install this version again, or in a checkout, restore the file and run "npm ci".`,
  );
}
