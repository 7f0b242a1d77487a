import { headingOf, labelOf } from '../view/label.ts';
import type { ShownRows } from '../view/view-rows.ts';

/** A text, and whether it is cut. */
export interface BodyText {
  readonly text: string;
  /** What to do about what is missing; null if nothing is. */
  readonly cut: string | null;
}

const TAB = '\t';

/**
 * Rows as a header and one line each, with tabs between the cells: hosts cut a text at lines. At most `maxCharacters`,
 * at whole rows.
 */
export function tableText({ columns, rows }: ShownRows, maxCharacters: number): BodyText {
  const header = columns.map(headingOf).map(inCell).join(TAB);
  const lines = [header];
  let length = header.length;
  for (const row of rows) {
    const line = row
      .map((cell, index) => inCell(labelOf(cell, columns[index] ?? NO_CODES)))
      .join(TAB);
    length += line.length + 1;
    if (length > maxCharacters) break;
    lines.push(line);
  }
  const shown = lines.length - 1;
  const cut =
    shown === rows.length
      ? null
      : `Only the first ${shown} of these ${rows.length} rows fit here. Ask for fewer columns with _fields, or for some rows with _where.`;
  return { text: lines.join('\n'), cut };
}

const NO_CODES = { codes: null };

/** Without what would end a cell or a line. */
const inCell = (text: string): string =>
  /[\t\r\n]/.test(text) ? text.replaceAll(/[\t\r\n]+/g, ' ') : text;
