import type { CallEntry } from '../../calls/call-tool.ts';
import {
  type CallContext,
  type CallFailure,
  type CallOutcome,
  toResult,
} from '../../calls/tool-call.ts';
import type { Caller } from '../../platform/kernel/caller.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import type { RequestFacts, RouteRequest } from '../route.ts';

/** Characters of a client's name that are recorded. */
export const MAX_NAME_LENGTH = 100;

/** Who calls through a dialect. Without a `clientName`, the User-Agent identifies the client. */
export function callContextOf(
  request: RequestFacts,
  caller: Caller,
  dialect: 'plain' | 'http-sse' | 'streamable-http' | 'stateless' | 'dashboard',
  clientName?: string,
): CallContext {
  const { traceparent } = request.headers;
  const name = clientName ?? request.headers['user-agent'];
  return {
    caller,
    requestId: request.requestId,
    dialect,
    clientName: typeof name === 'string' ? name.slice(0, MAX_NAME_LENGTH) : null,
    clientIp: request.clientIp,
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    memory: request.memory,
  };
}

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
