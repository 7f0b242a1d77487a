// Makes a process read packages as one module each, if they are packed (packed-packages.ts). Old versions of Node.js do not.
import { existsSync, readdirSync } from 'node:fs';
import * as module from 'node:module';

const PACKED = new URL('../../node_modules/.cache/packages/', import.meta.url);
const files = existsSync(PACKED) ? readdirSync(PACKED).filter((file) => file.endsWith('.js')) : [];
const urls = new Map(files.map((file) => [file.slice(0, -3), new URL(file, PACKED).href]));

module.registerHooks?.({
  resolve: (specifier, context, next) => {
    const url = urls.get(specifier);
    return url ? { url, format: 'module', shortCircuit: true } : next(specifier, context);
  },
});
