import { quoteJson } from '../../platform/kernel/json-text.ts';
import type { CallOutcome } from '../tool-call.ts';
import type { ShownRows } from '../view/table.ts';
import { headOf } from './headline.ts';
import { cutRows } from './structured.ts';

/** Characters of an answer as JSON: a program reads it, and no model must carry it. */
export const JSON_MAX_CHARACTERS = 1_000_000;

/** A text as a JSON string in pieces, and whether rows are missing in it. */
export interface ContentText {
  readonly literal: readonly (string | Buffer)[];
  readonly isCut: boolean;
}

/**
 * An answer for hosts that run code: a text that is JSON and nothing else. Rows are cut at whole rows, and have their values
 * as the source wrote them; a response without rows is its payload, or a summary if that is longer than the cap.
 */
export function jsonContent(outcome: CallOutcome, maxCharacters: number): ContentText {
  const { table, response, isError } = outcome;
  if (isError) return textOf({ error: headOf(outcome) });
  if (table) return rowsContent(outcome, table, maxCharacters);
  const { json } = response;
  if (json.length <= maxCharacters) return { literal: ['"', quoteJson(json), '"'], isCut: false };
  const tooLong = `The response has ${json.length} bytes, more than fit here. Ask for less with the arguments of the tool.`;
  return { ...textOf({ summary: `${headOf(outcome)}\nNote: ${tooLong}` }), isCut: true };
}

const textOf = (value: object): ContentText => ({
  literal: [JSON.stringify(JSON.stringify(value))],
  isCut: false,
});

function rowsContent(
  outcome: CallOutcome,
  { columns, rows }: ShownRows,
  maxCharacters: number,
): ContentText {
  const { shown, cut } = cutRows(rows, maxCharacters, (row) =>
    row.map((cell) => (cell === '' ? 'null' : cell)),
  );
  const { total = null, next = null, omitted = 0, link } = outcome.rows ?? {};
  const missing = omitted + rows.length - shown.length;
  const summary = cut === null ? headOf(outcome) : `${headOf(outcome)}\nNote: ${cut}`;
  const names = columns.map(({ name }) => name);
  const start = JSON.stringify({ summary, columns: names }).slice(0, -1);
  const facts = { total, omitted: missing, next, ...(link && { link }), ...outcome.range };
  const end = JSON.stringify(facts).slice(1);
  const text = `${start},"rows":[${shown.join(',')}],${end}`;
  return { literal: [JSON.stringify(text)], isCut: cut !== null };
}
