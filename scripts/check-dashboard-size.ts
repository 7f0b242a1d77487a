import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Checks what a browser loads before the first page is shown, whichever page that is: script and style, compressed. */
const DIST = resolve(import.meta.dirname, '../dashboard/dist');
const MAX_BYTES = 250 * 1024;
/** Loaded before anything is rendered; the larger of the two languages counts. */
const LANGUAGES = ['app/texts/en.ts', 'app/texts/ko.ts'];
const PAGE = /-page\.tsx$/;

interface Chunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
  readonly isDynamicEntry?: boolean;
}

const manifest = JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8')) as Record<
  string,
  Chunk
>;

/** The files of a chunk and of all that it imports. */
function filesOf(name: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[name];
  if (!chunk || seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const css of chunk.css ?? []) seen.add(css);
  for (const imported of chunk.imports ?? []) filesOf(imported, seen);
  return seen;
}

/** As sent: brotli where there is such a file. */
function bytesOf(file: string): number {
  const path = join(DIST, file);
  return (statSync(`${path}.br`, { throwIfNoEntry: false }) ?? statSync(path)).size;
}

const sum = (files: Iterable<string>): number =>
  [...files].reduce((total, file) => total + bytesOf(file), 0);

const texts = LANGUAGES.map((name) => filesOf(name)).sort((a, b) => sum(b) - sum(a))[0];
const page = readFileSync(join(DIST, 'index.html'), 'utf8');
const entries = [...page.matchAll(/(?:src|href)="\/admin\/(assets\/[^"]+\.(?:js|css))"/g)];
const shell = new Set([...entries.map(([, file = '']) => file), ...(texts ?? [])]);
const pages = Object.keys(manifest).filter(
  (name) => PAGE.test(name) && manifest[name]?.isDynamicEntry,
);
if (pages.length === 0 || entries.length === 0)
  throw new Error('The manifest has no page. Run npm run dashboard:build.');

const sizes = pages
  .map((name) => ({ name, bytes: sum(new Set([...shell, ...filesOf(name)])) }))
  .sort((a, b) => b.bytes - a.bytes);
const kb = (bytes: number): string => `${(bytes / 1024).toFixed(1).padStart(7)} KB`;
console.log(`${kb(sum(shell))}  every page: application, texts and styles (brotli)`);
for (const { name, bytes } of sizes) console.log(`${kb(bytes)}  with ${name}`);

const tooLarge = sizes.filter(({ bytes }) => bytes > MAX_BYTES);
if (tooLarge.length > 0) {
  console.error(`Over ${kb(MAX_BYTES).trim()}: ${tooLarge.map(({ name }) => name).join(', ')}`);
  process.exitCode = 1;
}
