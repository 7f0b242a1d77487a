import { overBudget, SMALL_BYTES } from '../../platform/kernel/byte-budget.ts';
import { GatewayError, invalidArguments, toGatewayError } from '../../platform/kernel/error.ts';
import { isoTime, zonedDay } from '../../platform/kernel/time.ts';
import { hasRows, type RowView } from '../../tools/model.ts';
import { CallRecord } from '../call-record.ts';
import { type CallTool, type CallToolDeps, finishCall } from '../call-tool.ts';
import { type Arguments, mayKeepRows } from '../choose-rows.ts';
import { fileNameOf } from '../link-rows.ts';
import { quotaLeft } from '../look-up.ts';
import type { ResultStore } from '../results/result-store.ts';
import {
  type CallContext,
  CallFailure,
  type CallOutcome,
  type RangeCount,
  type ToolCall,
} from '../tool-call.ts';
import { askUnit } from './ask-unit.ts';
import { type GatherOptions, RowGatherer } from './gather-rows.ts';
import type { HeldPages } from './held-pages.ts';
import { costOutcome, rangeOutcome } from './over-outcome.ts';
import { type Dimension, type FindCodesWithin, planUnits, type Units } from './plan-units.ts';
import { type PreparedUnits, prepareUnits } from './prepare-units.ts';
import { RangeTally } from './range-tally.ts';
import { type Cost, type CountRequests, checkRoom } from './room.ts';
import { RunControl } from './run-control.ts';
import { runUnits } from './run-units.ts';
import { createSlots } from './slots.ts';

export interface OverDeps extends CallToolDeps {
  readonly countRequests: CountRequests;
  readonly codesWithin: FindCodesWithin;
  readonly results: Pick<ResultStore, 'open'>;
  /** Told why rows were not kept as a file. */
  readonly onFileError: (error: unknown) => void;
}

/**
 * Adds `_over` to calls: the tool is called for every value of a range, page after page, and the rows become one table. Each
 * request is an ordinary call with a record of its own, which has the id of the outer record.
 */
export function withRanges(deps: OverDeps, callTool: CallTool): CallTool {
  const slots = createSlots();
  const ranges = { ...deps, callTool, takeSlot: slots.take };
  return (call, context) => {
    const over = call.arguments['_over'] ?? undefined;
    return over === undefined ? callTool(call, context) : callOver(ranges, call, context);
  };
}

interface RangeDeps extends OverDeps {
  readonly callTool: CallTool;
  readonly takeSlot: (tenantId: string) => () => void;
}

async function callOver(
  deps: RangeDeps,
  call: ToolCall,
  context: CallContext,
): Promise<CallOutcome> {
  const entry = deps.catalog.find(context.caller, call.name);
  // The ordinary call says that the tool is unknown.
  if (!entry) return deps.callTool(call, context);
  deps.ledger.assertWritable();
  const record = new CallRecord(deps.clock.now(), { entry, call, context });
  const result = await answer(deps, record).catch((error: unknown) =>
    toGatewayError(error instanceof CallFailure ? error.error : error),
  );
  return finishCall(deps, record, result);
}

/** Also what only reads the cost takes a slot: the arguments of a thousand units are checked for it. */
async function answer(deps: RangeDeps, record: CallRecord): Promise<CallOutcome> {
  checkTool(record);
  const { entry, call, context } = record;
  const units = planUnits(entry.tool, call.arguments, deps.codesWithin);
  const giveBack = deps.takeSlot(context.caller.tenantId);
  try {
    return await answerUnits(deps, record, units);
  } finally {
    giveBack();
  }
}

async function answerUnits(
  deps: RangeDeps,
  record: CallRecord,
  units: Units,
): Promise<CallOutcome> {
  const { entry, call, context } = record;
  const prepared = await prepareUnits(deps, record, units);
  const cost = await costOf(deps, record, units.count, prepared);
  if (call.arguments['_dry_run'] === true) return costOutcome(deps, record, prepared, cost);
  const { endMs } = zonedDay(deps.clock.now(), entry.tool.quota?.zone ?? 'Asia/Seoul');
  checkRoom(entry.tool.name, cost, Math.ceil((endMs - deps.clock.now()) / 1000));
  const outcome = await run(deps, record, prepared, units.dimensions);
  const { json } = outcome.response;
  if (json.length > SMALL_BYTES && !context.memory().hold(json)) throw overBudget();
  return outcome;
}

