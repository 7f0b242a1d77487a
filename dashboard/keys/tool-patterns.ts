import type { ToolChoices } from '../shared/tool-choices.ts';

/** A list of allowed tools, by how each entry was chosen. */
export interface ChosenTools {
  readonly categories: readonly string[];
  readonly picks: readonly string[];
  readonly patterns: readonly string[];
}

const CATEGORY = 'category:';

/** What no tool of the tenant has as its name is a pattern: it may select tools that are added later. */
export function splitTools(
  allowedTools: readonly string[],
  tools: ToolChoices['tools'],
): ChosenTools {
  const names = new Set(tools.map(({ pattern }) => pattern));
  const categories = allowedTools.filter((entry) => entry.startsWith(CATEGORY));
  const others = allowedTools.filter((entry) => !entry.startsWith(CATEGORY));
  return {
    categories,
    picks: others.filter((entry) => names.has(entry)),
    patterns: others.filter((entry) => !names.has(entry)),
  };
}

export const joinTools = ({ categories, picks, patterns }: ChosenTools): string[] => [
  ...new Set([...categories, ...patterns, ...picks]),
];
