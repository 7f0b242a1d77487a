import { type Awaitable, whenReady } from '../platform/kernel/awaitable.ts';
import { overBudget, SMALL_BYTES } from '../platform/kernel/byte-budget.ts';
import { GatewayError, toGatewayError } from '../platform/kernel/error.ts';
import type { Catalog } from '../tools/catalog/catalog.ts';
import type { CatalogEntry } from '../tools/catalog-entry.ts';
import { type CallRecord, type CallRecordDeps, openCallRecord } from './call-record.ts';
import { type LookUpDeps, lookUp } from './look-up.ts';
import { prepareCall } from './prepare-call.ts';
import { projectRows } from './project-rows.ts';
import { stepBack } from './step-back.ts';
import { type CallContext, CallFailure, type CallOutcome, type ToolCall } from './tool-call.ts';

/** What the events, the metrics and the log want to know of a call whose record is written. */
export interface FinishedCall {
  readonly call: ToolCall;
  readonly context: CallContext;
  readonly entry: CatalogEntry;
  readonly auditId: string;
  readonly result: CallOutcome | GatewayError;
  /** The upstream's address as the audit record has it: masked. */
  readonly recordedUrl: string;
  readonly durationMs: number;
}

export interface CallToolDeps extends LookUpDeps, CallRecordDeps {
  readonly catalog: Catalog;
  /** Told of a call of a tool that the key may not use; must not throw. */
  readonly onDenied: (tool: string, context: CallContext) => void;
  /** Told of every finished call; must not throw. */
  readonly onFinished: (finished: FinishedCall) => void;
}

/**
 * Runs one tool for one caller. Resolves for every response of the upstream, whatever it said. Rejects with
 * `tool_not_found` or `overloaded` when nothing was begun, and with a CallFailure once a record was written.
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
    tellObservers(deps, record, result);
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
    `There is no tool named ${JSON.stringify(name.slice(0, 100))}; tools/list names all that this key may use.`,
  );
}

/**
 * Checks the arguments and gets the response: from the cache, from a call under way, or from the upstream; where it
 * holds no data, that of an earlier publication if the tool may step back; of it, the rows that the caller wants.
 */
function run(
  deps: CallToolDeps,
  { entry, call, context, auditId }: CallRecord,
): Awaitable<CallOutcome> {
  const prepared = prepareCall(entry.tool, call.arguments, deps.clock.now());
  const find = lookUp(deps, call, context);
  const found = whenReady(find(prepared), (latest) =>
    prepared.mayStepBack ? stepBack(prepared, latest, find) : latest,
  );
  return whenReady(found, (chosen) => {
    const outcome = projectRows(prepared, chosen, { entry, auditId });
    hold(outcome.response.json, context);
    return outcome;
  });
}

/** Has the caller's lease hold a large response until it has left; refuses it when there is no room. */
function hold(json: Buffer, { lease }: CallContext): void {
  if (json.length > SMALL_BYTES && !lease().hold(json)) throw overBudget();
}

function tellObservers(
  { onFinished }: CallToolDeps,
  { call, context, entry, auditId, recordedUrl, startedMs }: CallRecord,
  result: CallOutcome | GatewayError,
): void {
  const durationMs = performance.now() - startedMs;
  onFinished({ call, context, entry, auditId, result, recordedUrl, durationMs });
}
