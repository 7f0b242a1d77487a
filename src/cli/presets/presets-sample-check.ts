import { GatewayError } from '../../platform/kernel/error.ts';
import type { SandboxResponse } from '../../sandbox/sandbox-response.ts';
import type { Tool } from '../../tools/model.ts';
import { parsePointer, valueAt } from '../../upstreams/payload/json-pointer.ts';
import type { NormalisedPayload } from '../../upstreams/payload/normalise-payload.ts';
import { readPayload } from '../../upstreams/payload/read-payload.ts';

/** What a tool's sample answer says of its definition; null stands for what the definition does not name. */
export interface SampleCheck {
  readonly rows: number | null;
  /** The upstream's own count of all rows. */
  readonly total: number | null;
  readonly faults: readonly string[];
  /** What works, and could be better. */
  readonly warnings: readonly string[];
}

/** Reads the sample as a gateway reads an answer, and looks at every place that the definition names. */
export function checkSample(tool: Tool, sample: SandboxResponse): SampleCheck {
  const payload = normalise(tool, sample);
  if (!payload) return { ...NOTHING, faults: ['The sample is neither JSON nor XML.'] };
  const value: unknown = JSON.parse(payload.json.toString());
  const rows = rowsOf(tool, value);
  const total = totalOf(tool, value);
  return {
    rows: rows?.length ?? null,
    total: total ?? null,
    faults: [
      ...(payload.ok ? [] : ['By x-success the sample is a refusal.']),
      ...codeFaults(tool, value),
      ...rowFaults(tool, rows),
      ...totalFaults(tool, total),
    ],
    warnings: columnWarnings(tool, rows ?? []),
  };
}

export const NOTHING: SampleCheck = { rows: null, total: null, faults: [], warnings: [] };

/** Undefined when the body cannot be read. */
export function normalise(tool: Tool, sample: SandboxResponse): NormalisedPayload | undefined {
  try {
    return readPayload({
      status: sample.status,
      contentType: sample.contentType,
      body: Buffer.from(sample.body),
      shape: tool.payload,
      isPublicData: tool.isPublicData,
    });
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

/** Some upstreams send a code with refusals alone; their definitions name no codes of success. */
function codeFaults({ payload, isPublicData }: Tool, value: unknown): string[] {
  const { code = null, values = [] } = payload.success ?? {};
  if (code === null || !(isPublicData || values.length > 0)) return [];
  const found = valueAt(value, parsePointer(code));
  const isCode = typeof found === 'number' || (typeof found === 'string' && found.trim() !== '');
  return isCode ? [] : [`The sample has no result code at ${code} (x-success).`];
}

function rowsOf({ payload: { items } }: Tool, value: unknown): readonly unknown[] | undefined {
  const rows = items === null ? undefined : valueAt(value, parsePointer(items));
  return Array.isArray(rows) ? rows : undefined;
}

function rowFaults({ payload: { items } }: Tool, rows: readonly unknown[] | undefined): string[] {
  if (items === null || (rows && rows.length > 0)) return [];
  return [`The sample has ${rows ? '0' : 'no'} rows at ${items || 'the root'} (x-items).`];
}

/** XML has no numbers, and many a JSON upstream writes them as text. */
function totalOf({ payload: { total } }: Tool, value: unknown): number | undefined {
  const found = total === null ? undefined : valueAt(value, parsePointer(total));
  return /^\s*\d+\s*$/.test(String(found)) ? Number(found) : undefined;
}

const totalFaults = ({ payload }: Tool, total: number | undefined): string[] =>
  payload.total === null || total !== undefined
    ? []
    : [`The sample has no number at ${payload.total} (x-total).`];

/** The argument `_fields` takes the columns that the schema of the answer describes, and refuses all others. */
function columnWarnings({ payload }: Tool, rows: readonly unknown[]): string[] {
  const { items, columns, itemWrapper } = payload;
  if (items === null) return [];
  if (columns === null) return ['The schema of the answer does not lead through x-items to a row.'];
  const fields = rows.flatMap((row) => Object.keys(Object(unwrapped(row, itemWrapper))));
  const unknown = [...new Set(fields)].filter((field) => !columns.includes(field));
  return unknown.length > 0
    ? [`The schema of a row lacks what the sample has: ${unknown.join(', ')}.`]
    : [];
}

const unwrapped = (row: unknown, wrapper: string | null): unknown =>
  wrapper === null ? row : (valueAt(row, [wrapper]) ?? row);
