import { encodeFile, type FileFormat } from '../../calls/results/encode-file.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { JsonDocument } from '../../platform/kernel/json-document.ts';
import { isObject, type JsonObject, ownText } from '../../platform/kernel/plain-json.ts';
import { cleanText } from '../../tools/compile/clean-text.ts';
import { downloadFrom, type Gateway, parseOrNull } from '../shared/gateway-request.ts';
import { writeLines } from '../shared/output.ts';

interface RowsResponse {
  readonly format: FileFormat;
  /** An answer as `?result=json` has it (docs/contract.md#results-for-models). */
  readonly text: string;
  /** `_limit` of the call. */
  readonly limit: unknown;
}

/**
 * Prints all rows of an answer to standard output: those that came, or the file that the gateway keeps if there are more.
 * Standard error gets the notes. Throws StartupError if rows are missing.
 */
export async function printRows(
  gateway: Gateway,
  { format, text, limit }: RowsResponse,
): Promise<void> {
  const answer = parseOrNull(text);
  if (!isObject(answer) || !Array.isArray(answer['columns']) || !Array.isArray(answer['rows'])) {
    throw new StartupError(`The response has no rows. Leave out --${format} to see it.`);
  }
  const { columns, rows, summary } = answer;
  const isCut = Number(answer['omitted']) > 0 && !(Number(limit) <= rows.length);
  if (isCut) await printFile(gateway, format, answer, limit);
  else await writeLines(encodeFile(format, columns.map(String), rowsIn(text)));
  const notes = notesOf(summary, isCut);
  if (answer['complete'] === false) throw new StartupError(notes);
  if (notes !== '') process.stderr.write(`${notes}\n`);
}

/** Prints the file with all rows of an answer that has more of them than a response holds. */
async function printFile(
  gateway: Gateway,
  format: FileFormat,
  { rows, summary, link }: JsonObject,
  limit: unknown,
): Promise<void> {
  if (limit !== undefined) {
    const came = Array.isArray(rows) ? rows.length : 0;
    throw new StartupError(
      `Only ${came} rows fit in a response. Leave out --limit: then all rows are printed.`,
    );
  }
  const file = isObject(link) ? ownText(link, format) : undefined;
  if (file === undefined) throw new StartupError(notesOf(summary, false));
  // The address may be one that only others reach, such as a proxy's.
  await writeLines(downloadFrom(gateway, `/api/v1/results/${fileName(file)}`));
}

const fileName = (address: string): string => new URL(address).pathname.split('/').pop() ?? '';

/** The rows with the JSON text of each cell, so that no digit of a number is lost. */
async function* rowsIn(text: string): AsyncGenerator<readonly (readonly string[])[]> {
  const document = new JsonDocument(Buffer.from(text));
  const rows = document.find(['rows']);
  if (rows === undefined || document.count(rows) === 0) return;
  yield document
    .children(rows)
    .map((row) => document.children(row).map((cell) => document.text(cell)));
}

/** Said of rows that a limit leaves out, or that a file has. */
const SHOWN = /\d+ of \d+ rows are shown(?:\.|; a larger _limit shows more\.) ?/;
/** Notes on a response whose file is printed. */
const OF_RESPONSE = /^(?:The whole answer: |Only the first \d+ of these )/;
const MAX_NOTES_LENGTH = 4_000;

/** What one must know to read the rows rightly, one note a line. */
function notesOf(summary: unknown, isFile: boolean): string {
  const notes = String(summary)
    .split('\n')
    .filter((line) => line.startsWith('Note: '))
    .map((line) => line.slice('Note: '.length).replace(SHOWN, ''))
    .filter((note) => note !== '' && !(isFile && OF_RESPONSE.test(note)));
  return cleanText(notes.join('\n'), MAX_NOTES_LENGTH);
}
