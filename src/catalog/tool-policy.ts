import type { Caller } from '../api-keys/caller.ts';

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

/** The one rule that listing and calling both ask: may this caller's key use a tool of this name? */
export function mayUse(caller: Pick<Caller, 'allowedTools'>, toolName: string): boolean {
  const patterns = caller.allowedTools;
  return patterns === null || patterns.some((pattern) => fitsPattern(pattern, toolName));
}
