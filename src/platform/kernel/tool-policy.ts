import type { Caller } from './caller.ts';

/** The facts about a tool on which the policy depends. */
export interface CatalogTool {
  readonly id: string;
  readonly name: string;
  readonly category: string;
}

/** Who asks, as far as the policy depends on it. */
export type ToolUser = Pick<Caller, 'allowedTools' | 'narrowing'>;

/** The one policy for listing and calling: may the caller's key use this tool, and has its client selected it? */
export function mayUse({ allowedTools, narrowing }: ToolUser, tool: CatalogTool): boolean {
  if (allowedTools !== null && !isSelected(allowedTools, tool)) return false;
  if (narrowing === undefined) return true;
  const { category, tools, toolset } = narrowing;
  if (category !== null && category !== tool.category) return false;
  if (toolset && !isSelected(toolset.tools, tool)) return false;
  return tools === null || isSelected(tools, tool);
}

/**
 * Whether one of the patterns selects the tool (docs/contract.md#allowed-tools). The names of registered tools come from
 * documents that others write, so patterns for names and categories match presets only, and never gain a tool when a tenant
 * registers one. No preset has an `@` in its name or id.
 */
function isSelected(patterns: readonly string[], { id, name, category }: CatalogTool): boolean {
  if (isRegisteredId(id)) {
    return patterns.some((pattern) =>
      isRegisteredId(pattern) ? matchesPattern(pattern, id) : pattern === name,
    );
  }
  return patterns.some((pattern) =>
    pattern.startsWith(CATEGORY)
      ? pattern.slice(CATEGORY.length) === category
      : matchesPattern(pattern, pattern.includes('.') ? id : name),
  );
}

/** In front of a category. Neither names nor ids of tools contain a colon. */
export const CATEGORY = 'category:';

/** Whether `text` matches `pattern`, in which `*` matches any number of characters. Never backtracks. */
export function matchesPattern(pattern: string, text: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.pop();
  if (tail === undefined) return text === pattern;
  if (!text.startsWith(head)) return false;
  let from = head.length;
  for (const part of rest) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return text.length - tail.length >= from && text.endsWith(tail);
}

/** Whether an id belongs to a tool of a registered API. */
export const isRegisteredId = (id: string): boolean => id.startsWith('@');
