import { readFileSync } from 'node:fs';

/**
 * Checks that npm installs nothing but what lock files name by their digests, and runs no code meanwhile, and that a
 * CycloneDX bill of materials names as much: `node scripts/check-lock.ts bill.json package-lock.json...`, where the
 * bill is that of the first lock file.
 */

/** Packages whose install script nobody runs: `test:clients` installs with `--ignore-scripts`. */
const KNOWN_SCRIPTS: ReadonlySet<string> = new Set([
  'test/clients/package-lock.json: node_modules/@modelcontextprotocol/inspector',
]);

interface LockedPackage {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly hasInstallScript?: boolean;
}

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

/** The packages of a lock file by their places; the first, at the empty place, is the project itself. */
const packagesOf = (lock: string): [string, LockedPackage][] =>
  Object.entries<LockedPackage>(readJson(lock).packages).filter(([place]) => place !== '');

function* faultsOf(lock: string): Generator<string> {
  for (const [place, locked] of packagesOf(lock)) {
    const name = `${lock}: ${place}`;
    const isWithinAnother = locked.link || locked.inBundle;
    if (!isWithinAnother && !/^sha512-/.test(locked.integrity ?? ''))
      yield `${name} has no digest.`;
    if (locked.resolved && !locked.resolved.startsWith('https:')) {
      yield `${name} does not come from a registry.`;
    }
    if (locked.hasInstallScript && !KNOWN_SCRIPTS.has(name)) yield `${name} has an install script.`;
  }
}

/** Components that npm lists once though they are installed at several places. */
function* faultsOfBill(bill: string, lock: string): Generator<string> {
  const { bomFormat, components } = readJson(bill);
  if (bomFormat !== 'CycloneDX' || !components?.length) {
    yield `${bill} is no CycloneDX bill of materials.`;
    return;
  }
  const listed = new Set(components.map(({ name }: { name: string }) => name));
  for (const [place] of packagesOf(lock)) {
    const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
    if (!listed.has(name)) yield `${bill} does not list ${name}.`;
  }
}

const [bill = '', ...locks] = process.argv.slice(2);
const faults = [
  ...locks.flatMap((lock) => [...faultsOf(lock)]),
  ...faultsOfBill(bill, locks[0] ?? ''),
];
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
else console.log(`${locks.flatMap(packagesOf).length} packages, each with its digest.`);
