import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { LRUCache } from 'lru-cache';
import { StartupError } from '../../platform/kernel/error.ts';
import { createLru } from '../../platform/kernel/memo.ts';
import { byId } from '../catalog-layer.ts';
import { compileDocument } from '../compile/compile-document.ts';
import { PRESET } from '../compile/compile-policy.ts';
import { DefinitionError } from '../document/definition-error.ts';
import { parseDocument } from '../document/parse-document.ts';
import type { ToolDomain } from '../domain.ts';
import type { PresetServer, Tool } from '../model.ts';
import { type CompiledText, createPresetCache } from './preset-cache.ts';
import {
  findPresetFiles,
  type LenientOptions,
  type PresetFile,
  reportIssues,
} from './preset-files.ts';

export interface LoadPresetsOptions extends LenientOptions {
  readonly dir: string;
  readonly extraDirs?: readonly string[];
  readonly domain: ToolDomain;
  /** Replaces a preset's base URL, for example by the sandbox's. */
  readonly baseUrlFor?: (presetId: string, baseUrl: string) => string;
  /** How the gateway introduces itself to the providers. */
  readonly userAgent?: string;
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
  const dirs = [options.dir, ...(options.extraDirs ?? [])].map((dir) => resolve(dir));
  return async () => {
    const files = await Promise.all([...new Set(dirs)].map(findPresetFiles));
    const issues = files.flatMap((ofDir) => ofDir.issues);
    const compiled = new Map<string, CompiledPreset>();
    const owners = new Map<string, string>();
    const texts = await readTexts(
      files.flatMap(({ found }) => found),
      issues,
    );
    const compile = await createTextCompiler(texts, options.domain);
    for (const text of texts) {
      const { filePath } = text.file;
      try {
        const known = earlier.get(filePath);
        const preset =
          known?.digest === text.digest ? known : toPreset(text, await compile(text), options);
        claimNames(text.file, preset, owners);
        compiled.set(filePath, preset);
      } catch (error) {
        issues.push(describeFailure(error, filePath));
      }
    }
    reportIssues(issues, { whole: 'presets', one: 'preset file' }, options);
    earlier = compiled;
    const loaded = [...compiled.values()];
    return {
      presets: loaded.map(({ preset }) => preset).sort(byId),
      warnings: loaded.flatMap(({ warnings }) => warnings),
    };
  };
}

interface PresetText {
  readonly file: PresetFile;
  readonly text: string;
  /** SHA-256 of the text. */
  readonly digest: string;
}

/** Reads the files. What cannot be read is an issue. */
async function readTexts(files: readonly PresetFile[], issues: string[]): Promise<PresetText[]> {
  const texts: PresetText[] = [];
  for (const file of files) {
    try {
      const text = await readFile(file.filePath, 'utf8');
      texts.push({ file, text, digest: createHash('sha256').update(text).digest('hex') });
    } catch (error) {
      issues.push(describeFailure(error, file.filePath));
    }
  }
  return texts;
}

interface CompiledPreset {
  /** SHA-256 of its file. */
  readonly digest: string;
  readonly preset: PresetServer;
  readonly warnings: readonly string[];
  /** Where each tool is declared, as `<file>:<line>`. */
  readonly places: ReadonlyMap<string, string>;
}

function toPreset(
  { file: { id, category, filePath }, digest }: PresetText,
  { api, warnings, lines }: CompiledText,
  { baseUrlFor, userAgent }: LoadPresetsOptions,
): CompiledPreset {
  const baseUrl = baseUrlFor?.(id, api.baseUrl) ?? api.baseUrl;
  const moved =
    baseUrl === api.baseUrl ? api.tools : api.tools.map((tool) => withBaseUrl(tool, baseUrl));
  const tools = userAgent === undefined ? moved : moved.map((tool) => ({ ...tool, userAgent }));
  return {
    digest,
    preset: { ...api, id, category, filePath, baseUrl, tools },
    warnings: warnings.map(({ line, message }) => `${filePath}:${line}: ${message}`),
    places: new Map([...lines].map(([name, line]) => [name, `${filePath}:${line}`])),
  };
}

/** Compiled texts that are remembered: several times those that are shipped. */
export const MAX_TEXTS = 256;

/** By digest: the gateway, its sandbox and each reload read the same files. */
const knownTexts = new WeakMap<ToolDomain, LRUCache<string, CompiledText>>();

/**
 * Creates what compiles a set of texts, unless this process, or an earlier one of the same program, has compiled them before.
 * It rejects with DefinitionError.
 */
async function createTextCompiler(texts: readonly PresetText[], domain: ToolDomain) {
  const known = knownTexts.get(domain) ?? createLru<CompiledText>(MAX_TEXTS);
  knownTexts.set(domain, known);
  const isKnown = texts.every(({ digest }) => known.has(digest));
  const cache = createPresetCache(domain);
  const stored = isKnown ? null : await cache.read(texts.map(({ digest }) => digest));
  const compiled = new Map<string, CompiledText>();
  return async ({ text, digest, file }: PresetText): Promise<CompiledText> => {
    const found = known.get(digest) ?? stored?.get(digest);
    const result = found ?? (await compileText(text, file.filePath, domain));
    // Several catalogs share the schemas.
    for (const { inputSchema } of result.api.tools) freezeJson(inputSchema);
    known.set(digest, result);
    compiled.set(digest, result);
    if (!isKnown && !stored && compiled.size === texts.length) void cache.write(compiled);
    return result;
  };
}

/** Compiles the text of a definition file. Rejects with DefinitionError. */
export async function compileText(
  text: string,
  filePath: string,
  domain: ToolDomain,
): Promise<CompiledText> {
  const parsed = await parseDocument(text, filePath);
  const { api, operations, warnings } = compileDocument(parsed, { domain, policy: PRESET });
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

/**
 * Records in `owners` where the preset's id and the names of its tools are. Throws, and records nothing, if one is taken
 * (docs/contract.md#preset-definition-files). An id has a slash, so none is the name of a tool.
 */
function claimNames(
  { id, filePath }: PresetFile,
  { places }: CompiledPreset,
  owners: Map<string, string>,
): void {
  const sameId = owners.get(id);
  if (sameId) {
    throw new StartupError(`${filePath}:1: The preset ${id} is already defined in ${sameId}.`);
  }
  const taken = [...places].flatMap(([name, place]) => {
    const owner = owners.get(name);
    return owner ? [`${place}: The tool name "${name}" is already used at ${owner}.`] : [];
  });
  if (taken.length > 0) throw new StartupError(taken.join('\n'));
  for (const [name, place] of [[id, filePath] as const, ...places]) owners.set(name, place);
}

/** The issues of a definition. Any other error is a bug of the gateway and must not be hidden. */
function describeFailure(error: unknown, filePath: string): string {
  if (error instanceof DefinitionError || error instanceof StartupError) return error.message;
  if (error instanceof Error && 'code' in error) {
    return `${filePath}:1: the file cannot be read (${String(error.code)})`;
  }
  throw error;
}
