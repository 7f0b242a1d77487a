import { ownText } from '../../platform/kernel/plain-json.ts';
import type { HttpMethod, PagingArguments, RowPlace, Tool } from '../model.ts';
import { cleanLine } from './clean-text.ts';
import type { Verdict } from './findings.ts';
import type { Operation } from './list-operations.ts';

const MAX_REASON_LENGTH = 500;
const MAX_NAME_LENGTH = 200;

export interface OperationOutcome {
  readonly operationId: string | null;
  readonly method: HttpMethod;
  readonly path: string;
  /** The name of the tool; null for a refused operation. */
  readonly tool: string | null;
  readonly outcome: 'accepted' | 'changed' | 'refused';
  /** Where the first reason is, or else the operation. */
  readonly pointer: string;
  /** What is wrong and what to do; null if the operation was accepted. */
  readonly reason: string | null;
  /** Where the description has the rows; null if it does not say. */
  readonly rows: ReportedRows | null;
}

/** Where the rows are, their total, and how the next page is asked for. */
export interface ReportedRows extends RowPlace {
  readonly paging: PagingArguments | null;
}

/** A message, and how often it applies: the pointer names one place. */
const sentenceOf = ([message, places]: readonly [string, readonly Verdict[]]): string =>
  places.length > 1 ? `${message.replace(/\.$/, '')} (${places.length} places).` : message;

/** The outcome that follows from what the compiler reported. Its texts are safe to display. */
export function outcomeOf(
  { value, pointer, method, path }: Operation,
  tool: Tool | undefined,
  verdicts: readonly Verdict[],
): OperationOutcome {
  const refusals = verdicts.filter(({ outcome }) => outcome === 'refused');
  const reasons = refusals.length > 0 ? refusals : verdicts;
  const [first] = reasons;
  const id = ownText(value, 'operationId');
  const text = [...Map.groupBy(reasons, ({ message }) => message)].map(sentenceOf).join(' ');
  return {
    operationId: id === undefined ? null : cleanLine(id, MAX_NAME_LENGTH),
    method,
    path: cleanLine(path, MAX_NAME_LENGTH),
    tool: tool?.name ?? null,
    outcome: tool === undefined ? 'refused' : (first?.outcome ?? 'accepted'),
    pointer: cleanLine(first?.pointer ?? pointer, MAX_REASON_LENGTH),
    reason: first ? cleanLine(text, MAX_REASON_LENGTH) : null,
    rows: tool ? declaredRows(tool) : null,
  };
}

/** Where the description, or what stands beside it, has the rows of a tool; null if it does not say. */
export function declaredRows({ payload }: Pick<Tool, 'payload'>): ReportedRows | null {
  const { items, itemWrapper, total, finds, paging = null } = payload;
  if (items !== null)
    return { items, itemWrapper, total, next: paging?.at ?? null, evidence: 'x-items', paging };
  const { expected } = finds ?? {};
  return expected && expected !== 'none'
    ? { ...expected, total: total ?? expected.total, paging }
    : null;
}
