import type { Unstored } from '../audit/record/audit-record.ts';
import type { Awaitable } from '../platform/kernel/awaitable.ts';
import { overBudget, SMALL_BYTES } from '../platform/kernel/byte-budget.ts';
import { GatewayError, toGatewayError } from '../platform/kernel/error.ts';
import type { RefusalReason } from '../platform/kernel/refusal.ts';
import type { Catalog } from '../tools/catalog/catalog.ts';
import type { CatalogEntry } from '../tools/catalog-entry.ts';
import type { ArgumentThread } from '../tools/request/argument-thread.ts';
import type { ReadArguments } from '../tools/request/read-arguments.ts';
import type { ResolveCode } from '../tools/request/resolve-code.ts';
import type { SentRequest, ToolConnection } from '../tools/tool-connection.ts';
import type { CacheResult } from '../upstreams/cache/response-cache.ts';
import { CallRecord, type CallRecordDeps } from './call-record.ts';
import { causeOfStaleness, judgeResponse } from './judge-response.ts';
import { unknownTool } from './list-tools.ts';
import { type LookUpDeps, lookUp } from './look-up.ts';
import { argumentReaderOf, type PreparedCall, prepareCall } from './prepare-call.ts';
import { projectRows } from './project-rows.ts';
import { type NextPublication, provenanceOf } from './provenance.ts';
import { type AnsweredCall, type LookUp, newestPage, stepBack } from './step-back.ts';
import { type CallContext, CallFailure, type CallOutcome, type ToolCall } from './tool-call.ts';

/** A call whose record is committed, for events, metrics and the log. */
export interface FinishedCall {
  readonly call: ToolCall;
  readonly context: CallContext;
  readonly entry: CatalogEntry;
  readonly auditId: string;
  readonly result: CallOutcome | GatewayError;
  /** The upstream's address; the address of the audit record if an argument was masked or the call failed. */
  readonly publishedUrl: string;
  /** The last request that this call sent to its upstream; null if it sent none. */
  readonly sent: SentRequest | null;
  /** How the call reached its upstream; undefined if it failed before that was known. */
  readonly connection: ToolConnection | undefined;
  readonly durationMs: number;
}

export interface CallToolDeps extends LookUpDeps, CallRecordDeps {
  readonly catalog: Pick<Catalog, 'find' | 'isDenied' | 'list'>;
  readonly nextPublication: NextPublication;
  readonly resolveCode: ResolveCode;
  /** Checks the arguments of registered tools. */
  readonly argumentThread: Pick<ArgumentThread, 'read'>;
  /** Whether the sandbox answers in place of the upstreams of presets. */
  readonly isSandbox: boolean;
  /** Called for a call of a tool that does not exist or that the key may not use; must not throw. */
  readonly onNotFound: (
    tool: string,
    context: CallContext,
    reason: Extract<RefusalReason, 'unknown_tool' | 'tool_not_allowed'>,
  ) => void;
  /** Called for every finished call; must not throw. */
  readonly onFinished: (finished: FinishedCall) => void;
}

/**
 * Runs one tool for one caller. Resolves for every response of the upstream, good or bad. Rejects with a CallFailure, which
 * has the id of the record, if the call fails, and with another error without a record: `tool_not_found`, `overloaded`
 * before it started, or what prevented the record itself.
 */
export type CallTool = (call: ToolCall, context: CallContext) => Promise<CallOutcome>;

/** Calls a tool that is not in the catalog like any other, and records the call. */
export type CallEntry = (
  entry: CatalogEntry,
  ...call: Parameters<CallTool>
) => Promise<CallOutcome>;

/**
 * A call gets its response from the cache, from an identical call under way or from the upstream, steps back to an earlier
 * publication if it holds no data and the tool may do so, and projects the rows.
 */
export function createCallTool(deps: CallToolDeps): CallTool {
  // Without `await`, which would cost every hit three objects and a turn of the microtask queue.
  return (call, context) => {
    let record: CallRecord;
    try {
      const entry = findTool(deps, call.name, context);
      deps.ledger.assertWritable();
      record = new CallRecord(deps.clock.now(), { entry, call, context });
    } catch (error) {
      return Promise.reject(error);
    }
    let result: CallOutcome | GatewayError;
    try {
      const prepared = prepareRecorded(deps, record);
      if (prepared instanceof Promise) return finishLater(deps, record, prepared);
      const found = lookUp(deps, record, prepared);
      if (found instanceof Promise || prepared.mayStepBack || prepared.mayTurn)
        return finishLater(deps, record, prepared, found);
      result = outcomeOf(deps, record, { prepared, result: found, steppedBack: null });
    } catch (error) {
      result = toGatewayError(error);
    }
    return finishCall(deps, record, result);
  };
}

