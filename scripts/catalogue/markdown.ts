/** Escapes text so that Markdown shows it unchanged. */
export const plain = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').trim().replaceAll('<', '&lt;').replaceAll(/[*~]/g, '\\$&');

/** A table whose cells are Markdown. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heading), line(heading.map(() => '---')), ...rows.map(line)].join('\n');
}
