const WIDTH = 110;
const LONGEST_TEXT = 80;

/** The first lines of a value as compactly indented JSON; `…` stands for what is omitted. */
export function jsonBeginning(value: unknown, maxLines: number): string {
  const lines = print(value, '');
  const shown = lines.length > maxLines ? [...lines.slice(0, maxLines - 1), '…'] : lines;
  return shown.join('\n');
}

function print(value: unknown, indent: string): string[] {
  const flat = inOneLine(value);
  if (indent.length + flat.length <= WIDTH || typeof value !== 'object' || value === null) {
    return [flat];
  }
  const members = Array.isArray(value)
    ? value.map((item) => ['', item] as const)
    : Object.entries(value).map(([name, member]) => [`${JSON.stringify(name)}: `, member] as const);
  const inner = `${indent}  `;
  const lines: string[] = [];
  for (const [at, [name, member]] of members.entries()) {
    const [first = '', ...rest] = print(member, inner);
    const comma = at < members.length - 1 ? ',' : '';
    const text = `${inner}${name}${first}`;
    const previous = lines.at(-1);
    const joined = `${previous} ${name}${first}${comma}`;
    if (previous !== undefined && isScalar(member) && joined.length <= WIDTH)
      lines.splice(-1, 1, joined);
    else if (rest.length === 0) lines.push(`${text}${comma}`);
    else lines.push(text, ...rest.slice(0, -1), `${rest.at(-1)}${comma}`);
  }
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return [`${open}`, ...lines, `${indent}${close}`];
}

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

function inOneLine(value: unknown): string {
  if (typeof value === 'string' && value.length > LONGEST_TEXT) {
    return JSON.stringify(`${value.slice(0, LONGEST_TEXT)}…`);
  }
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${inOneLine(member)}`,
  );
  return members.length > 0 ? `{ ${members.join(', ')} }` : '{}';
}
