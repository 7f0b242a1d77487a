import type { Dirent } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { StartupError } from '../../platform/kernel/error.ts';
import { byId } from '../catalog-layer.ts';

export interface PresetFile {
  readonly id: string;
  readonly category: string;
  readonly filePath: string;
}

export interface PresetFiles {
  /** Sorted by id. */
  readonly found: readonly PresetFile[];
  /** What is wrong with the place of files that look like definitions, each as `<file>:<line>: <reason>`. */
  readonly issues: readonly string[];
}

const DEFINITION = /\.(ya?ml|json)$/i;
const LAYOUT = /^([a-z0-9-]+)\/([a-z0-9-]+)\.yaml$/;
/** What the sandbox answers for the tools of these presets. */
const SAMPLE = /^samples\/[a-z0-9-]+\/[a-z0-9_]+\.(json|xml)$/;
/** A directory with more is not one of presets. */
const MAX_ENTRIES = 2000;
/** Deeper than any file belongs, so that misplaced ones are found; links may form a circle. */
const MAX_DEPTH = 5;

/**
 * Finds the definition files in a presets directory. Ignores files of other kinds, and hidden ones. Throws StartupError if the directory
 * cannot be read.
 */
export async function findPresetFiles(dir: string): Promise<PresetFiles> {
  const found: PresetFile[] = [];
  const issues: string[] = [];
  for (const filePath of await listFiles(dir)) {
    const path = relative(dir, filePath).split(sep).join('/');
    const [, category, name] = LAYOUT.exec(path) ?? [];
    if (category && name) found.push({ id: `${category}/${name}`, category, filePath });
    else if (DEFINITION.test(path) && !SAMPLE.test(path))
      issues.push(`${filePath}:1: ${MISPLACED}`);
  }
  return { found: found.sort(byId), issues };
}

/** A text that differs after a change of any file in the directories. Never rejects. */
export async function fingerprintOf(dirs: readonly string[]): Promise<string> {
  const stamps = dirs.map(async (dir) => {
    const files = await listFiles(dir).catch(() => []);
    return Promise.all(files.sort().map(stampOf));
  });
  return (await Promise.all(stamps)).flat().join('\n');
}

/** A text that differs after a change of the file. Never rejects. */
export const stampOf = (path: string): Promise<string> =>
  stat(path).then(
    ({ ino, size, mtimeMs }) => `${path} ${ino} ${size} ${mtimeMs}`,
    () => path,
  );

const MISPLACED =
  'a preset must be a file <category>/<name>.yaml in the presets directory, named with lower-case letters, digits and hyphens';

async function listFiles(dir: string): Promise<string[]> {
  const files: string[] = [];
  let entries = 0;

  async function walk(parent: string, depth: number): Promise<void> {
    for await (const entry of await opendir(parent)) {
      if (++entries > MAX_ENTRIES) {
        throw new StartupError(
          `The presets directory ${dir} has more than ${MAX_ENTRIES} entries. Name a directory that holds only presets.`,
        );
      }
      const path = join(parent, entry.name);
      if (entry.name.startsWith('.')) continue;
      if (!(await isDirectory(entry, path))) files.push(path);
      else if (depth < MAX_DEPTH) await walk(path, depth + 1);
    }
  }

  try {
    await walk(dir, 1);
    return files;
  } catch (cause) {
    if (cause instanceof StartupError) throw cause;
    throw new StartupError(
      `The presets directory ${dir} cannot be read. Set PRESETS_DIR and PRESETS_EXTRA_DIRS to directories that hold <category>/<name>.yaml files.`,
      { cause },
    );
  }
}

/** Links are followed: Kubernetes mounts files as links to those in a hidden directory. */
async function isDirectory(entry: Dirent, path: string): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

export interface LenientOptions {
  /** Skip invalid files instead of failing. */
  readonly lenient?: boolean;
  /** Logs every skipped file. */
  readonly logger?: { error(fields: object, message: string): void };
}

/** Throws StartupError with a line per issue, or logs each if invalid files are skipped. */
export function reportIssues(
  issues: readonly string[],
  { whole, one }: { readonly whole: string; readonly one: string },
  { lenient, logger }: LenientOptions,
): void {
  if (issues.length > 0 && !lenient) {
    throw new StartupError(
      `The ${whole} cannot be loaded. Correct these files, or set PRESETS_LENIENT=true to skip them:\n${issues.join('\n')}`,
    );
  }
  for (const issue of issues) logger?.error({ fault: issue }, `A ${one} was left out.`);
}
