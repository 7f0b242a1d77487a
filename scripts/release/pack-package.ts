import { copyFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'vite';

const ROOT = resolve(import.meta.dirname, '../..');

/** Packages of hundreds of modules, which every start and every command would find and read one by one. */
export const MANY_MODULES = ['kysely', 'typebox'];

/** Writes a package as one module, with its licence. */
export async function packPackage(name: string, outDir: string): Promise<void> {
  await bundle(name, outDir, `${name}.js`);
  const folder = join(ROOT, 'node_modules', name);
  const licence = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  if (licence === undefined) throw new Error(`${name} has no licence.`);
  copyFileSync(join(folder, licence), join(outDir, `${name}.LICENSE`));
}

/** Writes one module that contains another and all that it imports. */
export async function bundle(entry: string, outDir: string, fileName?: string): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    root: ROOT,
    build: {
      ssr: true,
      outDir,
      emptyOutDir: false,
      target: 'node24',
      rolldownOptions: {
        input: entry,
        ...(fileName && { output: { entryFileNames: fileName } }),
      },
    },
    ssr: { noExternal: true },
  });
}
