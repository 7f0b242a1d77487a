import { parsePointer, valueAt } from '../../platform/kernel/json-pointer.ts';
import { normaliseSample } from '../../sandbox/normalise-sample.ts';
import type { SandboxResponse } from '../../sandbox/sandbox-response.ts';
import type { Tool } from '../../tools/model.ts';

/** How the sample response of a tool fits its definition. Null stands for what the definition does not name. */
export interface SampleCheck {
  readonly rows: number | null;
  /** The number of all rows, as the upstream counts them. */
  readonly total: number | null;
  readonly faults: readonly string[];
  /** What works but should be improved. */
  readonly warnings: readonly string[];
}

/** Normalises the sample as the gateway normalises a response, and checks every pointer of the definition. */
export function checkSample(tool: Tool, sample: SandboxResponse): SampleCheck {
  const payload = normaliseSample(tool, sample);
  if (!payload) return { ...NOTHING, faults: ['The sample is neither JSON nor XML.'] };
  const value: unknown = JSON.parse(payload.json.toString());
  const rows = rowsOf(tool, value);
  const total = totalOf(tool, value);
  return {
    rows: rows?.length ?? null,
    total: total ?? null,
    faults: [
      ...(payload.ok ? [] : ['According to x-success, the sample is a refusal.']),
      ...codeFaults(tool, value),
      ...rowFaults(tool, rows),
      ...totalFaults(tool, total),
    ],
    warnings: columnWarnings(tool, rows ?? []),
  };
}

export const NOTHING: SampleCheck = { rows: null, total: null, faults: [], warnings: [] };

/** Some upstreams send a code only with refusals; their definitions name no success codes. */
function codeFaults({ payload, isPublicData }: Tool, value: unknown): string[] {
  const { code = [], values = [] } = payload.success ?? {};
  if (code.length === 0 || !(isPublicData || values.length > 0)) return [];
  const isFound = code.some((pointer) => isCode(valueAt(value, parsePointer(pointer))));
  return isFound ? [] : [`The sample has no result code at ${code.join(' or ')} (x-success).`];
}

const isCode = (found: unknown): boolean =>
  typeof found === 'number' || (typeof found === 'string' && found.trim() !== '');

function rowsOf({ payload: { items } }: Tool, value: unknown): readonly unknown[] | undefined {
  const rows = items === null ? undefined : valueAt(value, parsePointer(items));
  return Array.isArray(rows) ? rows : undefined;
}

function rowFaults({ payload: { items } }: Tool, rows: readonly unknown[] | undefined): string[] {
  if (items === null || (rows && rows.length > 0)) return [];
  return [`The sample has ${rows ? '0' : 'no'} rows at ${items || 'the root'} (x-items).`];
}

/** XML has no numbers, and many JSON upstreams write them as strings. */
function totalOf({ payload: { total } }: Tool, value: unknown): number | undefined {
  const found = total === null ? undefined : valueAt(value, parsePointer(total));
  return /^\s*\d+\s*$/.test(String(found)) ? Number(found) : undefined;
}

const totalFaults = ({ payload }: Tool, total: number | undefined): string[] =>
  payload.total === null || total !== undefined
    ? []
    : [`The sample has no number at ${payload.total} (x-total).`];

/** The argument `_fields` accepts only the columns that the response schema describes. */
function columnWarnings({ payload }: Tool, rows: readonly unknown[]): string[] {
  const { items, columns, itemWrapper } = payload;
  if (items === null) return [];
  if (columns === null) return ['The response schema describes no row at x-items.'];
  const fields = rows.flatMap((row) => Object.keys(Object(unwrapped(row, itemWrapper))));
  const unknown = [...new Set(fields)].filter((field) => !columns.includes(field));
  return unknown.length > 0
    ? [`The row schema lacks columns of the sample: ${unknown.join(', ')}.`]
    : [];
}

const unwrapped = (row: unknown, wrapper: string | null): unknown =>
  wrapper === null ? row : (valueAt(row, [wrapper]) ?? row);
