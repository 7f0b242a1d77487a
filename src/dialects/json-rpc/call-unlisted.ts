import type { CallEntry } from '../../calls/call-tool.ts';
import { type CallFailure, type CallOutcome, toResult } from '../../calls/tool-call.ts';
import type { Caller } from '../../platform/kernel/caller.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import type { RouteRequest } from '../route.ts';
import { callContextOf } from './call-context.ts';

/** Calls a tool that no catalog has. */
export type CallUnlisted = (
  entry: CatalogEntry,
  args: Readonly<Record<string, unknown>>,
) => Promise<CallOutcome | CallFailure>;

/** Creates the calls of one request for tools that no catalog has. `clientName` is what the audit log shows as the client. */
export function callUnlisted(
  callEntry: CallEntry,
  request: Pick<RouteRequest, keyof Parameters<typeof callContextOf>[0] | 'cancellation'>,
  caller: Caller,
  clientName: string,
): CallUnlisted {
  const context = callContextOf(request, caller, 'plain', clientName);
  const { cancellation } = request;
  return (entry, args) =>
    toResult(callEntry(entry, { name: entry.tool.name, arguments: args, cancellation }, context));
}
