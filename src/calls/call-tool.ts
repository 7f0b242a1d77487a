import { type Awaitable, whenReady } from '../platform/kernel/awaitable.ts';
import { overBudget, SMALL_BYTES } from '../platform/kernel/byte-budget.ts';
import { GatewayError, toGatewayError } from '../platform/kernel/error.ts';
import type { Catalog } from '../tools/catalog/catalog.ts';
import type { CatalogEntry } from '../tools/catalog-entry.ts';
import type { ArgumentThread } from '../tools/request/argument-thread.ts';
import type { ReadArguments } from '../tools/request/read-arguments.ts';
import type { ResolveCode } from '../tools/request/resolve-code.ts';
import type { SentRequest } from '../tools/tool-connection.ts';
import { type CallRecord, type CallRecordDeps, openCallRecord } from './call-record.ts';
import { judgeResponse } from './judge-response.ts';
import { type LookUpDeps, lookUp } from './look-up.ts';
import { prepareCall } from './prepare-call.ts';
import { argumentReaderOf } from './prepared-tool.ts';
import { projectRows } from './project-rows.ts';
import { type NextPublication, provenanceOf } from './provenance.ts';
import { type Found, stepBack } from './step-back.ts';
import { type CallContext, CallFailure, type CallOutcome, type ToolCall } from './tool-call.ts';

/** A call whose record is committed, for events, metrics and the log. */
export interface FinishedCall {
  readonly call: ToolCall;
  readonly context: CallContext;
  readonly entry: CatalogEntry;
  readonly auditId: string;
  readonly result: CallOutcome | GatewayError;
  /** The upstream's address, masked as in the audit record. */
  readonly recordedUrl: string;
  /** The last request that this call sent to its upstream; null if it sent none. */
  readonly sent: SentRequest | null;
  readonly durationMs: number;
}

export interface CallToolDeps extends LookUpDeps, CallRecordDeps {
  readonly catalog: Pick<Catalog, 'find' | 'isDenied'>;
  readonly nextPublication: NextPublication;
  readonly resolveCode: ResolveCode;
  /** Checks the arguments of registered tools. */
  readonly argumentThread: Pick<ArgumentThread, 'read'>;
  /** Whether the sandbox answers in place of the upstreams. */
  readonly isSandbox: boolean;
  /** Called for a call of a tool that the key may not use; must not throw. */
  readonly onDenied: (tool: string, context: CallContext) => void;
  /** Called for every finished call; must not throw. */
  readonly onFinished: (finished: FinishedCall) => void;
}

/**
 * Runs one tool for one caller. Resolves for every response of the upstream, good or bad. Rejects with `tool_not_found`
 * or `overloaded` if nothing was started, and with a CallFailure once a record has been written.
 */
export type CallTool = (call: ToolCall, context: CallContext) => Promise<CallOutcome>;

export function createCallTool(deps: CallToolDeps): CallTool {
  return async (call, context) => {
    const entry = findTool(deps, call.name, context);
    deps.ledger.assertWritable();
    const record = openCallRecord(deps, { entry, call, context });
    let result: CallOutcome | GatewayError;
    try {
      result = await run(deps, record);
    } catch (error) {
      result = toGatewayError(error);
    }
    await record.commit(result);
    notifyObservers(deps, record, result);
    if (result instanceof GatewayError) {
      throw new CallFailure(record.auditId, entry.tool.name, result);
    }
    return result;
  };
}

function findTool(
  { catalog, onDenied }: CallToolDeps,
  name: string,
  context: CallContext,
): CatalogEntry {
  const entry = catalog.find(context.caller, name);
  if (entry) return entry;
  if (catalog.isDenied(context.caller, name)) onDenied(name, context);
  throw new GatewayError(
    'tool_not_found',
    `Unknown tool ${JSON.stringify(name.slice(0, 100))}. Call tools/list for the tools that this key may use.`,
  );
}

/**
 * Checks the arguments, gets the response from the cache, from an identical call under way or from the upstream, steps
 * back to an earlier publication if it holds no data and the tool may do so, and projects the rows.
 */
function run(deps: CallToolDeps, record: CallRecord): Awaitable<CallOutcome> {
  const { entry, call, context, auditId, timestampMs: nowMs } = record;
  const { resolveCode } = deps;
  const find = lookUp(deps, record);
  const readArguments = readerFor(deps, record);
  const ready = prepareCall(entry.tool, call, { nowMs, resolveCode, readArguments });
  const found = whenReady(ready, (prepared) =>
    whenReady(find(prepared), (result): Awaitable<Found> => {
      const latest = { prepared, result, steppedBack: null };
      return prepared.mayStepBack ? stepBack(latest, find) : latest;
    }),
  );
  return whenReady(found, (chosen) => {
    const { _where: where } = call.arguments;
    const outcome = outcomeOf(deps, chosen, { entry, auditId, where });
    hold(outcome.response.json, context);
    return outcome;
  });
}

/** What a stranger wrote into a schema never runs on the event loop. */
function readerFor(
  { argumentThread }: CallToolDeps,
  { entry: { tool, source }, context }: CallRecord,
): ReadArguments {
  if (source !== 'registered') return argumentReaderOf(tool);
  const { tenantId } = context.caller;
  return (received, resolveCode) => argumentThread.read(tool, received, { resolveCode, tenantId });
}

/** What the caller gets of what was found. */
function outcomeOf(
  { clock, nextPublication, isSandbox }: CallToolDeps,
  found: Found,
  { entry, auditId, where }: Pick<CallOutcome, 'entry' | 'auditId' | 'where'>,
): CallOutcome {
  const { prepared, result, steppedBack } = found;
  const { response, rows, table } = projectRows(prepared, result.response);
  const circumstances = { nowMs: clock.now(), nextPublication, isSample: isSandbox };
  const { cacheStatus, upstreamMs } = result;
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
    where: rows && where,
    table,
    provenance: provenanceOf({ prepared, response, steppedBack }, circumstances),
  };
}

/** Charges a large response to the caller's lease until it has been sent. Throws `overloaded` if it does not fit. */
function hold(json: Buffer, { lease }: CallContext): void {
  if (json.length > SMALL_BYTES && !lease().hold(json)) throw overBudget();
}

function notifyObservers(
  { onFinished }: CallToolDeps,
  { call, context, entry, auditId, recordedUrl, sent, startedMs }: CallRecord,
  result: CallOutcome | GatewayError,
): void {
  const durationMs = performance.now() - startedMs;
  onFinished({ call, context, entry, auditId, result, recordedUrl, sent, durationMs });
}
