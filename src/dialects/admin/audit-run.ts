import type { AuditStore } from '../../audit/reading/audit-store.ts';
import type { StoredAuditRecord } from '../../audit/record/audit-record.ts';
import type { CallTool } from '../../calls/call-tool.ts';
import { CallFailure, type CallOutcome } from '../../calls/tool-call.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import { callContextOf } from '../json-rpc/call-context.ts';
import type { TenantContext } from './admin-route.ts';
import { personCaller } from './person-caller.ts';
import { assertWithinLimit, type PlaygroundRoutesDeps } from './playground.ts';
import { repeatability } from './repeatable-arguments.ts';

export interface RunAgainDeps extends Pick<PlaygroundRoutesDeps, 'countRun'> {
  readonly auditStore: Pick<AuditStore, 'get'>;
  readonly catalog: Pick<Catalog, 'findById'>;
  readonly callTool: CallTool;
  /** Resolves once the tools that the tenant registered are in the catalog. */
  readonly ready: (tenantId: string) => Promise<unknown> | unknown;
}

/** Characters of a response that are shown. */
const MAX_SHOWN = 256 * 1024;

/** What a call came to when it was run again. */
export interface RunResult {
  /** The record of the new call. */
  readonly record: StoredAuditRecord;
  /** The response as JSON text, or its beginning; null if the call failed. */
  readonly data: string | null;
  readonly isCut: boolean;
}

/**
 * Runs a recorded call again as the person, with the recorded arguments or with those that are given. Rejects with
 * `unprocessable` if recorded arguments were masked or cut, and with `not_found` if the tool no longer exists, and with `rate_limited`
 * beyond the runs of a person.
 */
export async function runAgain(
  deps: RunAgainDeps,
  context: TenantContext,
  old: StoredAuditRecord,
  given: Readonly<Record<string, unknown>> | undefined,
): Promise<RunResult> {
  const args = { ...(given ?? old.arguments) };
  assertComplete(args);
  await assertWithinLimit(deps, context);
  const caller = personCaller(context);
  await deps.ready(caller.tenantId);
  const entry = deps.catalog.findById(caller, old.toolId);
  if (!entry) throw new GatewayError('not_found', `The tool ${old.tool} no longer exists.`);
  const { request } = context;
  const call = { name: entry.tool.name, arguments: args, cancellation: request.cancellation };
  const result = await deps
    .callTool(call, callContextOf(request, caller, 'dashboard'))
    .catch(failureOf);
  const record = await deps.auditStore.get(caller.tenantId, result.auditId);
  if (!record) throw new GatewayError('unavailable', 'The record of the call cannot be read.');
  return { record, ...shownData(result) };
}

function assertComplete(args: Readonly<Record<string, unknown>>): void {
  const { missing, isTruncated } = repeatability(args);
  if (isTruncated) {
    throw new GatewayError(
      'unprocessable',
      'The record does not hold all arguments of the call. Give all of them.',
    );
  }
  if (missing.length === 0) return;
  throw new GatewayError(
    'unprocessable',
    `These arguments were masked or cut in the record: ${missing.join(', ')}. Give their values.`,
  );
}

function failureOf(error: unknown): CallFailure {
  if (error instanceof CallFailure) return error;
  throw error;
}

function shownData(result: CallOutcome | CallFailure): Pick<RunResult, 'data' | 'isCut'> {
  if (result instanceof CallFailure) return { data: null, isCut: false };
  const { json } = result.response;
  return { data: json.toString('utf8', 0, MAX_SHOWN), isCut: json.length > MAX_SHOWN };
}
