/** Escapes text so that Markdown shows it unchanged. */
export const plain = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').trim().replaceAll('<', '&lt;').replaceAll(/[*~]/g, '\\$&');

/** A table whose cells are Markdown. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heading), line(heading.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A link to a heading on the same page, with the anchor that GitHub generates. */
export function linkToHeading(heading: string): string {
  const anchor = heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
  return `[${plain(heading)}](#${anchor})`;
}
