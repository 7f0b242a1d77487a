import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { LRUCache } from 'lru-cache';
import { createLru } from '../../platform/kernel/lru.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import { byId } from '../catalog-layer.ts';
import { compileDocument } from '../compile/compile-document.ts';
import { PRESET } from '../compile/compile-policy.ts';
import { DefinitionError } from '../document/definition-error.ts';
import { parseDocument } from '../document/parse-document.ts';
import type { ToolDomain } from '../domain.ts';
import type { CompiledApi, PresetServer, Tool } from '../model.ts';
import { findPresetFiles, type PresetFile, type PresetFiles } from './preset-files.ts';

export interface LoadPresetsOptions {
  readonly dir: string;
  /** Directories of further presets. */
  readonly extraDirs?: readonly string[];
  readonly domain: ToolDomain;
  /** Skip invalid files instead of failing. */
  readonly lenient?: boolean;
  /** Logs every skipped file. */
  readonly logger?: { error(fields: object, message: string): void };
  /** Replaces a preset's base URL, for example by that of the sandbox. */
  readonly baseUrlFor?: (presetId: string, baseUrl: string) => string;
}

export interface LoadedPresets {
  /** Sorted by id. */
  readonly presets: PresetServer[];
  /** What authors should know about files that are valid, each as `<file>:<line>: <message>`. */
  readonly warnings: readonly string[];
}

/**
 * Reads and compiles every definition file in the directories. Throws StartupError with a line `<file>:<line>: <reason>`
 * for each issue in any file, or if a directory cannot be read.
 */
export const loadPresets = (options: LoadPresetsOptions): Promise<LoadedPresets> =>
  createPresetLoader(options)();

/** What loads presets as `loadPresets` does. A file that did not change since the last time is the same object. */
export function createPresetLoader(options: LoadPresetsOptions): () => Promise<LoadedPresets> {
  let earlier: ReadonlyMap<string, CompiledPreset> = new Map();
  return async () => {
    const { found, misplaced } = await findAll([options.dir, ...(options.extraDirs ?? [])]);
    const issues = misplaced.map(({ filePath, reason }) => `${filePath}:1: ${reason}`);
    const compiled = new Map<string, CompiledPreset>();
    const owners: Owners = { ids: new Map(), tools: new Map() };
    for (const file of found) {
      try {
        const preset = await compilePreset(file, options, earlier.get(file.filePath));
        claimNames(file, preset, owners);
        compiled.set(file.filePath, preset);
      } catch (error) {
        issues.push(describeFailure(error, file.filePath));
      }
    }
    report(issues, options);
    earlier = compiled;
    return {
      presets: [...compiled.values()].map(({ preset }) => preset).sort(byId),
      warnings: [...compiled.values()].flatMap(({ warnings }) => warnings),
    };
  };
}

async function findAll(dirs: readonly string[]): Promise<PresetFiles> {
  const all = await Promise.all([...new Set(dirs.map((dir) => resolve(dir)))].map(findPresetFiles));
  return {
    found: all.flatMap(({ found }) => found),
    misplaced: all.flatMap(({ misplaced }) => misplaced),
  };
}

interface CompiledPreset {
  /** SHA-256 of its file. */
  readonly digest: string;
  readonly preset: PresetServer;
  readonly warnings: readonly string[];
  /** Where each tool is declared, as `<file>:<line>`. */
  readonly places: ReadonlyMap<string, string>;
}

