import type { AnswerCache, CacheLookup, CacheOutcome } from '../cache/answer-cache.ts';
import { cacheKey } from '../cache/cache-key.ts';
import { overBudget, SMALL_BYTES } from '../platform/kernel/byte-budget.ts';
import { Deadline } from '../platform/kernel/deadline.ts';
import { GatewayError, toGatewayError } from '../platform/kernel/error.ts';
import type { Catalog } from '../tools/catalog/catalog.ts';
import type { CatalogEntry } from '../tools/catalog-entry.ts';
import { type AnsweredCall, type CallRecordDeps, openCallRecord } from './call-record.ts';
import { type FetchDeps, fetchAnswer } from './fetch-answer.ts';
import { prepareArguments, worksOutAll } from './prepare-arguments.ts';
import { prepareTool } from './prepared-tool.ts';
import { showRows } from './show-rows.ts';
import { holdsNoData, stepBack } from './step-back.ts';
import { type CallContext, CallFailure, type CallOutcome, type ToolCall } from './tool-call.ts';

/** What the events, the metrics and the log want to know of a call whose record is written. */
export interface FinishedCall {
  readonly call: ToolCall;
  readonly context: CallContext;
  readonly entry: CatalogEntry;
  readonly auditId: string;
  readonly result: AnsweredCall | GatewayError;
  /** The upstream's address as the audit record has it: masked. */
  readonly recordedUrl: string;
  readonly durationMs: number;
}

export interface CallToolDeps extends FetchDeps, CallRecordDeps {
  readonly catalog: Catalog;
  readonly cache: AnswerCache;
  /** Deadline of a whole call, in milliseconds. */
  readonly timeoutMs: number;
  /** Told of a call of a tool that the key may not use; must not throw. */
  readonly onDenied: (tool: string, context: CallContext) => void;
  /** Told of every finished call; must not throw. */
  readonly onFinished: (finished: FinishedCall) => void;
}

/**
 * Runs one tool for one caller. Resolves for every answer of the upstream, whatever it said. Rejects with
 * `tool_not_found` or `overloaded` when nothing was begun, and with a CallFailure once a record was written.
 */
export type CallTool = (call: ToolCall, context: CallContext) => Promise<CallOutcome>;

export function createCallTool(deps: CallToolDeps): CallTool {
  return async (call, context) => {
    const entry = findTool(deps, call.name, context);
    deps.ledger.assertWritable();
    const { templateUrl } = prepareTool(entry.tool);
    const record = openCallRecord(deps, entry, call.arguments, context, templateUrl);
    let result: AnsweredCall | GatewayError;
    try {
      const answered = answer(deps, entry, call, context.caller.tenantId);
      // A turn of the microtask queue for nothing is what an answer from the cache need not pay for.
      const latest = answered instanceof Promise ? await answered : answered;
      result = holdAnswer(showRows(entry.tool, call.arguments, latest), context);
    } catch (error) {
      result = toGatewayError(error);
    }
    await record.close(result);
    const { auditId, recordedUrl } = record;
    const durationMs = performance.now() - record.startedMs;
    deps.onFinished({ call, context, entry, auditId, result, recordedUrl, durationMs });
    if (result instanceof GatewayError) throw new CallFailure(auditId, entry.tool.name, result);
    return toOutcome(entry, auditId, result);
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
 * Checks the arguments and gets the answer: from the cache, from a call under way, or from the upstream; where there
 * is no data, that of an earlier publication if the tool may step back. A promise unless it is from the cache.
 */
function answer(
  deps: CallToolDeps,
  entry: CatalogEntry,
  call: ToolCall,
  tenantId: string,
  nowMs = deps.clock.now(),
  // Begun here and not with the upstream request: whoever takes over from a failed leader does not start anew.
  deadline = Deadline.in(deps.timeoutMs),
  stepsBack = 0,
): AnsweredCall | Promise<AnsweredCall> {
  const { tool } = entry;
  const prepared = prepareTool(tool);
  const args = prepareArguments(tool, prepared, call.arguments, nowMs, stepsBack);
  let upstreamMs: number | null = null;
  const lookup: CacheLookup = {
    key: cacheKey(tool.version, args, tool.secrets.length > 0 ? 'operator' : ''),
    ttlSeconds: tool.cacheTtlSeconds,
    fetch: (departure) =>
      fetchAnswer(deps, tool, prepared, args, { tenantId, deadline, departure }, (tookMs) => {
        upstreamMs = tookMs;
      }),
    departure: call.departure,
  };
  const mayStepBack = tool.stepBack > 0 && stepsBack === 0 && worksOutAll(prepared, call.arguments);
  const conclude = ({ answer: found, status }: CacheOutcome) => {
    const latest: AnsweredCall = {
      answer: found,
      cacheStatus: status,
      isError: !found.ok || found.status >= 400,
      upstreamMs,
    };
    return mayStepBack && holdsNoData(tool.payload, latest)
      ? stepBack(tool, latest, async (steps) =>
          answer(deps, entry, call, tenantId, nowMs, deadline, steps),
        )
      : latest;
  };
  const outcome = deps.cache.lookup(lookup);
  return outcome instanceof Promise ? outcome.then(conclude) : conclude(outcome);
}

/** Has the caller's lease hold a large answer until it has left; refuses it when there is no room. */
function holdAnswer(answered: AnsweredCall, { lease }: CallContext): AnsweredCall {
  const { json } = answered.answer;
  if (json.length > SMALL_BYTES && !lease().hold(json)) throw overBudget();
  return answered;
}

function toOutcome(entry: CatalogEntry, auditId: string, result: AnsweredCall): CallOutcome {
  const { answer } = result;
  return {
    entry,
    auditId,
    cacheStatus: result.cacheStatus,
    upstream: { method: entry.tool.method, url: answer.url, status: answer.status },
    data: answer.json,
    publicData: answer.publicData,
    rows: answer.rows,
    shownRows: result.shownRows,
    isError: result.isError,
  };
}
