import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { differences, packagesOf } from './locked-packages.ts';

const BARS = { megabytes: 80, packages: 115 };

/** The path of a release where it is installed. */
const RELEASE = 'node_modules/tool-gateway';

/** The packages that contain Node.js itself. */
const NODE = /^node-(bin-)?(linux|darwin|win)/;

const NOT_RELEASED =
  /^src\/|(^|\/)(test|tests|testing|bench|attack|scripts|data-sandbox)\/|\.test\.\w+$/;

/** Checks the `node_modules` that contains a release: its size, and what the release itself contains. */
export function inspectInstall(nodeModules: string, checkout: string): void {
  const names = Object.keys(packagesOf(join(nodeModules, '.package-lock.json'))).map((path) =>
    path.replace(/^.*node_modules\//, ''),
  );
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

/**
 * Checks that the packages beside a release and within it are those of the lock file, and that each file within it is
 * what `npm ci`, which verifies digests, has installed into a clone.
 */
export function compareWithClone(nodeModules: string, clone: string): void {
  const { [RELEASE]: _release, ...others } = packagesOf(join(nodeModules, '.package-lock.json'));
  const installed = Object.fromEntries(
    Object.entries(others).map(([path, each]) => [path.replace(`${RELEASE}/`, ''), each]),
  );
  const within = join(nodeModules, 'tool-gateway/node_modules');
  const issues = [
    ...differences(installed, packagesOf(join(clone, 'package-lock.json'))),
    ...filesIn(within)
      .filter((path) => !isSameFile(join(within, path), join(clone, 'node_modules', path)))
      .map((path) => `${path} is not what npm ci installs.`),
  ];
  if (issues.length > 0) throw new Error(issues.join('\n'));
  console.log(`All ${Object.keys(installed).length} packages are those of package-lock.json.`);
}

const isSameFile = (path: string, other: string): boolean =>
  existsSync(other) && readFileSync(path).equals(readFileSync(other));

function inspectRelease(root: string, checkout: string): void {
  const files = filesIn(root).filter((path) => !path.startsWith('node_modules/'));
  const issues = files.flatMap((path) => [
    ...(NOT_RELEASED.test(path) ? [`${path} does not belong to a release.`] : []),
    ...(readFileSync(join(root, path)).includes(checkout)
      ? [`${path} names the directory ${checkout}.`]
      : []),
  ]);
  const missing = ['dashboard/dist/index.html', 'LICENSE']
    .filter((path) => !files.includes(path))
    .map((path) => `${path} is missing.`);
  if (issues.length + missing.length > 0) throw new Error([...issues, ...missing].join('\n'));
}

/** The paths of all files, relative to the directory. Links are not followed. */
const filesIn = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1));
