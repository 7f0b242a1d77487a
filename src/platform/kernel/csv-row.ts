/** Characters with which a spreadsheet begins a formula (OWASP, CSV injection), also in their full-width forms. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** One line of CSV (RFC 4180). No cell becomes a formula when a spreadsheet opens the file. */
export const csvRow = (cells: readonly string[]): string => `${cells.map(cell).join(',')}\r\n`;

function cell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
