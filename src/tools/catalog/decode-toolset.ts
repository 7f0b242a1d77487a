import { isObject } from '../../platform/kernel/plain-json.ts';
import { matchesPattern } from '../match-pattern.ts';

/** Bounds of toolsets. Characters of a result are those of its text. */
export const TOOLSET_LIMITS = {
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
  /** Where in the file. */
  readonly path: string[];
  readonly reason: string;
}

interface KnownTools {
  readonly toolNames: readonly string[];
  readonly ownToolNames: readonly string[];
}

const MEMBERS = ['title', 'description', 'tools', 'cap', 'style'];

/** Decodes the content of a toolset, or returns what is wrong with it. */
export function decodeToolset(tree: unknown, known: KnownTools) {
  if (!isObject(tree)) return [{ path: [], reason: 'a toolset is a map with title and tools' }];
  const { title, description, tools, cap, style } = tree;
  const issues: ToolsetIssue[] = [
    ...Object.keys(tree)
      .filter((name) => !MEMBERS.includes(name))
      .map((name) => issue(name, `${name} is unknown; a toolset has ${MEMBERS.join(', ')}`)),
    ...textIssues('title', title, TOOLSET_LIMITS.titleCharacters),
    ...textIssues('description', description, TOOLSET_LIMITS.descriptionCharacters),
    ...toolIssues(tools, known),
  ];
  if (!isCap(cap)) {
    const { minCap, maxCap } = TOOLSET_LIMITS;
    issues.push(issue('cap', `cap must be a whole number from ${minCap} to ${maxCap}`));
  }
  if (!isStyle(style)) issues.push(issue('style', 'style must be text or structured'));
  if (issues.length > 0 || !isCap(cap) || !isStyle(style)) return issues;
  const patterns = tools as string[];
  return {
    title: String(title),
    description: String(description),
    tools: select(patterns, known.toolNames),
    ownTools: select(patterns, known.ownToolNames),
    maxCharacters: cap ?? null,
    style: style ?? null,
  };
}

const issue = (member: string, reason: string): ToolsetIssue => ({ path: [member], reason });

const textIssues = (member: string, value: unknown, maxLength: number): ToolsetIssue[] =>
  typeof value === 'string' && value.trim() !== '' && value.length <= maxLength
    ? []
    : [issue(member, `${member} must be a string of 1 to ${maxLength} characters`)];

function toolIssues(tools: unknown, known: KnownTools): ToolsetIssue[] {
  if (!Array.isArray(tools) || tools.length === 0 || !tools.every(isText)) {
    return [issue('tools', 'tools must be a list of names or patterns of tools')];
  }
  const names = [...known.toolNames, ...known.ownToolNames];
  const unknown = tools.filter((pattern) => select([pattern], names).length === 0);
  if (unknown.length > 0) {
    return unknown.map((pattern) => issue('tools', `no tool is named ${pattern.slice(0, 100)}`));
  }
  const { length } = select(tools, names);
  if (length <= TOOLSET_LIMITS.tools) return [];
  return [
    issue('tools', `a toolset has at most ${TOOLSET_LIMITS.tools} tools, and this ${length}`),
  ];
}

const isText = (value: unknown): value is string => typeof value === 'string';

const isCap = (value: unknown): value is number | null | undefined =>
  value === undefined ||
  value === null ||
  (Number.isInteger(value) &&
    Number(value) >= TOOLSET_LIMITS.minCap &&
    Number(value) <= TOOLSET_LIMITS.maxCap);

const isStyle = (value: unknown): value is 'text' | 'structured' | null | undefined =>
  value === undefined || value === null || value === 'text' || value === 'structured';

const select = (patterns: readonly string[], names: readonly string[]): string[] =>
  names.filter((name) => patterns.some((pattern) => matchesPattern(pattern, name)));
