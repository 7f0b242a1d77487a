import type { Awaitable } from '../platform/kernel/awaitable.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { JsonDocument } from '../platform/kernel/json-document.ts';
import { parsePointer } from '../platform/kernel/json-pointer.ts';
import type { PayloadShape } from '../tools/model.ts';
import type { CacheResult } from '../upstreams/cache/response-cache.ts';
import { columnOf, findRows, rowOf } from '../upstreams/payload/rows.ts';
import { isFailure } from '../upstreams/payload/upstream-response.ts';
import { isEmpty } from './judge-response.ts';
import type { PreparedCall } from './prepare-call.ts';

/** A call with the response that answers it. */
export interface AnsweredCall {
  readonly prepared: PreparedCall;
  readonly result: CacheResult;
  /** How many publications it lies before the latest; null = none. */
  readonly steppedBack: number | null;
}

/** Looks up the response to a call for one publication. */
export type LookUp = (prepared: PreparedCall) => Awaitable<CacheResult>;

/**
 * Requests earlier publications, one after another, until one holds data (`x-step-back`). Returns the latest if none
 * does, or if the upstream fails meanwhile.
 */
export async function stepBack(latest: AnsweredCall, find: LookUp): Promise<AnsweredCall> {
  const { prepared } = latest;
  if (!isEmpty(latest.result.response)) return latest;
  for (let steps = 1; steps <= prepared.tool.stepBack; steps++) {
    const earlier = prepared.earlier(steps);
    const result = await findAnother(earlier, find);
    if (!result || isFailure(result.response)) return latest;
    if (!isEmpty(result.response)) return { prepared: earlier, result, steppedBack: steps };
  }
  return latest;
}

/** Looks up what is asked for beside the response that the call already has; undefined if the upstream fails. */
async function findAnother(call: PreparedCall, find: LookUp): Promise<CacheResult | undefined> {
  try {
    return await find(call);
  } catch (error) {
    const code = error instanceof GatewayError ? error.code : '';
    if (!code.startsWith('upstream_') && code !== 'overloaded' && code !== 'quota_exhausted')
      throw error;
    return undefined;
  }
}

/**
 * Requests the last page in place of the first if an upstream lists a series from its oldest row on and has more than a
 * page of it (`x-oldest-first`). Returns the first page if the rows are of several series, whose order is not known, or if
 * the upstream fails meanwhile.
 */
export async function newestPage(first: AnsweredCall, find: LookUp): Promise<AnsweredCall> {
  const { response } = first.result;
  const last = isFailure(response) ? undefined : first.prepared.lastPage(response.total ?? 0);
  if (!last) return first;
  const { payload } = first.prepared.tool;
  const series = seriesOf(response.json, payload);
  if (series === undefined) return first;
  const result = await findAnother(last, find);
  return result && !isFailure(result.response) && seriesOf(result.response.json, payload) === series
    ? { prepared: last, result, steppedBack: null }
    : first;
}

/**
 * The series of which all rows of a payload are (`x-oldest-first`), as a text to compare; undefined if they are of several,
 * or the payload has no rows.
 */
function seriesOf(json: Buffer, shape: PayloadShape): string | undefined {
  const { items, itemWrapper, seriesColumns = [] } = shape;
  const document = new JsonDocument(json);
  const place = findRows(document, items === null ? null : parsePointer(items));
  if (place === undefined) return undefined;
  let series: string | undefined;
  for (const element of document.children(place)) {
    const row = rowOf(document, element, itemWrapper);
    const cells = seriesColumns.map((name) => columnOf(document, row, name));
    const own = JSON.stringify(cells.map((cell) => cell !== undefined && document.value(cell)));
    series ??= own;
    if (own !== series) return undefined;
  }
  return series;
}
