import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolsetChoice } from '../../access/keys/caller.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import { DocumentSyntaxError } from '../document/document-source.ts';
import { readYaml } from '../document/yaml-source.ts';
import { decodeToolset, TOOLSET_LIMITS } from './decode-toolset.ts';

/** A named list of tools (`toolsets/<name>.yaml`), which clients choose by `?toolset=<name>`. */
export interface Toolset extends ToolsetChoice {
  /** The name of its file, without `.yaml`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly filePath: string;
}

/** All toolsets, by name. */
export type Toolsets = ReadonlyMap<string, Toolset>;

export interface LoadToolsetsOptions {
  /** A directory that does not exist has no toolsets. */
  readonly dir: string;
  /** Names of the tools of all presets. */
  readonly toolNames: readonly string[];
  /** Names of the gateway's own tools that a toolset may name. */
  readonly ownToolNames: readonly string[];
  /** Skip invalid files instead of failing. */
  readonly lenient?: boolean;
  /** Logs every skipped file. */
  readonly logger?: { error(fields: object, message: string): void };
}

/** Where the toolsets are that name the tools of the presets in a directory: beside it. */
export const toolsetsDir = (presetsDir: string): string => join(presetsDir, '..', 'toolsets');

const FILE = /^([a-z0-9-]{1,64})\.yaml$/;

/** Reads and checks every toolset of a directory. Throws StartupError with a line `<file>:<line>: <reason>` per issue. */
export async function loadToolsets(options: LoadToolsetsOptions): Promise<Toolsets> {
  const files = await listFiles(options.dir);
  const toolsets = new Map<string, Toolset>();
  const issues: string[] = [];
  for (const file of files) {
    const filePath = join(options.dir, file);
    const [, name] = FILE.exec(file) ?? [];
    const read = name === undefined ? [MISNAMED] : await readToolset(filePath, options);
    if (Array.isArray(read)) issues.push(...read.map((reason) => `${filePath}:${reason}`));
    else if (name !== undefined) toolsets.set(name, { ...read, name, filePath });
  }
  report(issues, options);
  return toolsets;
}

const MISNAMED =
  '1: name a toolset with lower-case letters, digits and hyphens, and end it in .yaml';

async function listFiles(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [];
    throw new StartupError(`The toolsets directory ${dir} cannot be read.`, { cause });
  });
  const files = names.filter((name) => /\.(ya?ml|json)$/i.test(name)).sort();
  if (files.length <= TOOLSET_LIMITS.files) return files;
  throw new StartupError(`${dir} has more than ${TOOLSET_LIMITS.files} toolsets.`);
}

/** A toolset, or the issues with its file, each as `<line>: <reason>`. */
async function readToolset(filePath: string, options: LoadToolsetsOptions) {
  const text = await readFile(filePath, 'utf8');
  if (text.length > TOOLSET_LIMITS.fileCharacters) {
    return [`1: the file is longer than ${TOOLSET_LIMITS.fileCharacters} characters`];
  }
  try {
    const { tree, lineOf } = readYaml(text, TOOLSET_LIMITS.values);
    const decoded = decodeToolset(tree, options);
    if (!Array.isArray(decoded)) return decoded;
    return decoded.map(({ path, reason }) => `${lineOf(path)}: ${reason}`);
  } catch (error) {
    if (error instanceof DocumentSyntaxError) return [`${error.line}: ${error.message}`];
    throw error;
  }
}

function report(issues: readonly string[], { lenient, logger }: LoadToolsetsOptions): void {
  if (issues.length === 0) return;
  if (!lenient) {
    throw new StartupError(
      `The toolsets cannot be loaded. Correct these files, or set PRESETS_LENIENT=true to skip them:\n${issues.join('\n')}`,
    );
  }
  for (const issue of issues) logger?.error({ fault: issue }, 'A toolset was left out.');
}
