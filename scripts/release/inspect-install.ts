import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const BARS = { megabytes: 80, packages: 115 };

/** The packages that contain Node.js itself. */
const NODE = /^node-(bin-)?(linux|darwin|win)/;

const NOT_RELEASED =
  /(^|\/)(src|test|tests|testing|bench|attack|scripts|data-sandbox)\/|\.test\.\w+$/;

/** Checks the `node_modules` that contains a release: its size, and what the release itself contains. */
export function inspectInstall(nodeModules: string, checkout: string): void {
  const { packages } = readJson(join(nodeModules, '.package-lock.json')) as {
    packages: Record<string, unknown>;
  };
  const names = Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, ''));
  const others = names.filter((name) => name !== 'tool-gateway' && !NODE.test(name));
  const bytes = filesIn(nodeModules)
    .filter((path) => !NODE.test(path))
    .reduce((sum, path) => sum + statSync(join(nodeModules, path)).size, 0);
  const megabytes = Math.round(bytes / 1e6);
  console.log(
    `Installed without Node.js: ${megabytes} MB of ${BARS.megabytes}, ${others.length} packages of ${BARS.packages}.`,
  );
  if (megabytes > BARS.megabytes || others.length > BARS.packages) {
    throw new Error('The release has become too large.');
  }
  inspectRelease(join(nodeModules, 'tool-gateway'), checkout);
}

function inspectRelease(root: string, checkout: string): void {
  const files = filesIn(root);
  const issues = files.flatMap((path) => [
    ...(NOT_RELEASED.test(path) ? [`${path} does not belong to a release.`] : []),
    ...(readFileSync(join(root, path)).includes(checkout)
      ? [`${path} names the directory ${checkout}.`]
      : []),
  ]);
  const missing = [
    'dashboard/dist/index.html',
    'dist/http/files/api-reference/page.html',
    'LICENSE',
  ]
    .filter((path) => !files.includes(path))
    .map((path) => `${path} is missing.`);
  if (issues.length + missing.length > 0) throw new Error([...issues, ...missing].join('\n'));
}

/** The paths of all files, relative to the directory. Links are not followed. */
const filesIn = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1));

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
