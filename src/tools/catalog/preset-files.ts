import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { StartupError } from '../../platform/kernel/startup-error.ts';

/** A preset definition file in the required place: `<category>/<name>.yaml`. */
export interface PresetFile {
  readonly id: string;
  readonly category: string;
  readonly filePath: string;
}

/** A file that looks like a definition but is in the wrong place. */
export interface MisplacedFile {
  readonly filePath: string;
  readonly reason: string;
}

export interface PresetFiles {
  /** Sorted by id. */
  readonly found: readonly PresetFile[];
  readonly misplaced: readonly MisplacedFile[];
}

const DEFINITION = /\.(ya?ml|json)$/i;
const LAYOUT = /^([a-z0-9-]+)\/([a-z0-9-]+)\.yaml$/;

/**
 * Finds the definition files in a presets directory. Ignores files of other kinds. Throws StartupError if the directory
 * cannot be read.
 */
export async function findPresetFiles(dir: string): Promise<PresetFiles> {
  const found: PresetFile[] = [];
  const misplaced: MisplacedFile[] = [];
  for (const filePath of await listFiles(dir)) {
    const [, category, name] = LAYOUT.exec(relative(dir, filePath).split(sep).join('/')) ?? [];
    if (category && name) found.push({ id: `${category}/${name}`, category, filePath });
    else if (DEFINITION.test(filePath)) misplaced.push({ filePath, reason: MISPLACED });
  }
  // Code unit order, the same on every machine.
  return { found: found.sort((a, b) => (a.id < b.id ? -1 : 1)), misplaced };
}

const MISPLACED =
  'a preset must be a file <category>/<name>.yaml in the presets directory, named with lower-case letters, digits and hyphens';

async function listFiles(dir: string): Promise<string[]> {
  try {
    const entries = await readdir(dir, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch (cause) {
    throw new StartupError(
      `The presets directory ${dir} cannot be read. Set PRESETS_DIR to the directory that holds <category>/<name>.yaml files.`,
      { cause },
    );
  }
}
