import type { Caller } from '../../access/keys/caller.ts';

/** What the rule looks at. */
export interface CatalogTool {
  readonly name: string;
  readonly category: string;
}

/** Whether `text` fits `pattern`, in which `*` stands for any run of characters. Never backtracks. */
export function fitsPattern(pattern: string, text: string): boolean {
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

const fitsAny = (patterns: readonly string[] | null, text: string): boolean =>
  patterns === null || patterns.some((pattern) => fitsPattern(pattern, text));

/** The one rule that listing and calling both ask: may this caller's key use this tool, and does its client want it? */
export function mayUse(
  { allowedTools, narrowing }: Pick<Caller, 'allowedTools' | 'narrowing'>,
  tool: CatalogTool,
): boolean {
  if (!fitsAny(allowedTools, tool.name)) return false;
  if (narrowing === undefined) return true;
  const { category, tools } = narrowing;
  return (category === null || category === tool.category) && fitsAny(tools, tool.name);
}
