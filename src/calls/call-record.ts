import type { AuditLedger, AuditRecord } from '../audit/audit-record.ts';
import type { CachedAnswer, CacheStatus } from '../cache/answer-cache.ts';
import type { CatalogEntry } from '../catalog/catalog-entry.ts';
import type { Clock } from '../kernel/clock.ts';
import { GatewayError } from '../kernel/error.ts';
import { newAuditId } from '../kernel/ids.ts';
import type { maskArguments } from '../masking/mask-arguments.ts';
import { maskUrl } from '../masking/mask-url.ts';
import type { Tool } from '../openapi/tool.ts';
import type { CallContext, ShownRows } from './tool-call.ts';

/** What the upstream's part of a call came to. */
export interface AnsweredCall {
  readonly answer: CachedAnswer;
  readonly cacheStatus: CacheStatus;
  /** Status 400 and above, or a payload that says it failed. */
  readonly isError: boolean;
  /** Null when this call did not itself ask the upstream. */
  readonly upstreamMs: number | null;
  /** Where the caller asked for some of the rows only. */
  readonly shownRows?: ShownRows;
}

/** An audit record that is opened when a call begins and committed exactly once when it ends. */
export interface CallRecord {
  readonly auditId: string;
  readonly startedMs: number;
  /** Resolves once the record is committed; only then may the answer leave. */
  close(result: AnsweredCall | GatewayError): Promise<void>;
}

export interface CallRecordDeps {
  readonly ledger: AuditLedger;
  readonly clock: Clock;
  readonly mask: typeof maskArguments;
}

/** Opens the record of a call. `templateUrl` stands for the address of a call that got none. */
export function openCallRecord(
  deps: CallRecordDeps,
  entry: CatalogEntry,
  args: Record<string, unknown>,
  context: CallContext,
  templateUrl: string,
): CallRecord {
  const startedMs = performance.now();
  const auditId = newAuditId();
  const timestampMs = deps.clock.now();
  return {
    auditId,
    startedMs,
    close: (result) => {
      const masked = deps.mask(args, entry.tool);
      return deps.ledger.append({
        auditId,
        timestampMs,
        tenantId: context.caller.tenantId,
        apiKeyId: context.caller.apiKeyId,
        requestId: context.requestId,
        dialect: context.dialect,
        clientName: context.clientName,
        tool: entry.tool.name,
        toolId: entry.id,
        arguments: masked,
        clientIp: context.clientIp,
        durationMs: Math.round((performance.now() - startedMs) * 1000) / 1000,
        ...(result instanceof GatewayError
          ? failedPart(entry.tool.method, templateUrl, result, masked === args)
          : answeredPart(entry.tool, templateUrl, result, masked === args)),
      });
    },
  };
}

type EndOfRecord = Pick<
  AuditRecord,
  'upstream' | 'cacheStatus' | 'publicData' | 'outcome' | 'error' | 'upstreamMs' | 'responseBytes'
>;

/**
 * The address holds the arguments too: where they needed no masking, neither does it, and where one is personal data
 * whatever it looks like, the address is recorded without any.
 */
function answeredPart(
  { method, personal }: Tool,
  templateUrl: string,
  result: AnsweredCall,
  isPlain: boolean,
): EndOfRecord {
  const { answer } = result;
  const maskedUrl = () => (personal.length > 0 ? templateUrl : maskUrl(answer.url));
  return {
    upstream: { method, url: isPlain ? answer.url : maskedUrl(), status: answer.status },
    cacheStatus: result.cacheStatus,
    publicData: answer.publicData
      ? { code: answer.publicData.code, message: answer.publicData.message }
      : null,
    outcome: result.isError ? 'upstream_error' : 'ok',
    error: null,
    upstreamMs: result.upstreamMs,
    responseBytes: answer.json.length,
  };
}

/** The message may quote arguments; where they needed masking, the table's sentence stands for it. */
function failedPart(
  method: string,
  url: string,
  error: GatewayError,
  isPlain: boolean,
): EndOfRecord {
  const quotesArguments = error.code === 'invalid_arguments' && !isPlain;
  return {
    upstream: { method, url, status: null },
    cacheStatus: null,
    publicData: null,
    outcome: 'error',
    error: { code: error.code, message: quotesArguments ? error.row.message : error.message },
    upstreamMs: null,
    responseBytes: 0,
  };
}
