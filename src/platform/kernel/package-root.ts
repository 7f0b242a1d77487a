import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** `src`, or `dist/src` of a release. */
const SOURCE = resolve(import.meta.dirname, '../..');

/** The directory of package.json, with the shipped presets, tables and dashboard. */
export const PACKAGE_ROOT = [dirname(SOURCE), resolve(SOURCE, '../..')].find((dir) =>
  existsSync(resolve(dir, 'package.json')),
) as string;
