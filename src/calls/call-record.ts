import type { maskArguments } from '../audit/masking/mask-arguments.ts';
import { maskClientName } from '../audit/masking/mask-text.ts';
import type { AuditLedger, AuditRecord, Unstored } from '../audit/record/audit-record.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { newAuditId } from '../platform/kernel/ids.ts';
import { memoizeEach } from '../platform/kernel/memo.ts';
import type { Clock } from '../platform/kernel/time.ts';
import type { CatalogEntry } from '../tools/catalog-entry.ts';
import type { Tool } from '../tools/model.ts';
import { percentEncode } from '../tools/request/write-style.ts';
import type { SentRequest, ToolConnection } from '../tools/tool-connection.ts';
import type { Arguments } from './choose-rows.ts';
import { causeOfError } from './judge-response.ts';
import type { CallContext, CallOutcome, ToolCall } from './tool-call.ts';

export interface CallRecordDeps {
  readonly ledger: AuditLedger;
  readonly clock: Clock;
  readonly mask: typeof maskArguments;
}

/** An audit record that is opened when a call starts and committed exactly once when it ends. */
export class CallRecord {
  readonly entry: CatalogEntry;
  readonly call: ToolCall;
  readonly context: CallContext;
  readonly auditId: string;
  /** When the call started, in milliseconds since the epoch. */
  readonly timestampMs: number;
  /** The same of the monotonic clock. */
  readonly startedMs: number;
  /** The last request that this call sent to its upstream; null if it sent none. */
  sent: SentRequest | null = null;
  /** How the call reaches its upstream, once that is known. */
  connection: ToolConnection | undefined = undefined;

  #url: string | null = null;

  constructor(
    timestampMs: number,
    { entry, call, context }: Pick<CallRecord, 'entry' | 'call' | 'context'>,
  ) {
    this.entry = entry;
    this.call = call;
    this.context = context;
    this.auditId = newAuditId();
    this.timestampMs = timestampMs;
    this.startedMs = performance.now();
  }

  /**
   * The address for those who may not see the arguments: the address of the response, unless one of them was masked; else, and
   * until the record is committed, the address of the record.
   */
  get publishedUrl(): string {
    return this.#url ?? recordedUrl(this.entry.tool);
  }

  /** Appends the record; resolves as `ledger.append`. The response may leave only then. */
  commit(
    { ledger, mask }: CallRecordDeps,
    result: CallOutcome | GatewayError,
  ): Promise<Unstored | undefined> {
    const { entry, call, context } = this;
    const { tool } = entry;
    const args = call.arguments;
    const masked = mask(args, tool);
    const isPlain = masked === args;
    const isFailed = result instanceof GatewayError;
    if (!isFailed && isPlain) this.#url = result.response.url;
    const end = isFailed ? failedPart(this, result, isPlain) : completedPart(this, result);
    const { asked } = end;
    // Member by member: spreading the part would take as long as everything else here.
    return ledger.append({
      auditId: this.auditId,
      timestampMs: this.timestampMs,
      tenantId: context.caller.tenantId,
      apiKeyId: context.caller.apiKeyId,
      requestId: context.requestId,
      dialect: context.dialect,
      clientName: context.clientName && maskClientName(context.clientName),
      tool: tool.name,
      toolId: entry.id,
      arguments: masked,
      upstream: end.upstream,
      cacheStatus: end.cacheStatus,
      publicData: end.publicData,
      outcome: end.outcome,
      error: end.error,
      durationMs: Math.round((performance.now() - this.startedMs) * 1000) / 1000,
      upstreamMs: end.upstreamMs,
      responseBytes: end.responseBytes,
      clientIp: context.clientIp,
      cause: end.cause,
      asked: asked === null || isSame(asked, args) ? null : mask(asked, tool),
      asOf: end.asOf,
      steppedBack: end.steppedBack,
      sample: end.sample,
      partOf: call.partOf ?? null,
    });
  }
}

/** What the end of a call adds to its record; `asked` is not masked yet. */
type EndOfRecord = Pick<
  AuditRecord,
  | 'upstream'
  | 'cacheStatus'
  | 'publicData'
  | 'outcome'
  | 'error'
  | 'upstreamMs'
  | 'responseBytes'
  | 'cause'
  | 'asked'
  | 'asOf'
  | 'steppedBack'
  | 'sample'
>;

/** Base, path template and names of the query: the values are in the arguments of the record. The same for all calls. */
const recordedUrl = memoizeEach(({ baseUrl, path, parameters }: Tool): string => {
  const names = parameters
    .filter((each) => each.in === 'query')
    .map(({ name }) => percentEncode(name));
  return `${baseUrl}${path}${names.length > 0 ? '?' : ''}${names.join('&')}`;
});

function completedPart({ entry: { tool } }: CallRecord, result: CallOutcome): EndOfRecord {
  const { response, provenance } = result;
  const { publicData } = response;
  return {
    upstream: { method: tool.method, url: recordedUrl(tool), status: response.status },
    cacheStatus: result.cacheStatus,
    publicData: publicData ? { code: publicData.code, message: publicData.message } : null,
    outcome: result.isError ? 'upstream_error' : 'ok',
    error: null,
    upstreamMs: result.upstreamMs,
    responseBytes: response.json.length,
    cause: result.cause,
    asked: provenance.asked,
    asOf: provenance.asOf,
    steppedBack: provenance.steppedBack,
    sample: provenance.isSample,
  };
}

/** Whether two sets of arguments have the same members; those that are objects must be the same objects. */
function isSame(some: Arguments, others: Arguments): boolean {
  for (const name in some) {
    if (some[name] !== others[name] || !Object.hasOwn(others, name)) return false;
  }
  for (const name in others) if (!Object.hasOwn(some, name)) return false;
  return true;
}

/** The message may quote arguments; if these needed masking, the table's generic message is recorded instead. */
function failedPart(
  { entry: { tool }, sent }: CallRecord,
  error: GatewayError,
  isPlain: boolean,
): EndOfRecord {
  const quotesArguments = error.code === 'invalid_arguments' && !isPlain;
  return {
    upstream: { method: tool.method, url: recordedUrl(tool), status: sent?.status ?? null },
    cacheStatus: null,
    publicData: null,
    outcome: 'error',
    error: { code: error.code, message: quotesArguments ? error.row.message : error.message },
    upstreamMs: sent?.upstreamMs ?? null,
    responseBytes: 0,
    cause: causeOfError(error),
    asked: null,
    asOf: null,
    steppedBack: null,
    sample: false,
  };
}
