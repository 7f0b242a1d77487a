import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { withCopies } from '../../platform/kernel/coded-bytes.ts';
import type { StaticFile } from './static-file.ts';

/** The built dashboard. */
export interface DashboardFiles {
  /** `index.html`, with `NONCE_MARK` wherever the nonce of a response belongs. */
  readonly page: string;
  /** By name below `assets/`; a name contains the hash of its content. */
  readonly assets: ReadonlyMap<string, StaticFile>;
  /** The one of `assets` that the page names as its icon. */
  readonly icon: StaticFile | undefined;
}

/** Where the build leaves room for the nonce. */
export const NONCE_MARK = '__NONCE__';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Reads what the build made, with the compressed copies beside each file. Undefined if nothing is built. */
export async function readDashboard(dir: string): Promise<DashboardFiles | undefined> {
  const page = await readFile(join(dir, 'index.html'), 'utf8').catch(() => undefined);
  if (page === undefined) return undefined;
  const assets = join(dir, 'assets');
  const names = (await readdir(assets)).filter((name) => extname(name) in CONTENT_TYPES);
  const files = names.map(async (name) => [name, await readAsset(join(assets, name))] as const);
  const read = new Map(await Promise.all(files));
  return { page, assets: read, icon: read.get(ICON.exec(page)?.[1] ?? '') };
}

const ICON = /<link rel="icon"[^>]*assets\/([^"]+)"/;

async function readAsset(path: string): Promise<StaticFile> {
  const [bytes, br, gzip] = await Promise.all([
    readFile(path),
    readFile(`${path}.br`).catch(() => undefined),
    readFile(`${path}.gz`).catch(() => undefined),
  ]);
  return {
    contentType: CONTENT_TYPES[extname(path)] ?? '',
    codings: withCopies(bytes, { br, gzip }),
  };
}
