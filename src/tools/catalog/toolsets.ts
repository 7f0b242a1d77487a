import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolsetChoice } from '../../platform/kernel/caller.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import { matchesPattern } from '../../platform/kernel/tool-policy.ts';
import { isText, listOf, oneOf, textUpTo, wholeNumber } from '../compile/guards.ts';
import { DocumentSyntaxError, readYaml } from '../document/yaml-source.ts';
import { type LenientOptions, reportIssues } from './preset-files.ts';

/** A named list of tools (`toolsets/<name>.yaml`), which clients choose by `?toolset=<name>`. */
export interface Toolset extends ToolsetChoice {
  /** The name of its file, without `.yaml`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly filePath: string;
}

export type Toolsets = ReadonlyMap<string, Toolset>;

export interface LoadToolsetsOptions extends LenientOptions {
  /** A directory that does not exist has no toolsets. */
  readonly dir: string;
  readonly toolNames: readonly string[];
  readonly ownToolNames: readonly string[];
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
  reportIssues(issues, { whole: 'toolsets', one: 'toolset' }, options);
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

/** Bounds of toolsets. Characters of a result are counted in its text. */
const TOOLSET_LIMITS = {
  files: 100,
  fileCharacters: 65_536,
  values: 1000,
  tools: 40,
  titleCharacters: 100,
  descriptionCharacters: 1000,
  minCap: 500,
  maxCap: 1_000_000,
} as const;

interface ToolsetIssue {
  readonly path: string[];
  readonly reason: string;
}

const MEMBERS = ['title', 'description', 'tools', 'cap', 'style'];

const isTitle = textUpTo(TOOLSET_LIMITS.titleCharacters);
const isDescription = textUpTo(TOOLSET_LIMITS.descriptionCharacters);
const isCap = wholeNumber(TOOLSET_LIMITS.minCap, TOOLSET_LIMITS.maxCap);
const isStyle = oneOf('text', 'structured');
const isToolList = listOf(isText);

function decodeToolset(
  tree: unknown,
  { toolNames, ownToolNames }: LoadToolsetsOptions,
): Omit<Toolset, 'name' | 'filePath'> | ToolsetIssue[] {
  if (!isObject(tree)) return [{ path: [], reason: 'a toolset is a map with title and tools' }];
  const { title, description, tools, cap = null, style = null } = tree;
  const issues: ToolsetIssue[] = [];
  const refuse = (member: string, reason: string) => issues.push({ path: [member], reason });
  const { titleCharacters, descriptionCharacters, minCap, maxCap } = TOOLSET_LIMITS;
  for (const name of Object.keys(tree).filter((key) => !MEMBERS.includes(key))) {
    refuse(name, `${name} is unknown; a toolset has ${MEMBERS.join(', ')}`);
  }
  if (!isTitle(title) || title.trim() === '') {
    refuse('title', `title must be a string of 1 to ${titleCharacters} characters`);
  }
  if (!isDescription(description) || description.trim() === '') {
    const reason = `description must be a string of 1 to ${descriptionCharacters} characters`;
    refuse('description', reason);
  }
  for (const reason of toolIssues(tools, [...toolNames, ...ownToolNames])) refuse('tools', reason);
  if (cap !== null && !isCap(cap)) {
    refuse('cap', `cap must be a whole number from ${minCap} to ${maxCap}`);
  }
  if (style !== null && !isStyle(style)) refuse('style', 'style must be text or structured');
  if (issues.length > 0) return issues;
  const patterns = tools as string[];
  return {
    title: String(title),
    description: String(description),
    tools: select(patterns, toolNames),
    ownTools: select(patterns, ownToolNames),
    maxCharacters: cap as number | null,
    style: style as Toolset['style'],
  };
}

function toolIssues(tools: unknown, names: readonly string[]): string[] {
  if (!isToolList(tools)) return ['tools must be a list of names or patterns of tools'];
  const unknown = tools.filter((pattern) => select([pattern], names).length === 0);
  if (unknown.length > 0) {
    return unknown.map((pattern) => `no tool is named ${pattern.slice(0, 100)}`);
  }
  const { length } = select(tools, names);
  return length > TOOLSET_LIMITS.tools
    ? [`a toolset has at most ${TOOLSET_LIMITS.tools} tools, and this ${length}`]
    : [];
}

const select = (patterns: readonly string[], names: readonly string[]): string[] =>
  names.filter((name) => patterns.some((pattern) => matchesPattern(pattern, name)));
