import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build, type Rolldown } from 'vite';

/** Builds the dashboard into dashboard/dist, each file also compressed as .br and .gz, which the gateway serves. */
const DASHBOARD = resolve(import.meta.dirname, '../dashboard');
const DIST = join(DASHBOARD, 'dist');
const COMPRESSED = /\.(js|css|svg|json)$/;
/** Pages that must share a module for it to be in the file that they all load. */
const MIN_SHARE_COUNT = 9;
/** Compressed files must be worth the request's Vary. */
const MIN_BYTES = 512;

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

const CONFIG = { configFile: join(DASHBOARD, 'vite.config.ts'), logLevel: 'warn' } as const;

await build({
  ...CONFIG,
  build: { rolldownOptions: { output: groupedAround(await modulesOfEntry()) } },
});
const files = readdirSync(join(DIST, 'assets')).filter((name) => COMPRESSED.test(name));
await Promise.all(files.map((name) => compress(join(DIST, 'assets', name))));

/**
 * The modules that every page needs. Without the group below, each part that some pages share with the shell would become
 * a file of its own: seventy requests before the first page is shown.
 */
async function modulesOfEntry(): Promise<ReadonlySet<string>> {
  const built = await build({ ...CONFIG, build: { write: false, minify: false } });
  const chunks = [built].flat().flatMap((one) => ('output' in one ? one.output : []));
  const byName = new Map(
    chunks.flatMap((one) => (one.type === 'chunk' ? [[one.fileName, one] as const] : [])),
  );
  const entry = [...byName.values()].find(({ isEntry }) => isEntry);
  const needed = new Set<Rolldown.OutputChunk>(entry ? [entry] : []);
  for (const { imports } of needed) {
    for (const name of imports) {
      const chunk = byName.get(name);
      if (chunk) needed.add(chunk);
    }
  }
  return new Set([...needed].flatMap(({ modules }) => Object.keys(modules)));
}

/** One file for the shell, and one for what several pages share. Each page is a file of its own. */
function groupedAround(shell: ReadonlySet<string>): Rolldown.OutputOptions {
  const isShell = (id: string): string | null => (shell.has(id) ? 'shell' : null);
  return {
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        { name: isShell, debugName: 'shell', priority: 2 },
        { name: 'parts', minShareCount: MIN_SHARE_COUNT, priority: 1 },
      ],
    },
  };
}

async function compress(path: string): Promise<void> {
  const bytes = readFileSync(path);
  if (bytes.length < MIN_BYTES) return;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  writeFileSync(`${path}.br`, await compressBrotli(bytes, { params }));
  writeFileSync(`${path}.gz`, await compressGzip(bytes, { level: constants.Z_BEST_COMPRESSION }));
}