async function compilePreset(
  { id, category, filePath }: PresetFile,
  { domain, baseUrlFor }: LoadPresetsOptions,
  earlier: CompiledPreset | undefined,
): Promise<CompiledPreset> {
  const text = await readFile(filePath, 'utf8');
  const digest = createHash('sha256').update(text).digest('hex');
  if (earlier?.digest === digest) return earlier;
  const known = knownTexts.get(domain) ?? createLru<CompiledText>(MAX_TEXTS);
  const compiled = known.get(digest) ?? (await compileText(text, filePath, domain));
  knownTexts.set(domain, known.set(digest, compiled));
  const { api, warnings, lines } = compiled;
  const baseUrl = baseUrlFor?.(id, api.baseUrl) ?? api.baseUrl;
  const tools =
    baseUrl === api.baseUrl ? api.tools : api.tools.map((tool) => withBaseUrl(tool, baseUrl));
  return {
    digest,
    preset: { ...api, id, category, filePath, baseUrl, tools },
    warnings: warnings.map(({ line, message }) => `${filePath}:${line}: ${message}`),
    places: new Map([...lines].map(([name, line]) => [name, `${filePath}:${line}`])),
  };
}

/** What a text is compiled to, wherever its file is. */
interface CompiledText {
  readonly api: CompiledApi;
  readonly warnings: readonly { readonly line: number; readonly message: string }[];
  /** The line on which each tool is declared. */
  readonly lines: ReadonlyMap<string, number>;
}

/** Compiled texts that are remembered: several times those that are shipped. */
export const MAX_TEXTS = 256;

/** By digest: the gateway, its sandbox and each reload read the same files. */
const knownTexts = new WeakMap<ToolDomain, LRUCache<string, CompiledText>>();

/** The schemas are frozen, because several catalogs share them. Rejects with DefinitionError. */
async function compileText(
  text: string,
  filePath: string,
  domain: ToolDomain,
): Promise<CompiledText> {
  const parsed = await parseDocument(text, filePath);
  const { api, operations, warnings } = compileDocument(parsed, { domain, policy: PRESET });
  for (const { inputSchema } of api.tools) freezeJson(inputSchema);
  return {
    api,
    warnings: warnings.map(({ pointer, message }) => ({ line: parsed.lineOf(pointer), message })),
    lines: new Map(operations.map(({ tool, pointer }) => [tool ?? '', parsed.lineOf(pointer)])),
  };
}

function freezeJson(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const member of Object.values(value)) freezeJson(member);
}

/** The version changes too: responses from one URL must not be reused for another. */
function withBaseUrl(tool: Tool, baseUrl: string): Tool {
  const version = createHash('sha256').update(`${tool.version} ${baseUrl}`).digest('hex');
  return { ...tool, baseUrl, version };
}

/** Where each name was first used. */
interface Owners {
  readonly ids: Map<string, string>;
  readonly tools: Map<string, string>;
}

/** Records where each name is. Throws, and records nothing, if one is taken (docs/contract.md#preset-definition-files). */
function claimNames({ id, filePath }: PresetFile, { places }: CompiledPreset, owners: Owners) {
  const sameId = owners.ids.get(id);
  if (sameId) {
    throw new StartupError(`${filePath}:1: The preset ${id} is already defined in ${sameId}.`);
  }
  const taken = [...places].flatMap(([name, place]) => {
    const owner = owners.tools.get(name);
    return owner ? [`${place}: The tool name "${name}" is already used at ${owner}.`] : [];
  });
  if (taken.length > 0) throw new StartupError(taken.join('\n'));
  owners.ids.set(id, filePath);
  for (const [name, place] of places) owners.tools.set(name, place);
}

/** The issues of a definition. Any other error is a bug of the gateway and must not be hidden. */
function describeFailure(error: unknown, filePath: string): string {
  if (error instanceof DefinitionError || error instanceof StartupError) return error.message;
  if (error instanceof Error && 'code' in error) {
    return `${filePath}:1: the file cannot be read (${String(error.code)})`;
  }
  throw error;
}

function report(issues: readonly string[], { lenient, logger }: LoadPresetsOptions): void {
  if (issues.length === 0) return;
  if (!lenient) {
    throw new StartupError(
      `The presets cannot be loaded. Correct these files, or set PRESETS_LENIENT=true to skip them:\n${issues.join('\n')}`,
    );
  }
  for (const issue of issues) logger?.error({ fault: issue }, 'A preset file was left out.');
}
