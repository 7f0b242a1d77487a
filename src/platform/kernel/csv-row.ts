/** Characters with which a spreadsheet begins a formula (OWASP, CSV injection), also in their full-width forms. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** A number is no formula, whatever its sign. */
const NUMBER = /^[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** One line of CSV (RFC 4180). No cell becomes a formula when a spreadsheet opens the file; numbers stay numbers. */
export const csvRow = (cells: readonly string[]): string => `${cells.map(cell).join(',')}\r\n`;

function cell(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
