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
    data: {},
  },
  required: ['summary', 'columns', 'rows', 'total', 'next', 'provenance'],
} as const;

/**
 * `structuredContent` as JSON in pieces: the rows under the cap in characters, cut at whole rows. A response without rows
 * is in `data`, unless it is longer than the cap.
 */
export function encodeStructured(outcome: CallOutcome, maxCharacters: number): (string | Buffer)[] {
  const { table, rows, provenance, response, kind } = outcome;
  const summary = [headOf(outcome)];
  const shown = table ? encodeRows(table, maxCharacters) : [];
  if (table && shown.length < table.rows.length) {
    summary.push(`Only the first ${shown.length} of these ${table.rows.length} rows fit here.`);
  }
  const hasData = !table && kind === 'ok' && response.json.length <= maxCharacters;
  return [
    `{"summary":${JSON.stringify(summary.join('\n'))},"columns":${JSON.stringify(table?.columns ?? [])},"rows":[${shown.join(',')}],"total":${rows?.total ?? null},"next":${JSON.stringify(rows?.next ?? null)},"provenance":`,
    ...encodeProvenance(provenance),
    ...(hasData ? [',"data":', response.json] : []),
    '}',
  ];
}

function encodeRows({ columns, rows }: ShownRows, maxCharacters: number): string[] {
  const encoded: string[] = [];
  let length = 0;
  for (const row of rows) {
    const text = `[${encodeRow(row, columns).join(',')}]`;
    length += text.length + 1;
    if (length > maxCharacters) break;
    encoded.push(text);
  }
  return encoded;
}
