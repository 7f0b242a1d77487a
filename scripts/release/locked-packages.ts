import { readFileSync } from 'node:fs';

interface LockedPackage {
  readonly version?: string;
  /** Absent from a package that is inside another, as installed. */
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
}

type Packages = Readonly<Record<string, LockedPackage>>;

/** The packages of a lock file by path, without the project itself. npm also writes one into every `node_modules`. */
export function packagesOf(lock: string): Packages {
  const { packages } = JSON.parse(readFileSync(lock, 'utf8')) as { packages: Packages };
  const { '': _project, ...others } = packages;
  return others;
}

/** What is installed although it is not locked, or in another version, and what a release needs but is not installed. */
export function differences(installed: Packages, locked: Packages): string[] {
  const wrong = Object.entries(installed).flatMap(([path, { version, integrity }]) => {
    const expected = locked[path];
    if (!expected) return [`${path} is not in package-lock.json.`];
    if (version !== expected.version) {
      return [`${path} is version ${version}; package-lock.json has ${expected.version}.`];
    }
    const isOther = integrity !== undefined && integrity !== expected.integrity;
    return isOther ? [`${path} has another digest than in package-lock.json.`] : [];
  });
  const missing = Object.entries(locked)
    .filter(([path, each]) => !installed[path] && !each.dev && !each.optional && !each.devOptional)
    .map(([path]) => `${path} is not installed.`);
  return [...wrong, ...missing];
}
