import { encodeProvenance } from '../provenance.ts';
import type { CallOutcome } from '../tool-call.ts';
import { encodeRow, type ShownRows } from '../view/table.ts';
import { headOf } from './headline.ts';

/** The schema of `structuredContent`, for every tool: what `encodeStructured` writes fits it. */
export const STRUCTURED_SCHEMA = {
  type: 'object',
  properties: {
    summary: { type: 'string' },
    columns: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          title: { type: ['string', 'null'] },
          unit: { type: ['string', 'null'] },
          codes: { type: ['object', 'null'] },
        },
        required: ['name'],
      },
    },
    rows: { type: 'array', items: { type: 'array' } },
    total: { type: ['integer', 'null'] },
    next: { type: ['object', 'null'] },
    provenance: { type: 'object' },
    complete: { type: 'boolean' },
    units: { type: 'object' },
    data: {},
  },
  required: ['summary', 'columns', 'rows', 'total', 'next', 'provenance'],
} as const;

/**
 * `structuredContent` as JSON in pieces: the rows under the cap in characters, cut at whole rows. A response without rows
 * is in `data`, unless it is longer than the cap.
 */
export function encodeStructured(
  outcome: CallOutcome,
  maxCharacters: number,
): { readonly json: readonly (string | Buffer)[]; readonly isCut: boolean } {
  const { table, rows, range, provenance, response, kind } = outcome;
  const { shown, cut } = cutRows(table?.rows ?? [], maxCharacters, (row) =>
    encodeRow(row, table?.columns ?? []),
  );
  const summary = [headOf(outcome), ...(cut === null ? [] : [cut])];
  const hasData = !table && kind === 'ok' && response.json.length <= maxCharacters;
  const json = [
    `{"summary":${JSON.stringify(summary.join('\n'))},"columns":${JSON.stringify(table?.columns ?? [])},"rows":[${shown.join(',')}],"total":${rows?.total ?? null},"next":${JSON.stringify(rows?.next ?? null)},"provenance":`,
    ...encodeProvenance(provenance),
    range ? `,${JSON.stringify(range).slice(1, -1)}` : '',
    ...(hasData ? [',"data":', response.json] : []),
    '}',
  ];
  return { json, isCut: cut !== null };
}

type Rows = ShownRows['rows'];

/** Rows as JSON under a cap in characters, cut at whole rows; and what is missing, null if nothing is. */
export function cutRows(
  rows: Rows,
  maxCharacters: number,
  encode: (row: Rows[number]) => readonly string[],
): { readonly shown: readonly string[]; readonly cut: string | null } {
  const shown: string[] = [];
  let length = 0;
  for (const row of rows) {
    const text = `[${encode(row).join(',')}]`;
    length += text.length + 1;
    if (length > maxCharacters) break;
    shown.push(text);
  }
  const isWhole = shown.length === rows.length;
  const cut = `Only the first ${shown.length} of these ${rows.length} rows fit here.`;
  return { shown, cut: isWhole ? null : cut };
}
