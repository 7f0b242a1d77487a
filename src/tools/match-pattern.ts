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