function checkTool({ entry: { tool }, call }: CallRecord): void {
  const refuse = (path: string, message: string): never => {
    throw invalidArguments(tool.name, [{ path, message }]);
  };
  if (!hasRows(tool.payload))
    refuse('/_over', 'needs a tool whose responses have rows. Call this one once for each value.');
  if (!tool.annotations.readOnlyHint)
    refuse('/_over', 'is for tools that only read. Call this one once for each value.');
  const { _dry_run: dryRun = false } = call.arguments;
  if (typeof dryRun !== 'boolean') refuse('/_dry_run', 'must be true or false.');
}

async function costOf(
  deps: RangeDeps,
  record: CallRecord,
  units: number,
  { cached }: PreparedUnits,
): Promise<Cost> {
  const { caller } = record.context;
  const [{ day }, quota] = await Promise.all([
    deps.countRequests(caller, 0),
    quotaLeft(deps, record),
  ]);
  return { units, requests: units, cached, left: { day: day?.remaining ?? null, quota } };
}

function createGatherer(
  { results, onFileError: onError, clock }: RangeDeps,
  { entry: { tool }, context }: CallRecord,
  {
    choice,
    dimensions,
  }: Pick<GatherOptions, 'choice'> & { readonly dimensions: readonly Dimension[] },
): RowGatherer {
  const { tenantId } = context.caller;
  const name = fileNameOf(tool.name, isoTime(clock.now()));
  const openFile = () => results.open({ tenantId, tool: tool.name, name });
  return new RowGatherer({
    ...{ choice, onError, names: dimensions.map((each) => each.name) },
    tool: { ...tool, view: viewWith(tool.view, dimensions) },
    ...(mayKeepRows(tool) && { openFile }),
  });
}

/** The view of a tool's rows with what the codes mean that stand in front of them. */
function viewWith(view: RowView, dimensions: readonly Dimension[]): RowView {
  const found = dimensions.flatMap(({ name, codes }) =>
    codes ? [[name, { title: null, unit: null, codes }] as const] : [],
  );
  return { ...view, columns: { ...view.columns, ...Object.fromEntries(found) } };
}

/** Of a range without any rows: the failure of its first unit. */
function failedOutcome(
  { auditId }: CallRecord,
  failure: GatewayError | CallOutcome,
  range: RangeCount,
): CallOutcome {
  if (failure instanceof GatewayError) throw failure;
  return { ...failure, auditId, rows: undefined, table: null, range };
}

const ALL = { fields: null, where: new Map(), limit: null };

/** Asks the units, and puts their rows together. */
async function run(
  deps: RangeDeps,
  record: CallRecord,
  prepared: PreparedUnits,
  dimensions: readonly Dimension[],
): Promise<CallOutcome> {
  const { entry, call, context } = record;
  const { tool } = entry;
  const { units, first } = prepared;
  const control = new RunControl(deps.countRequests, context.caller, call);
  const tally = new RangeTally(units.length);
  const rows = createGatherer(deps, record, { choice: first.choice ?? ALL, dimensions });
  const asking = {
    ...{ tool, callTool: deps.callTool, context, admit: control.admit },
    openMemory: () => deps.budget.open(context.caller.tenantId),
    common: {
      ...{ name: call.name, clientId: call.clientId, partOf: record.auditId },
      cancellation: () => control.stop,
    },
  };
  /** Rows that cannot be shown end the call: what its other units ask is of no use. */
  const addRows = async (varied: Arguments, pages: HeldPages): Promise<void> => {
    try {
      await rows.add(varied, pages);
    } catch (error) {
      control.end('cancelled');
      throw error;
    } finally {
      pages.close();
    }
  };
  call.onProgress?.(0, units.length);
  try {
    await runUnits({
      count: units.length,
      isOver: () => control.ended !== null,
      ask: (index) => askUnit(asking, units[index]?.arguments ?? {}),
      take: async (index, end) => {
        const varied = units[index]?.varied ?? {};
        if (end.kind === 'whole') {
          await addRows(varied, end.pages);
          tally.addWhole(end.facts);
        } else if (end.kind === 'failed' && tally.addFailed(varied, end)) control.end('source');
        if (end.kind !== 'stopped') call.onProgress?.(tally.ended, units.length);
      },
    });
    if (control.ended === 'cancelled') throw new GatewayError('cancelled');
    const range = tally.count();
    const { failure } = tally;
    if (tally.done === 0 && failure) return failedOutcome(record, failure, range);
    const hint = tally.hint(control.ended, {
      isCached: tool.cacheTtlSeconds > 0,
      retryAfterSeconds: control.retryAfterSeconds,
    });
    const gathered = await rows.finish();
    return rangeOutcome(deps, record, prepared, { gathered, range, facts: tally.facts, hint });
  } catch (error) {
    await rows.abort();
    throw error;
  } finally {
    control.close();
  }
}
