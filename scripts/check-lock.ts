import { readFileSync } from 'node:fs';

/**
 * Checks that npm installs only packages whose digest is in a lock file, and runs none of their install scripts. Also
 * checks that a CycloneDX bill of materials lists every package of the first lock file. Usage:
 * `node scripts/check-lock.ts bill.json package-lock.json...`
 */

/** Packages whose install script never runs, because `test:clients` installs with `--ignore-scripts`. */
const KNOWN_SCRIPTS: ReadonlySet<string> = new Set([
  'test/clients/package-lock.json: node_modules/@anthropic-ai/claude-code',
  'test/clients/package-lock.json: node_modules/@google-cloud/vertexai/node_modules/@google/genai',
  'test/clients/package-lock.json: node_modules/@google/adk/node_modules/@google/genai',
  'test/clients/package-lock.json: node_modules/@modelcontextprotocol/inspector',
  'test/clients/package-lock.json: node_modules/protobufjs',
]);

interface LockedPackage {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

/** The packages of a lock file by path, without the project itself, whose path is empty. */
const packagesOf = (lock: string): [string, LockedPackage][] =>
  Object.entries<LockedPackage>(readJson(lock).packages).filter(([path]) => path !== '');

function* issuesOf(lock: string): Generator<string> {
  for (const [path, locked] of packagesOf(lock)) {
    const name = `${lock}: ${path}`;
    if (!locked.link && !/^sha512-/.test(locked.integrity ?? '')) yield `${name} has no digest.`;
    if (locked.resolved && !locked.resolved.startsWith('https:')) {
      yield `${name} does not come from a registry.`;
    }
    if (locked.hasInstallScript && !KNOWN_SCRIPTS.has(name)) yield `${name} has an install script.`;
  }
}

/** npm lists a component once, even if it is installed at several paths. */
function* issuesOfBill(bill: string, lock: string): Generator<string> {
  const { bomFormat, components } = readJson(bill);
  if (bomFormat !== 'CycloneDX' || !components?.length) {
    yield `${bill} is not a CycloneDX bill of materials.`;
    return;
  }
  const listed = new Set(components.map(({ name }: { name: string }) => name));
  for (const [path] of packagesOf(lock)) {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    if (!listed.has(name)) yield `${bill} does not list ${name}.`;
  }
}

const [bill = '', ...locks] = process.argv.slice(2);
const issues = [
  ...locks.flatMap((lock) => [...issuesOf(lock)]),
  ...issuesOfBill(bill, locks[0] ?? ''),
];
for (const issue of issues) console.error(issue);
if (issues.length > 0) process.exitCode = 1;
else console.log(`${locks.flatMap(packagesOf).length} packages, each with its digest.`);
