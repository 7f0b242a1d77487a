import { eastAsianWidth } from 'get-east-asian-width';

const COLUMN_GAP = '  ';

/** Lines of aligned columns for a terminal, under a heading. Control characters, which a terminal obeys, are replaced. */
export function formatTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const cells = [heading, ...rows].map((row) => row.map(printable));
  const widths = heading.map((_, column) =>
    cells.reduce((widest, row) => Math.max(widest, widthOf(row[column] ?? '')), 0),
  );
  return cells
    .map((row) => row.map((cell, column) => padEnd(cell, widths[column] ?? 0)).join(COLUMN_GAP))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, '\uFFFD');

const padEnd = (text: string, width: number): string => text + ' '.repeat(width - widthOf(text));

const graphemes = new Intl.Segmenter();

/** The columns that a terminal uses for a text. A character with its combining marks is as wide as the character. */
function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  return [...graphemes.segment(text)]
    .map(({ segment }) => eastAsianWidth(segment.codePointAt(0) ?? 0))
    .reduce((sum, width) => sum + width, 0);
}
