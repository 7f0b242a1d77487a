// Runs after `npm ci`: builds the dashboard if its sources are newer than dashboard/dist. Plain JavaScript, so that an
// old Node.js can run this file; it says nothing where the development dependencies are absent.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const BUILT = join(ROOT, 'dashboard/dist/index.html');
const SOURCES = ['dashboard', 'scripts/build-dashboard.ts', 'package-lock.json'];

/** The oldest Node.js that runs the build script, which is TypeScript. */
const OLDEST = 24;

const isInstalled = ['vite', 'react', '@mantine/core'].every((name) =>
  existsSync(join(ROOT, 'node_modules', name)),
);
const hasSources = existsSync(join(ROOT, 'dashboard/index.html'));
const canRun = Number(process.versions.node.split('.')[0]) >= OLDEST;

if (isInstalled && hasSources && canRun && !isFresh()) await import('./build-dashboard.ts');

/** Whether the built files are newer than all that they are built from. */
function isFresh() {
  if (!existsSync(BUILT)) return false;
  const builtMs = statSync(BUILT).mtimeMs;
  return SOURCES.every((name) => newestMs(join(ROOT, name)) < builtMs);
}

function newestMs(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  const inside = readdirSync(path).filter((name) => name !== 'dist');
  return Math.max(0, ...inside.map((name) => newestMs(join(path, name))));
}
