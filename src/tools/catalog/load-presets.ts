import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import { compileDocument } from '../compile/compile-document.ts';
import { DefinitionError } from '../document/definition-error.ts';
import { parseDocument } from '../document/parse-document.ts';
import type { PresetServer, Tool } from '../model.ts';
import { findPresetFiles, type PresetFile } from './preset-files.ts';

export interface LoadPresetsOptions {
  readonly dir: string;
  /** Leave a faulty file out instead of stopping. */
  readonly lenient?: boolean;
  /** Told of every file left out. */
  readonly logger?: { error(fields: object, message: string): void };
  /** Sends a preset's calls elsewhere than its document says, for example to the sandbox. */
  readonly baseUrlFor?: (presetId: string, baseUrl: string) => string;
}

export interface LoadedPresets {
  /** Sorted by id. */
  readonly presets: PresetServer[];
}

/**
 * Reads and compiles every definition file of a directory. Throws StartupError with one line
 * `<file>:<line>: <reason>` for each fault of all files, or when the directory cannot be read.
 */
export async function loadPresets(options: LoadPresetsOptions): Promise<LoadedPresets> {
  const { found, misplaced } = await findPresetFiles(resolve(options.dir));
  const faults = misplaced.map(({ filePath, reason }) => `${filePath}:1: ${reason}`);
  const presets: PresetServer[] = [];
  const owners = new Map<string, string>();
  for (const file of found) {
    try {
      const preset = await compilePreset(file, options.baseUrlFor);
      claimToolNames(preset, owners);
      presets.push(preset);
    } catch (error) {
      faults.push(describeFault(error, file.filePath));
    }
  }
  report(faults, options);
  return { presets };
}

async function compilePreset(
  { id, category, filePath }: PresetFile,
  baseUrlFor: LoadPresetsOptions['baseUrlFor'],
): Promise<PresetServer> {
  const parsed = await parseDocument(await readFile(filePath, 'utf8'), filePath);
  const api = compileDocument(parsed, { strictExtensions: true });
  const baseUrl = baseUrlFor?.(id, api.baseUrl) ?? api.baseUrl;
  const tools = baseUrl === api.baseUrl ? api.tools : api.tools.map((tool) => moved(tool, baseUrl));
  return { ...api, id, category, filePath, baseUrl, tools };
}

/** The version changes too: answers from one address must not be served for another. */
function moved(tool: Tool, baseUrl: string): Tool {
  const version = createHash('sha256').update(`${tool.version} ${baseUrl}`).digest('hex');
  return { ...tool, baseUrl, version };
}

/** Notes whose each tool name is; throws before noting any when one is taken (docs/contract.md#preset-definition-files). */
function claimToolNames({ tools, filePath }: PresetServer, owners: Map<string, string>): void {
  const taken = tools.flatMap(({ name }) => {
    const owner = owners.get(name);
    return owner ? [`${filePath}:1: the tool name ${name} is already used by ${owner}`] : [];
  });
  if (taken.length > 0) throw new StartupError(taken.join('\n'));
  for (const { name } of tools) owners.set(name, filePath);
}

/** Faults of a definition as they are; anything else is a fault of ours and not to be hidden. */
function describeFault(error: unknown, filePath: string): string {
  if (error instanceof DefinitionError || error instanceof StartupError) return error.message;
  if (error instanceof Error && 'code' in error) {
    return `${filePath}:1: the file cannot be read (${String(error.code)})`;
  }
  throw error;
}

function report(faults: readonly string[], { lenient, logger }: LoadPresetsOptions): void {
  if (faults.length === 0) return;
  if (!lenient) {
    throw new StartupError(
      `Presets cannot be loaded; correct these files, or set PRESETS_LENIENT=true to leave them out:\n${faults.join('\n')}`,
    );
  }
  for (const fault of faults) logger?.error({ fault }, 'A preset file was left out.');
}
