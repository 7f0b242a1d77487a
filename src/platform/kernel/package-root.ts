import { resolve } from 'node:path';

/** The directory of package.json, with the shipped presets, tables and dashboard: three above both src/ and dist/ of this file. */
export const PACKAGE_ROOT = resolve(import.meta.dirname, '../../..');