/**
 * Finishes a call that waits for something. One function for all of it: a layer of promises for each step would cost every
 * miss a dozen objects.
 */
async function finishLater(
  deps: CallToolDeps,
  record: CallRecord,
  preparing: Awaitable<PreparedCall>,
  looking?: Awaitable<CacheResult>,
): Promise<CallOutcome> {
  let result: CallOutcome | GatewayError;
  try {
    const prepared = preparing instanceof Promise ? await preparing : preparing;
    const latest = await (looking ?? lookUp(deps, record, prepared));
    const askedMs = latest.stale?.askedMs;
    const answered = askedMs === undefined ? prepared : prepared.at(askedMs);
    const found = { prepared: answered, result: latest, steppedBack: null };
    const another: LookUp = (call) => lookUp(deps, record, call);
    let chosen: AnsweredCall = found;
    if (prepared.mayStepBack) chosen = await stepBack(chosen, another);
    if (prepared.mayTurn) chosen = await newestPage(chosen, another);
    result = outcomeOf(deps, record, chosen);
  } catch (error) {
    result = toGatewayError(error);
  }
  return deliver(deps, record, result, await record.commit(deps, result));
}

/** Commits the record and reports the call. The response may leave only then. */
export const finishCall = (
  deps: CallToolDeps,
  record: CallRecord,
  result: CallOutcome | GatewayError,
): Promise<CallOutcome> =>
  record.commit(deps, result).then((unstored) => deliver(deps, record, result, unstored));

/** What the caller gets once the record is committed. */
function deliver(
  deps: CallToolDeps,
  record: CallRecord,
  result: CallOutcome | GatewayError,
  unstored: Unstored | undefined,
): CallOutcome {
  const error = unstored?.get(record.auditId);
  if (error) throw error;
  const { call, context, entry, auditId, publishedUrl, sent, connection, startedMs } = record;
  const durationMs = performance.now() - startedMs;
  deps.onFinished({
    call,
    context,
    entry,
    auditId,
    result,
    publishedUrl,
    sent,
    connection,
    durationMs,
  });
  if (result instanceof GatewayError) throw new CallFailure(auditId, entry.tool.name, result);
  return result;
}

function findTool(
  { catalog, onNotFound }: CallToolDeps,
  name: string,
  context: CallContext,
): CatalogEntry {
  const entry = catalog.find(context.caller, name);
  if (entry) return entry;
  const isDenied = catalog.isDenied(context.caller, name);
  onNotFound(name, context, isDenied ? 'tool_not_allowed' : 'unknown_tool');
  throw unknownTool(
    name,
    catalog.list(context.caller),
    'Call tools/list for the tools that this key may use.',
  );
}

interface PreparableCall extends Pick<CallRecord, 'entry' | 'call' | 'context' | 'timestampMs'> {
  /** The arguments that are columns in front of the rows. */
  readonly varied?: readonly string[];
}

/** Checks the arguments. What a stranger wrote into a schema never runs on the event loop. */
export function prepareRecorded(
  { resolveCode, argumentThread }: CallToolDeps,
  { entry: { tool, source }, call, context, timestampMs: nowMs, varied }: PreparableCall,
): Awaitable<PreparedCall> {
  const { tenantId } = context.caller;
  const readArguments: ReadArguments =
    source === 'registered'
      ? (received, resolve) =>
          argumentThread.read(tool, received, { resolveCode: resolve, tenantId })
      : argumentReaderOf(tool);
  return prepareCall(tool, call, { nowMs, resolveCode, readArguments, varied });
}

/** What the caller gets of what was found. */
function outcomeOf(
  { clock, nextPublication, isSandbox }: CallToolDeps,
  { entry, auditId, call, context }: CallRecord,
  answered: AnsweredCall,
): CallOutcome {
  const { prepared, result, steppedBack } = answered;
  const { response, rows, table, unreduced } = projectRows(prepared, result.response);
  chargeToCaller(response.json, context);
  const circumstances = {
    nowMs: clock.now(),
    nextPublication,
    isSample: isSandbox && entry.source === 'preset',
  };
  const { cacheStatus, upstreamMs, stale } = result;
  const staleCause = stale ? causeOfStaleness(stale) : null;
  const { isError, kind, cause } = judgeResponse(result.response);
  return {
    entry,
    auditId,
    cacheStatus,
    upstreamMs,
    isError,
    kind,
    cause,
    response,
    rows,
    unreduced,
    where: rows && call.arguments['_where'],
    table,
    provenance: provenanceOf({ prepared, response, steppedBack, staleCause }, circumstances),
    answered,
  };
}

/** Charges a large response to the caller until it has been sent. Throws `overloaded` if it does not fit. */
function chargeToCaller(json: Buffer, { memory }: CallContext): void {
  if (json.length > SMALL_BYTES && !memory().hold(json)) throw overBudget();
}
