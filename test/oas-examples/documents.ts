import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(fileURLToPath(import.meta.resolve('@readme/oas-examples/package.json')));

/** The real-world documents of the package, by their paths in it. */
export function exampleDocuments(): Map<string, string> {
  const names = ['2.0', '3.0', '3.1'].flatMap((version) =>
    readdirSync(join(ROOT, version), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(json|yaml)$/.test(name))
      .map((name) => join(version, name)),
  );
  return new Map(names.sort().map((name) => [name, readFileSync(join(ROOT, name), 'utf8')]));
}
