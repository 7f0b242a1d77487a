import { parse } from 'csv-parse/sync';

/** Rows of a text that are read; a longer one stays a text. */
export const MAX_CSV_ROWS = 1_000_000;

/** Bytes of the names of columns in JSON, where every row repeats them: of all rows, and for each byte of the text. */
const MAX_NAME_BYTES = 64 * 1024 * 1024;
const MAX_GROWTH = 40;

const DELIMITERS: readonly (readonly [type: RegExp, delimiters: readonly string[]])[] = [
  [/\btab-separated-values\b|\btsv\b/i, ['\t']],
  [/\bcsv\b|\bcomma-separated-values\b/i, [',', ';', '\t']],
];

/** A parameter of RFC 4180. */
const NO_HEAD = /;\s*header\s*=\s*"?absent\b/i;

/** Whether a text of this type may be read as rows. */
export const isCsvType = (contentType: string): boolean =>
  DELIMITERS.some(([type]) => type.test(contentType));

/**
 * The rows of CSV (RFC 4180) or TSV whose first line names the columns, as JSON: an object of texts for each row. Undefined
 * for a type that is neither, and for a text without a head or with rows of another length. It also stays a text if JSON would make it many times as large.
 */
export function readCsv(text: Buffer, contentType: string): Buffer | undefined {
  const [, delimiters = []] = DELIMITERS.find(([type]) => type.test(contentType)) ?? [];
  const source = text.toString();
  const end = source.search(/[\r\n]/);
  if (delimiters.length === 0 || end < 0 || NO_HEAD.test(contentType)) return undefined;
  const line = source.slice(0, end);
  const counts = delimiters.map((delimiter) => line.split(delimiter).length);
  const delimiter = delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
  try {
    const [head = [], ...rows] = parse(source, {
      bom: true,
      delimiter,
      relax_quotes: true,
      skip_empty_lines: true,
      to: MAX_CSV_ROWS + 2,
    }) as string[][];
    const columns = head.map((name) => name.trim());
    if (!isHead(columns) || rows.length > MAX_CSV_ROWS) return undefined;
    const nameBytes = Buffer.byteLength(JSON.stringify(columns)) * rows.length;
    if (nameBytes > Math.min(MAX_NAME_BYTES, MAX_GROWTH * text.length)) return undefined;
    return Buffer.from(JSON.stringify(rows.map((row) => rowOf(columns, row))));
  } catch {
    // Rows of different lengths, or quotes that do not end.
    return undefined;
  }
}

/** Names of columns are different from each other, and none is a number. */
const isHead = (columns: readonly string[]): boolean =>
  new Set(columns).size === columns.length &&
  columns.every((name) => name !== '' && Number.isNaN(Number(name.replaceAll(',', '.'))));

const rowOf = (columns: readonly string[], row: readonly string[]): object =>
  Object.fromEntries(columns.map((name, at) => [name, row[at] ?? '']));
