import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Plugin } from 'vite';

const STYLES = join(
  dirname(createRequire(import.meta.url).resolve('@mantine/core/styles.css')),
  'styles',
);
/** Mantine's module with the class names of a component. */
const CLASS_NAMES = /@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/;
/** The styles that every page needs; main.tsx imports it. */
const BASE = 'virtual:mantine-styles';
const BASE_FILES = ['baseline.layer.css', 'default-css-variables.layer.css', 'global.layer.css'];

/**
 * Gives each page the styles of the Mantine components that it uses, and no others: all of them are 30 KB compressed. They
 * are in a cascade layer, so that the dashboard's own styles win in whichever order the files are loaded.
 */
export function mantineStyles(): Plugin {
  let isBuild = false;
  return {
    name: 'mantine-styles',
    configResolved: ({ command }) => {
      isBuild = command === 'build';
    },
    resolveId: (id) => (id === BASE ? `\0${BASE}` : null),
    load: (id) => (id === `\0${BASE}` ? baseStyles(isBuild) : null),
    transform: (code, id) => {
      const name = CLASS_NAMES.exec(id)?.[1];
      const file = name && join(STYLES, `${name}.layer.css`);
      return file && isBuild && existsSync(file)
        ? { code: `import ${JSON.stringify(file)};\n${code}`, map: null }
        : null;
    },
  };
}

/** In development, packages are bundled before this plugin sees them: everything is loaded. */
const baseStyles = (isBuild: boolean): string =>
  (isBuild ? BASE_FILES.map((name) => join(STYLES, name)) : ['@mantine/core/styles.layer.css'])
    .map((path) => `import ${JSON.stringify(path)};`)
    .join('\n');
