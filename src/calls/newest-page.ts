import { seriesOf } from '../upstreams/payload/one-series.ts';
import { isFailure } from '../upstreams/payload/upstream-response.ts';
import { type AnsweredCall, findAnother, type LookUp } from './step-back.ts';

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
