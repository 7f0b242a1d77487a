import { isoTime } from '../../platform/kernel/time.ts';
import type { UpstreamResponse } from '../../upstreams/payload/upstream-response.ts';
import type { CallRecord } from '../call-record.ts';
import type { CallToolDeps } from '../call-tool.ts';
import type { PreparedCall } from '../prepare-call.ts';
import { type Provenance, provenanceOf } from '../provenance.ts';
import type { CallOutcome, RangeCount, RowCount } from '../tool-call.ts';
import { encodeTable, type ShownRows } from '../view/table.ts';
import type { UnitFacts } from './ask-unit.ts';
import type { GatheredRows } from './gather-rows.ts';
import type { PreparedUnits } from './prepare-units.ts';
import { type Cost, costReport } from './room.ts';

type OutcomeDeps = Pick<CallToolDeps, 'clock' | 'nextPublication' | 'isSandbox'>;

/** What came of a range. */
export interface RangeRows {
  readonly gathered: GatheredRows;
  readonly range: RangeCount;
  readonly facts: UnitFacts | undefined;
  /** What is missing, and how to get it. */
  readonly hint: string | undefined;
}

/** The outcome of a dry run: what the range would cost. */
export function costOutcome(
  deps: OutcomeDeps,
  record: CallRecord,
  { first }: PreparedUnits,
  cost: Cost,
): CallOutcome {
  const json = Buffer.from(JSON.stringify(costReport(cost)));
  return {
    ...baseOutcome(deps, record, first, undefined),
    response: responseOf(deps, record, json),
    rows: undefined,
    table: null,
  };
}

/** The outcome of a range: the rows of all units as one table. */
export function rangeOutcome(
  deps: OutcomeDeps,
  record: CallRecord,
  { first }: PreparedUnits,
  { gathered, range, facts, hint }: RangeRows,
): CallOutcome {
  const { table, all, file } = gathered;
  const isEmpty = range.complete && table.matching === 0 && first.choice === null;
  const base = baseOutcome(deps, record, first, facts);
  const whole = responseOf(deps, record, encodeTable(table), facts);
  const response = { ...whole, rows: table.rows.length };
  return {
    ...base,
    ...(isEmpty ? { kind: 'no_data', cause: 'no_data' } : {}),
    response,
    answered: { prepared: first, result: { ...base, response } },
    ...(all && { gathered: all }),
    ...(file && { file }),
    rows: countOf(table, range, [hint, file && first.choice?.sort && UNSORTED]),
    table,
    range,
    where: record.call.arguments['_where'],
  };
}

/** A file is written while rows arrive. */
const UNSORTED = 'The rows of the file are in the order of the units, not sorted.';

function countOf(
  { rows, matching, notes = [] }: ShownRows,
  { complete }: RangeCount,
  said: readonly (string | undefined)[],
): RowCount {
  const omitted = matching - rows.length;
  const shown = omitted > 0 ? `${rows.length} of ${matching} rows are shown.` : undefined;
  const hints = [shown, ...said, ...notes].filter((part) => part !== undefined);
  return {
    returned: rows.length,
    omitted,
    total: complete ? matching : null,
    next: null,
    ...(hints.length > 0 && { hint: hints.join(' ') }),
  };
}

function baseOutcome(
  deps: OutcomeDeps,
  record: CallRecord,
  first: PreparedCall,
  facts: UnitFacts | undefined,
) {
  return {
    entry: record.entry,
    auditId: record.auditId,
    cacheStatus: facts?.isHit ? 'HIT' : 'MISS',
    upstreamMs: null,
    isError: false,
    kind: 'ok',
    cause: null,
    where: undefined,
    unreduced: undefined,
    provenance: rangeProvenance(deps, record, first, facts),
  } as const;
}

function rangeProvenance(
  deps: OutcomeDeps,
  record: CallRecord,
  prepared: PreparedCall,
  facts: UnitFacts | undefined,
): Provenance {
  const isSample = deps.isSandbox && record.entry.source === 'preset';
  const provenance = provenanceOf(
    {
      prepared,
      response: responseOf(deps, record, Buffer.alloc(0), facts),
      steppedBack: null,
      staleCause: null,
    },
    { nowMs: deps.clock.now(), nextPublication: () => undefined, isSample },
  );
  const { _dry_run, _fields, _limit, _where, _view, _group, _calc, _sort, _link, ...asked } =
    record.call.arguments;
  return { ...provenance, asOf: facts?.asOf ?? null, asked };
}

/** A response in the form of an upstream's. Its address names no values. */
function responseOf(
  { clock }: OutcomeDeps,
  { entry: { tool } }: CallRecord,
  json: Buffer,
  facts?: UnitFacts,
): UpstreamResponse {
  const fetchedAtMs = facts?.fetchedAtMs ?? clock.now();
  const url = `${tool.baseUrl}${tool.path}`;
  return { json, ok: true, status: 200, url, fetchedAtMs, fetchedAt: isoTime(fetchedAtMs) };
}
